// Figures as SVG and PNG, tables as CSV, without a network.

export function save(content, type, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function saveCsv(rows, name) {
  const cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = rows.map((row) => row.map((value) => cell(String(value))).join(","));
  save(lines.join("\r\n") + "\r\n", "text/csv;charset=utf-8", `${name}.csv`);
}

export function saveSvg(svg, name) {
  save(serialize(svg), "image/svg+xml", `${name}.svg`);
}

export async function savePng(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(serialize(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  const context = canvas.getContext("2d");
  context.fillStyle = cssColor("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, "image/png", `${name}.png`), "image/png");
}

function serialize(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = svg.viewBox.baseVal;
  if (!copy.getAttribute("width")?.match(/^[\d.]+$/)) {
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
  }
  return new XMLSerializer().serializeToString(copy).replaceAll("currentColor", cssColor("--ink"));
}

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function button(text, label, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}

// buttons under every figure and table of the page
export function addExports(root) {
  for (const figure of root.querySelectorAll("[data-figure]")) {
    const svg = figure.querySelector("svg");
    const name = figure.dataset.figure;
    if (!svg) continue;
    const bar = document.createElement("p");
    bar.className = "save";
    bar.append(
      button("SVG", `Save ${name} as SVG`, () => saveSvg(svg, name)),
      button("PNG", `Save ${name} as PNG`, () => savePng(svg, name)),
    );
    figure.append(bar);
  }
  for (const table of root.querySelectorAll("table[data-table]")) {
    const bar = document.createElement("p");
    bar.className = "save";
    const rows = () => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " ")));
    bar.append(button("CSV", `Save ${table.dataset.table} as CSV`, () => saveCsv(rows(), table.dataset.table)));
    table.parentElement.after(bar);
  }
}
