// The map: points on a canvas of their own, drawn when the view changes; modes and rings above them at every move.
const canvas = document.getElementById("points");
const context = canvas.getContext("2d");
const stage = canvas.parentElement;
const PADDING = 28, LARGEST_ZOOM = 400, MOST_NUMBERED_MODES = 60;
// Shares no factor with any number of points up to a million: an order that favours no cluster.
const STRIDE = 1000003;

const extent = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [65535, 0]);
const [lowX, highX] = extent(points.x), [lowY, highY] = extent(points.y);
const middle = { x: (lowX + highX) / 2, y: (lowY + highY) / 2 };
const view = { zoom: 1, ...middle };
const shown = { colour: "cluster", only: undefined, chosen: undefined, hovered: undefined };

// Where points are on the screen: read once per drawing, the size of an element is slow to ask for.
function frame() {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const across = (width - 2 * PADDING) / Math.max(highX - lowX, 1);
  const upward = (height - 2 * PADDING) / Math.max(highY - lowY, 1);
  const unit = view.zoom * Math.min(across, upward);
  return { width, height, unit, left: width / 2 - view.x * unit, top: height / 2 + view.y * unit };
}
const leftOf = (point, at) => at.left + points.x[point] * at.unit;
const topOf = (point, at) => at.top - points.y[point] * at.unit;
const inside = (left, top, at, margin) =>
  left >= -margin && top >= -margin && left <= at.width + margin && top <= at.height + margin;
const admitted = (point) => shown.only === undefined || points.clusters[point] === shown.only;

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
const inTheme = (pair) => pair[dark() ? 1 : 0];

// Colours, and the number of the colour of each point.
function colouring() {
  const colours = (shown.colour === "confidence" ? data.shades : data.colours).map(inTheme);
  const number = {
    cluster: (point) => points.clusters[point] % colours.length,
    // The fourth power: most samples are nearly certain, and it is among those that shades shall differ.
    confidence: (point) => Math.floor((points.confidences[point] / 256) ** 4 * colours.length),
    class: (point) => (points.classes[point] === NONE ? colours.length : points.classes[point] % colours.length),
  }[shown.colour];
  return { colours: [...colours, "#888888"], number };
}

const mixed = Uint32Array.from(points.x, (_, i) => (i * STRIDE) % nPoints);
// The doubtful ones on top: they are what one looks for.
const byConfidence = mixed.slice().sort((a, b) => points.confidences[b] - points.confidences[a]);

function radiusOfDots(at) {
  const room = Math.sqrt((at.width * at.height) / nPoints);
  return Math.min(6, Math.max(1.1, room * 0.13) * Math.min(3, view.zoom ** 0.4));
}

// The pixels of a disc around its centre, and how much of each it covers.
function discOf(radius) {
  const disc = [], reach = Math.ceil(radius);
  for (let down = -reach; down <= reach; down++) {
    for (let right = -reach; right <= reach; right++) {
      const cover = Math.min(1, radius + 0.5 - Math.hypot(right, down));
      if (cover > 0) disc.push([right, down, cover]);
    }
  }
  return disc;
}

const numbersIn = (colour) => colour.match(/\d+(\.\d+)?/g).map(Number);
const rgb = (hex) => [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));

// Pixel by pixel: tens of thousands of points are drawn many times faster than by calls of the canvas.
const cloud = document.createElement("canvas");
function drawCloud(at, ratio, paper) {
  const width = (cloud.width = canvas.width), height = (cloud.height = canvas.height);
  const pen = cloud.getContext("2d"), image = pen.createImageData(width, height), pixels = image.data;
  const [red, green, blue] = numbersIn(paper);
  for (let i = 0; i < pixels.length; i += 4) [pixels[i], pixels[i + 1], pixels[i + 2], pixels[i + 3]] = [red, green, blue, 255];
  const { colours, number } = colouring(), inks = colours.map(rgb), disc = discOf(radiusOfDots(at) * ratio);
  const stamp = (point, opacity) => {
    const ink = inks[number(point)];
    const left = Math.round(leftOf(point, at) * ratio), top = Math.round(topOf(point, at) * ratio);
    for (const [right, down, cover] of disc) {
      const x = left + right, y = top + down;
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const place = 4 * (y * width + x), strength = cover * opacity;
      for (let i = 0; i < 3; i++) pixels[place + i] += (ink[i] - pixels[place + i]) * strength;
    }
  };
  const order = shown.colour === "confidence" ? byConfidence : mixed;
  if (shown.only !== undefined) for (const point of order) if (!admitted(point)) stamp(point, 0.08);
  for (const point of order) if (admitted(point)) stamp(point, 0.85);
  pen.putImageData(image, 0, 0);
}

