// Figures for a paper: a drawing, a profile, a table or the graph as SVG and PDF, as it is seen. The
// browser knows places, colours and lines of all that it shows; they are written as lines and letters.

// points of a PDF in a pixel, and how far control points of a quarter of a circle are
const [POINT, BEND] = [0.75, 0.5523];
// letters that the fonts of every PDF reader have beside Latin-1, and their codes there
const WIN_ANSI = { "−": 0x96, "–": 0x96, "—": 0x97, "’": 0x92, "“": 0x93, "”": 0x94, "…": 0x85, "•": 0x95 };
// pixels of a letter that they do not have, in one of the page
const FINE = 8;
const places = (...numbers) => numbers.map((number) => String(Math.round(number * 100) / 100)).join(" ");

// of a text on a page: lines of commands of a path, each with its points
class SvgFigure {
  constructor(width, height) { Object.assign(this, { width, height, parts: [], type: "image/svg+xml", ending: "svg" }); }

  path(commands, { fill, stroke, width, dashes }) {
    const look = (name, color) => color ? ` ${name}="${color.hex}"${color.alpha < 1 ? ` ${name}-opacity="${places(color.alpha)}"` : ""}` : ` ${name}="none"`;
    const line = stroke ? ` stroke-width="${places(width)}"${dashes.length ? ` stroke-dasharray="${places(...dashes)}"` : ""}` : "";
    this.parts.push(`<path d="${commands.map(([letter, ...points]) => letter + places(...points)).join("")}"${look("fill", fill)}${look("stroke", stroke)}${line}/>`);
  }

  text(text, { x, y, width, size, isBold, color }) {
    const safe = text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
    this.parts.push(`<text x="${places(x)}" y="${places(y)}" font-family="Helvetica, Arial, sans-serif" font-size="${places(size)}"${isBold ? ' font-weight="700"' : ""} fill="${color.hex}"${color.alpha < 1 ? ` fill-opacity="${places(color.alpha)}"` : ""} textLength="${places(width)}" lengthAdjust="spacingAndGlyphs">${safe}</text>`);
  }

  get content() {
    const [width, height] = [places(this.width), places(this.height)];
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${this.parts.join("")}</svg>`;
  }
}

// a page of a PDF (ISO 32000), without compression
class PdfFigure {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], alphas: [1], type: "application/pdf", ending: "pdf" });
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  // colours of lines and areas
  state(color, letters) {
    const parts = [1, 3, 5].map((at) => parseInt(color.hex.slice(at, at + 2), 16) / 255);
    if (!this.alphas.includes(color.alpha)) this.alphas.push(color.alpha);
    return `/A${this.alphas.indexOf(color.alpha)} gs ${places(...parts)} ${letters}`;
  }

  path(commands, { fill, stroke, width, dashes }) {
    const shape = commands.map(([letter, ...points]) => `${places(...points)} ${{ M: "m", L: "l", C: "c", Z: "h" }[letter]}`).join(" ");
    if (fill) this.parts.push(`${this.state(fill, "rg")} ${shape} f`);
    if (stroke) this.parts.push(`${this.state(stroke, "RG")} ${places(width)} w [${places(...dashes)}] 0 d ${shape} S`);
  }

  text(text, { x, y, width, size, isBold, color }) {
    const codes = [...text].map((letter) => WIN_ANSI[letter] ?? (letter.charCodeAt(0) < 256 && letter.length === 1 ? letter.charCodeAt(0) : -1));
    if (codes.includes(-1)) { this.stencil(text, { x, y, width, size, isBold, color }); return; }
    this.ruler.font = `${isBold ? 700 : 400} ${size}px Helvetica, Arial, "Liberation Sans"`;
    const wide = 100 * width / (this.ruler.measureText(text).width || width);
    const octal = codes.map((code) => `\\${code.toString(8).padStart(3, "0")}`).join("");
    this.parts.push(`BT ${this.state(color, "rg")} /${isBold ? "B" : "R"} ${places(size)} Tf ${places(wide)} Tz 1 0 0 -1 ${places(x, y)} Tm (${octal}) Tj ET`);
  }

  // letters that a font without more than Latin-1 does not have, as a fine stencil
  stencil(text, { x, y, width, size, isBold, color }) {
    const [columns, rows] = [8 * Math.ceil((FINE * width + 8) / 8), Math.ceil(FINE * size * 1.5)];
    const canvas = make("canvas", { width: columns, height: rows });
    const context = canvas.getContext("2d");
    context.font = `${isBold ? 700 : 400} ${FINE * size}px ${getComputedStyle(document.body).fontFamily}`;
    context.scale(FINE * width / (context.measureText(text).width || 1), 1);
    context.fillText(text, 0, FINE * size * 1.1);
    const { data } = context.getImageData(0, 0, columns, rows);
    let hex = "";
    for (let at = 0; at < columns * rows; at += 8) {
      let byte = 0;
      for (let bit = 0; bit < 8; bit++) byte = 2 * byte + (data[4 * (at + bit) + 3] < 128 ? 1 : 0);
      hex += byte.toString(16).padStart(2, "0");
    }
    const [wide, high] = [columns / FINE, rows / FINE];
    this.parts.push(`q ${this.state(color, "rg")} ${places(wide)} 0 0 ${places(-high)} ${places(x, y - 1.1 * size + high)} cm BI /W ${columns} /H ${rows} /IM true /BPC 1 /F /AHx ID ${hex}> EI Q`);
  }

  get content() {
    const size = [POINT * this.width, POINT * this.height];
    const drawn = `${places(POINT)} 0 0 ${places(-POINT)} 0 ${places(size[1])} cm\n${this.parts.join("\n")}`;
    const states = this.alphas.map((alpha, at) => `/A${at} << /ca ${places(alpha)} /CA ${places(alpha)} >>`).join(" ");
    const font = (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${places(...size)}] /Contents 4 0 R /Resources << /Font << /R 5 0 R /B 6 0 R >> /ExtGState << ${states} >> >> >>`,
      `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      font("Helvetica"),
      font("Helvetica-Bold"),
    ];
    let text = "%PDF-1.4\n";
    const offsets = objects.map((object, at) => {
      const start = text.length;
      text += `${at + 1} 0 obj\n${object}\nendobj\n`;
      return `${String(start).padStart(10, "0")} 00000 n \n`;
    });
    return `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  }
}

