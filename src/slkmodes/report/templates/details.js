// A sample in words and pictures. Everything a user has written goes through textContent.
const detailsPanel = document.getElementById("details");
const WORD_OF_KIND = { images: "picture", text: "text", table: "row", graph: "neighbourhood" };

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function clusterName(cluster) {
  const name = element("span");
  name.append(element("span", undefined, `swatch group-${cluster % data.colours.length}`), `cluster ${cluster}`);
  return name;
}

const signed = (number) => `${number <= -0.05 ? "−" : "+"}${Math.abs(number).toFixed(1)}`;

function featureTable(features) {
  const table = element("table");
  for (const [name, value, deviation] of features) {
    const line = element("tr");
    const size = deviation === null ? "" : `${signed(deviation)} σ`;
    line.append(element("td", name), element("td", value === null ? "–" : String(value)), element("td", size, "note"));
    table.append(line);
  }
  return table;
}

function content(row) {
  const about = aboutRow(row);
  if (!about) return element("p", `The ${WORD_OF_KIND[data.kind]} of this sample is not stored in this file.`, "empty");
  if (about.image) {
    const image = element("img");
    image.src = about.image;
    image.alt = `Sample ${row}`;
    return image;
  }
  if (about.text !== undefined) return element("blockquote", about.text);
  if (about.features) return featureTable(about.features);
  const neighbors = about.neighbors.map(([other, weight]) => `${other} (${weight})`).join(", ");
  return element("p", neighbors ? `Joined to ${neighbors}.` : "Joined to no other sample.");
}

const share = (byte) => (byte / 255).toFixed(2);

function membershipLine(point) {
  const line = element("p", undefined, "note");
  line.append(clusterName(points.clusters[point]), ` · ${share(points.confidences[point])}`);
  if (points.seconds[point] !== NONE && points.others[point] > 1) {  // less would be written as 0.00
    line.append(", then ", clusterName(points.seconds[point]), ` · ${share(points.others[point])}`);
  }
  return line;
}

function className(point) {
  const known = points.classes && points.classes[point] !== NONE;
  return known ? data.class_names[points.classes[point]] : undefined;
}

function showDetails(point) {
  if (point === undefined) {
    detailsPanel.replaceChildren(element("p", "Choose a point to see the sample and the mode of its cluster.", "empty"));
    delete detailsPanel.dataset.row;
    return;
  }
  const row = rowOf(point), cluster = points.clusters[point], mode = data.modes[cluster];
  const sample = element("div"), example = element("div");
  sample.append(element("h3", `Sample ${row}`), membershipLine(point));
  if (className(point) !== undefined) sample.append(element("p", `Known class: ${className(point)}`, "note"));
  sample.append(content(row));
  if (row === mode) example.append(element("p", `It is the mode of cluster ${cluster}.`));
  else example.append(element("h3", `Mode of cluster ${cluster}`), element("p", `Sample ${mode}`, "note"), content(mode));
  detailsPanel.replaceChildren(sample, example);
  detailsPanel.dataset.row = row;
}

const hint = document.getElementById("hint");
const LONGEST_HINT = 90;
const shortened = (text) => (text.length > LONGEST_HINT ? `${text.slice(0, LONGEST_HINT - 1).trimEnd()}…` : text);

function showHint(point, left, top, stage) {
  hint.hidden = point === undefined;
  if (hint.hidden) return;
  const row = rowOf(point), about = aboutRow(row);
  const line = element("span", `${row} · cluster ${points.clusters[point]} · ${share(points.confidences[point])}`);
  hint.replaceChildren(...(about && about.image ? [content(row), line] : [line]));
  if (className(point) !== undefined) hint.append(element("div", className(point), "note"));
  if (about && about.text) hint.append(element("div", shortened(about.text), "note"));
  hint.style.left = `${Math.max(4, Math.min(left + 14, stage.clientWidth - hint.offsetWidth - 4))}px`;
  hint.style.top = `${top + 14 + hint.offsetHeight > stage.clientHeight ? top - hint.offsetHeight - 10 : top + 14}px`;
}
