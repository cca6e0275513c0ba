// Tiles fly from where their storage cell was shown to where it is shown now: a change of the layout is seen as what
// it is, the same cells in other places. Nothing moves where less motion is wanted, nor where there is too much to
// follow.

const MOST = 256;           // tiles
const FLIGHT = 450;         // ms
const EACH = 12;            // ms that a tile starts behind the one before it

const CALM = "(prefers-reduced-motion: reduce)";

// Where tiles are, by the cell that each shows (`data-at`); null where nothing is to fly.
export function placesOf(tiles) {
  if (tiles.length > MOST || window.matchMedia(CALM).matches) return null;
  const places = new Map();
  for (const tile of tiles) {
    const { at } = tile.dataset;
    if (at === undefined) continue;
    if (!places.has(at)) places.set(at, []);
    places.get(at).push(tile.getBoundingClientRect());
  }
  return places;
}

// Lets tiles fly from `places`; one whose cell was not shown comes from `home(cell)`, its element on the line.
export function fly(tiles, places, home) {
  if (tiles.length > MOST) return [];
  const ways = tiles.map((tile) => {
    const { at } = tile.dataset;
    const from = places.get(at)?.shift() ?? (at === undefined ? null : home(Number(at))?.getBoundingClientRect());
    const to = tile.getBoundingClientRect();
    return from ? [from.left - to.left, from.top - to.top] : [0, 0];
  });
  return tiles.flatMap((tile, k) => {
    const [right, down] = ways[k];
    if (Math.hypot(right, down) < 1) return [];
    return tile.animate([{ transform: `translate(${right}px, ${down}px)` }, { transform: "none" }], {
      duration: FLIGHT, delay: Math.min(k, 24) * EACH, easing: "cubic-bezier(.3, .7, .2, 1)", fill: "backwards",
    });
  });
}