// a colour as the browser computes it; null for none
function colorOf(text, opacity) {
  const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g)?.map(Number) ?? [];
  if (!text.startsWith("rgb") || alpha * opacity === 0) return null;
  return { hex: `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`, alpha: alpha * opacity };
}

function circle(x, y, r) {
  const bend = BEND * r;
  return [["M", x + r, y], ["C", x + r, y + bend, x + bend, y + r, x, y + r], ["C", x - bend, y + r, x - r, y + bend, x - r, y],
    ["C", x - r, y - bend, x - bend, y - r, x, y - r], ["C", x + bend, y - r, x + r, y - bend, x + r, y], ["Z"]];
}

const rectangle = (x, y, width, height) => [["M", x, y], ["L", x + width, y], ["L", x + width, y + height], ["L", x, y + height], ["Z"]];

// the outline of a shape as moves, lines and curves to points
function outline(shape) {
  const value = (name) => shape[name].baseVal.value;
  if (shape.tagName === "circle") return circle(value("cx"), value("cy"), value("r"));
  if (shape.tagName === "rect") return rectangle(value("x"), value("y"), value("width"), value("height"));
  const tokens = shape.getAttribute("d")?.match(/[A-Za-z]|-?[\d.]+(?:e-?\d+)?/g) ?? [];
  const commands = [];
  let [x, y, letter] = [0, 0, "M"];
  while (tokens.length) {
    if (/[A-Za-z]/.test(tokens[0])) letter = tokens.shift();
    const upper = letter.toUpperCase();
    if (upper === "Z") { commands.push(["Z"]); continue; }
    const own = tokens.splice(0, { M: 2, L: 2, H: 1, V: 1, Q: 4, C: 6 }[upper]).map(Number);
    if (upper === "H") own.push(letter === "h" ? 0 : y);
    if (upper === "V") own.unshift(letter === "v" ? 0 : x);
    const points = own.map((number, at) => number + (letter === upper ? 0 : at % 2 ? y : x));
    if (upper === "Q") {
      // the same curve by two control points
      const [a, b, u, v] = points;
      commands.push(["C", (x + 2 * a) / 3, (y + 2 * b) / 3, (u + 2 * a) / 3, (v + 2 * b) / 3, u, v]);
    } else commands.push([upper === "M" || upper === "C" ? upper : "L", ...points]);
    [x, y] = points.slice(-2);
    if (upper === "M") letter = letter === "m" ? "l" : "L";
  }
  return commands;
}

// all that is seen of an element: shapes of drawings, letters, and lines and grounds of cells
class FigureReader {
  constructor(root, figure) {
    Object.assign(this, { figure, box: root.getBoundingClientRect() });
    this.ruler = document.createElement("canvas").getContext("2d");
    this.read(root, 1);
  }

