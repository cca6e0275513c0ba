// Keyboard: one Tab stop for a group of cells or choices, arrows inside it ("roving tabindex").

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// The [rows, columns] that an arrow key moves, or null: another key, or one held with Ctrl, Alt or Meta, which
// belongs to the browser.
export function arrowStep(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  return STEPS[event.key] ?? null;
}

// Makes `chosen` the one Tab stop among `members`, and moves the focus to it where the group already has it.
export function rove(members, chosen) {
  const focused = document.activeElement;
  let inside = false;
  for (const member of members) {
    inside ||= member === focused;
    member.tabIndex = member === chosen ? 0 : -1;
  }
  if (inside && chosen !== focused) chosen.focus({ preventScroll: true });
}
