// Dragging lines with a mouse, a pen or a finger. A mark shows where the line would land; nothing moves before
// it is dropped. Every drag has a button that does the same.

const FIRM = 6; // pixels that the pointer travels before a press counts as a drag: a shaky click is none

export function dragLines(root, target, { drop, putBack }, signal) {
  let drag = null;

  function start(event) {
    const row = event.target.closest("[data-line]");
    if (!row || event.button !== 0 || event.target.closest("button")) return;
    if (event.pointerType === "touch" && !event.target.closest(".tlp-handle")) return; // a finger on a line scrolls
    const { pointerId: pointer, clientX: x, clientY: y } = event;
    drag = { row, id: Number(row.dataset.line), pointer, x, y, live: false };
  }

  function follow(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.live && Math.hypot(dx, dy) < FIRM) return;
    if (!drag.live) {
      drag.live = true;
      drag.row.classList.add("tlp-dragged");
      root.setPointerCapture(drag.pointer);
    }
    event.preventDefault();
    drag.row.style.transform = `translate(${dx}px, ${dy}px)`;
    mark(landing(event.clientX, event.clientY, drag.row), drag.row);
  }

  function end(event) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { row, id, live } = drag;
    drag = null;
    row.style.transform = "";
    row.classList.remove("tlp-dragged");
    mark(null, row);
    if (!live || event.type === "pointercancel") return;
    const at = landing(event.clientX, event.clientY, row);
    if (at !== null) drop(id, at);
    else if (target.contains(row)) putBack(id);
  }

  // The place in the program under the pointer, counted without the dragged line; null outside of the program.
  function landing(x, y, dragged) {
    const box = target.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top - 16 || y > box.bottom + 16) return null;
    const others = othersThan(dragged);
    const below = others.findIndex((row) => y < middle(row));
    return below < 0 ? others.length : below;
  }

  function mark(at, dragged) {
    const others = othersThan(dragged);
    target.classList.toggle("tlp-over", at !== null);
    others.forEach((row, i) => {
      row.classList.toggle("tlp-before", i === at);
      row.classList.toggle("tlp-after", i === others.length - 1 && at === others.length);
    });
  }

  function othersThan(dragged) {
    return [...target.querySelectorAll("[data-line]")].filter((row) => row !== dragged);
  }

  function middle(row) {
    const box = row.getBoundingClientRect();
    return (box.top + box.bottom) / 2;
  }

  const listeners = { pointerdown: start, pointermove: follow, pointerup: end, pointercancel: end };
  for (const [name, listener] of Object.entries(listeners)) root.addEventListener(name, listener, { signal });
}