  read(node, opacity) {
    if (node.nodeType === Node.TEXT_NODE) { this.letters(node, opacity); return; }
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("title, tr.more")) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden") return;
    const seen = opacity * Number(style.opacity);
    if (node instanceof SVGGeometryElement) this.shape(node, style, seen);
    else if (node instanceof HTMLElement) this.cell(node, style, seen);
    for (const child of node.childNodes) this.read(child, seen);
  }

  shape(shape, style, opacity) {
    const m = shape.getScreenCTM();
    const scale = Math.sqrt(Math.abs(m.a * m.d - m.b * m.c));
    const { box } = this;
    const commands = outline(shape).map(([letter, ...points]) => [letter, ...points.map((number, at) => at % 2
      ? m.b * points[at - 1] + m.d * number + m.f - box.top
      : m.a * number + m.c * points[at + 1] + m.e - box.left)]);
    const fill = colorOf(style.fill, opacity * Number(style.fillOpacity));
    const stroke = colorOf(style.stroke, opacity * Number(style.strokeOpacity));
    const dashes = (style.strokeDasharray.match(/[\d.]+/g) ?? []).map((part) => scale * part);
    if (fill || stroke) this.figure.path(commands, { fill, stroke, width: scale * parseFloat(style.strokeWidth), dashes });
  }

  cell(element, style, opacity) {
    const own = element.getBoundingClientRect();
    const [left, top] = [own.left - this.box.left, own.top - this.box.top];
    // the ground of a row that is selected is none of a figure
    const ground = element.closest("td, th, tr") === element ? null : colorOf(style.backgroundColor, opacity);
    if (ground) this.figure.path(rectangle(left, top, own.width, own.height), { fill: ground, stroke: null, dashes: [] });
    const width = parseFloat(style.borderBottomWidth);
    const line = width && element.matches("td, th") ? colorOf(style.borderBottomColor, opacity) : null;
    if (line) this.figure.path([["M", left, top + own.height], ["L", left + own.width, top + own.height]], { fill: null, stroke: line, width, dashes: [] });
  }

  letters(node, opacity) {
    const element = node.parentElement;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    const color = colorOf(isDrawn ? style.fill : style.color, opacity);
    if (!color || !node.data.trim()) return;
    const m = isDrawn ? element.getScreenCTM() : null;
    const size = parseFloat(style.fontSize) * (m ? Math.sqrt(Math.abs(m.a * m.d - m.b * m.c)) : 1);
    const range = document.createRange();
    const lines = [];
    // letters of a line have the same top
    for (let at = 0; at < node.length; at++) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const place = range.getClientRects()[0];
      if (!place) continue;
      const last = lines.at(-1);
      // a space has no width of its own where a line begins or ends
      const isSpace = !node.data[at].trim();
      if (last && Math.abs(last.top - place.top) < size / 2 && place.left >= last.left) {
        last.text += node.data[at];
        if (!isSpace) last.right = place.right;
      } else if (!isSpace) lines.push({ text: node.data[at], left: place.left, right: place.right, top: place.top, bottom: place.bottom });
    }
    this.ruler.font = `${style.fontWeight} ${size}px ${style.fontFamily}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = this.ruler.measureText("A");
    for (const line of lines) {
      const text = line.text.replace(/\s+/g, " ").trim();
      if (!text) continue;
      this.figure.text(text, {
        x: line.left - this.box.left, y: line.top - this.box.top + (line.bottom - line.top) * above / (above + below),
        width: line.right - line.left, size, isBold: Number(style.fontWeight) >= 600, color,
      });
    }
  }
}

// what a call makes while the page has the colours of a light one
function inLight(call) {
  const root = document.documentElement;
  const before = [DARK_RULE.media.mediaText, root.style.colorScheme];
  const change = (rule, scheme) => {
    [DARK_RULE.media.mediaText, root.style.colorScheme] = [rule, scheme];
    window.dispatchEvent(new Event("scheme"));
  };
  change("not all", "light");
  try { return call(); } finally { change(...before); }
}

// what is seen of an element, as a figure
const figureOf = (element, Figure) => inLight(() => {
  const { width, height } = element.getBoundingClientRect();
  const figure = new Figure(width, height);
  new FigureReader(element, figure);
  return figure;
});

// the same of an SVG that is not on the page, whose text a call makes
const figureOfSvg = (draw, Figure) => inLight(() => {
  const svg = document.importNode(new DOMParser().parseFromString(draw(), "image/svg+xml").documentElement, true);
  const holder = make("div", { style: "position: absolute; left: -9999px; top: 0" }, svg);
  document.body.append(holder);
  const figure = figureOf(svg, Figure);
  holder.remove();
  return figure;
});

const saveFigure = (figure, name) => save(figure.content, figure.type, `${name}.${figure.ending}`);

// a button for each format; `find` gives the element when it is pressed
function figureButtons(find, name, what) {
  return [SvgFigure, PdfFigure].map((Figure) => {
    const label = Figure === SvgFigure ? "SVG" : "PDF";
    return make("button", { type: "button", class: "figure-button", "aria-label": `Save the ${what} as ${label}`,
      click: () => saveFigure(figureOf(find(), Figure), name) }, label);
  });
}

function startFigures() {
  for (const button of $$("button[data-table]"))
    button.after(...figureButtons(() => $(button.dataset.table), button.dataset.name.replace(/\.csv$/, ""), "table"));
  $$("figure").filter((figure) => $("svg.profile, svg.profiles", figure)).forEach((figure, at) =>
    figure.append(make("p", { class: "bar-top" }, ...figureButtons(() => $("svg", figure), at ? `profile_${at + 1}` : "profile", "profile"))));
  for (const button of $$("button[data-copy]"))
    button.addEventListener("click", async () => {
      const text = button.dataset.copy;
      try { await navigator.clipboard.writeText(text); } catch { copyBySelection(text); }
      button.dataset.label ??= button.textContent;
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
    });
}

// where a page may not write to the clipboard, as in the frame of a notebook
function copyBySelection(text) {
  const area = make("textarea", { style: "position: fixed; opacity: 0" });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
