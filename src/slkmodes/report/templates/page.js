// Pointer, keyboard and buttons.
const fingers = new Map();
let dragged = false;

function placeOf(event) {
  const box = canvas.getBoundingClientRect();
  return { left: event.clientX - box.left, top: event.clientY - box.top };
}

function hover(point, { left, top } = {}) {
  if (point !== shown.hovered) redraw(false);
  shown.hovered = point;
  showHint(point, left, top, stage);
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, placeOf(event));
  if (fingers.size === 1) dragged = false;
});

canvas.addEventListener("pointermove", (event) => {
  const now = placeOf(event), before = fingers.get(event.pointerId);
  if (!before) return hover(pointAt(now.left, now.top), now);
  const other = [...fingers].find(([finger]) => finger !== event.pointerId);
  if (other) {
    const apart = (place) => Math.max(Math.hypot(place.left - other[1].left, place.top - other[1].top), 1);
    dragged = true;
    zoomBy(apart(now) / apart(before), (now.left + other[1].left) / 2, (now.top + other[1].top) / 2);
  } else {
    if (!dragged && Math.hypot(now.left - before.left, now.top - before.top) < 4) return;
    dragged = true;
    moveBy(now.left - before.left, now.top - before.top);
  }
  fingers.set(event.pointerId, now);
  hover(undefined);
});

canvas.addEventListener("pointerup", (event) => {
  const { left, top } = placeOf(event);
  if (!dragged && fingers.size === 1) choose(pointAt(left, top));
  fingers.delete(event.pointerId);
});
canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
canvas.addEventListener("pointerleave", () => hover(undefined));
canvas.addEventListener("wheel", (event) => {
  // The page scrolls on unless the map was chosen, or fingers pinch on a touchpad.
  if (document.activeElement !== canvas && !event.ctrlKey) return;
  event.preventDefault();
  const { left, top } = placeOf(event);
  zoomBy(Math.exp(-event.deltaY * 0.002), left, top);
}, { passive: false });

// The nearest point roughly in a direction, among those in view.
function step(right, down) {
  if (shown.chosen === undefined) return choose(modePoints.find((point) => point !== undefined));
  const at = frame(), startLeft = leftOf(shown.chosen, at), startTop = topOf(shown.chosen, at);
  let best, least = Infinity;
  for (let point = 0; point < nPoints; point++) {
    const left = leftOf(point, at), top = topOf(point, at);
    if (!admitted(point) || !inside(left, top, at, 0)) continue;
    const along = (left - startLeft) * right + (top - startTop) * down;
    const aside = Math.abs((left - startLeft) * down) + Math.abs((top - startTop) * right);
    if (along > 0.5 && along + 2 * aside < least) [best, least] = [point, along + 2 * aside];
  }
  if (best !== undefined) choose(best);
}

function stepMode(by) {
  const modes = modePoints.filter((point) => point !== undefined);
  const place = modes.indexOf(modePoints[points.clusters[shown.chosen]]);
  choose(modes[(place + by + modes.length) % modes.length]);
}

const KEYS = {
  ArrowLeft: () => step(-1, 0),
  ArrowRight: () => step(1, 0),
  ArrowUp: () => step(0, -1),
  ArrowDown: () => step(0, 1),
  PageDown: () => stepMode(1),
  PageUp: () => stepMode(-1),
  "+": () => zoomBy(1.5),
  "=": () => zoomBy(1.5),
  "-": () => zoomBy(1 / 1.5),
  Home: showAll,
  Escape: () => choose(undefined),
};
canvas.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
});

for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", { in: () => zoomBy(1.6), out: () => zoomBy(1 / 1.6), all: showAll }[button.dataset.zoom]);
}

for (const radio of document.querySelectorAll("input[name=colour]")) {
  radio.addEventListener("change", () => {
    shown.colour = radio.value;
    for (const key of document.querySelectorAll(".key")) key.hidden = key.id !== `key-${radio.value}`;
    redraw();
  });
}

for (const button of document.querySelectorAll("[data-only]")) {
  button.addEventListener("click", () => {
    const cluster = Number(button.dataset.only);
    shown.only = shown.only === cluster ? undefined : cluster;
    for (const other of document.querySelectorAll("[data-only]")) {
      other.setAttribute("aria-pressed", Number(other.dataset.only) === shown.only);
    }
    redraw();
  });
}

function showOnMap(row) {
  const point = pointOf(row);
  if (point === undefined) return false;
  choose(point);
  document.getElementById("map").scrollIntoView();
  canvas.focus({ preventScroll: true });
  return true;
}

for (const button of document.querySelectorAll("[data-sample]")) {
  button.addEventListener("click", () => showOnMap(Number(button.dataset.sample)));
}

document.getElementById("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = event.target.elements.row;
  const found = asked.value.trim() !== "" && showOnMap(Number(asked.value));
  asked.setCustomValidity(found ? "" : "No such sample is on the map.");
  asked.reportValidity();
});
document.getElementById("find").addEventListener("input", (event) => event.target.setCustomValidity(""));

const themeButton = document.getElementById("theme");
function nameTheme() {
  themeButton.textContent = dark() ? "Light" : "Dark";
  themeButton.setAttribute("aria-label", `Change to the ${dark() ? "light" : "dark"} theme`);
  redraw();
}
themeButton.addEventListener("click", () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  nameTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
new ResizeObserver(() => redraw()).observe(stage);
nameTheme();
