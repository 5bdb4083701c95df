// What the page knows: typed arrays by point, descriptions by row number of the data.
const data = JSON.parse(document.getElementById("data").textContent);
const NONE = 65535;

function unpack(text, Type) {
  return new Type(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);
}

const points = {
  x: unpack(data.x, Uint16Array),
  y: unpack(data.y, Uint16Array),
  clusters: unpack(data.clusters, Uint16Array),
  seconds: unpack(data.seconds, Uint16Array),
  confidences: unpack(data.confidences, Uint8Array),
  others: unpack(data.others, Uint8Array),
  classes: data.classes && unpack(data.classes, Uint16Array),
  rows: data.rows && unpack(data.rows, Uint32Array),
};
const nPoints = points.x.length;
const pointOfRow = points.rows && new Map(Array.from(points.rows, (row, point) => [row, point]));

const rowOf = (point) => (points.rows ? points.rows[point] : point);
const pointOf = (row) => (pointOfRow ? pointOfRow.get(row) : row >= 0 && row < nPoints ? row : undefined);
const modePoints = data.modes.map((row) => (row === null ? undefined : pointOf(row)));

// Pictures that the page shows anyway are not stored a second time.
const inPage = new Map();
for (const image of document.querySelectorAll("[data-sample] img")) {
  inPage.set(Number(image.parentElement.dataset.sample), image.src);
}

function aboutRow(row) {
  return data.samples[row] || (inPage.has(row) ? { image: inPage.get(row) } : undefined);
}

const described = Uint8Array.from(points.x, (_, point) => (aboutRow(rowOf(point)) ? 1 : 0));