function circle(left, top, radius, width, colour, inner) {
  context.beginPath();
  context.arc(left, top, radius, 0, 2 * Math.PI);
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.fillStyle = inner || "transparent";
  context.fill();
  context.stroke();
}

function drawModes(at, ink, paper) {
  const numbered = modePoints.length <= MOST_NUMBERED_MODES;
  context.font = "600 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  modePoints.forEach((point, cluster) => {
    if (point === undefined || !admitted(point)) return;
    const left = leftOf(point, at), top = topOf(point, at);
    circle(left, top, numbered ? 9 : 3, 2, inTheme(data.colours[cluster % data.colours.length]), paper);
    context.fillStyle = ink;
    if (numbered) context.fillText(cluster, left, top + 0.5);
  });
}

let stale = true, waiting = false;
function draw() {
  const at = frame(), ratio = window.devicePixelRatio || 1;
  const width = Math.round(at.width * ratio), height = Math.round(at.height * ratio);
  if (!width || !height) return;
  if (canvas.width !== width || canvas.height !== height) {
    [canvas.width, canvas.height] = [width, height];
    stale = true;
  }
  const { color: ink, backgroundColor: paper } = getComputedStyle(stage), radius = radiusOfDots(at);
  if (stale) drawCloud(at, ratio, paper);
  stale = false;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(cloud, 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawModes(at, ink, paper);
  const { hovered, chosen } = shown;
  if (hovered !== undefined) circle(leftOf(hovered, at), topOf(hovered, at), radius + 3, 1.5, ink);
  if (chosen !== undefined) circle(leftOf(chosen, at), topOf(chosen, at), Math.max(radius + 5, 12), 2.5, ink);
}

function redraw(all = true) {
  stale = stale || all;
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

// The point under the pointer: one that can be looked at where there is one, a mode before all others.
function pointAt(left, top) {
  const at = frame();
  let best, least = Infinity;
  const consider = (point, reach, handicap) => {
    const distance = Math.hypot(leftOf(point, at) - left, topOf(point, at) - top);
    if (distance < reach && distance + handicap < least) [best, least] = [point, distance + handicap];
  };
  for (let point = 0; point < nPoints; point++) {
    if (admitted(point)) consider(point, 12, described[point] ? 0 : 5);
  }
  for (const point of modePoints) if (point !== undefined && admitted(point)) consider(point, 10, -12);
  return best;
}

function settle() {
  view.x = Math.min(highX, Math.max(lowX, view.x));
  view.y = Math.min(highY, Math.max(lowY, view.y));
  if (view.zoom === 1) Object.assign(view, middle);
  // A finger scrolls the page until the map is zoomed in; then it moves the map.
  canvas.style.touchAction = view.zoom > 1 ? "none" : "pan-y";
  redraw();
}

function zoomBy(factor, left = canvas.clientWidth / 2, top = canvas.clientHeight / 2) {
  const before = frame();
  view.zoom = Math.min(LARGEST_ZOOM, Math.max(1, view.zoom * factor));
  const shrunk = 1 / before.unit - 1 / frame().unit;
  // What is under the pointer stays there.
  view.x += (left - before.width / 2) * shrunk;
  view.y -= (top - before.height / 2) * shrunk;
  settle();
}

function moveBy(left, top) {
  const { unit } = frame();
  view.x -= left / unit;
  view.y += top / unit;
  settle();
}

function showAll() {
  Object.assign(view, { zoom: 1, ...middle });
  settle();
}

function choose(point) {
  shown.chosen = point;
  showDetails(point);
  if (point !== undefined) bringIntoView(point);
  redraw(false);
}

function bringIntoView(point) {
  const at = frame();
  if (inside(leftOf(point, at), topOf(point, at), at, 0)) return;
  [view.x, view.y] = [points.x[point], points.y[point]];
  settle();
}
