// The page of the occurrences of a pattern of events: its rows are sorted and searched, and the one
// that is selected is drawn where the pattern was, with a time line and its events.

// pixels of the time line: of the number of an event, beside its ends, and of a line of events that
// are too near to each other
const EVENT = { radius: 9, margin: 16, step: 21 };
// letters of a name or an amount in the drawing
const MOST_LETTERS = 18;
const svgElement = (tag, attributes, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};
const shorten = (text) => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;

class Occurrences {
  constructor(record) {
    Object.assign(this, record, { selected: 0 });
    this.body = $("#t-o tbody");
    this.rows = $$("tr", this.body);
    this.pattern = $("#pattern svg");
    $$("#t-o thead th").forEach((head, column) => this.makeSortable(head, column));
    for (const row of this.rows)
      row.addEventListener("click", () => this.select(Number(row.dataset.occurrence), true));
    $("#find").addEventListener("input", () => this.find());
    for (const button of $$("button[data-name-of]"))
      button.addEventListener("click", () => { $("#find").value = button.dataset.nameOf; this.find(); });
    for (const [id, by] of [["#before", -1], ["#after", 1]])
      $(id).addEventListener("click", () => this.step(by));
    new ResizeObserver(() => this.drawTimes()).observe($("#times"));
    this.select(0);
  }

  // numbers begin with the largest, texts with the first
  makeSortable(head, column) {
    const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.replaceChildren(button);
    head.setAttribute("aria-sort", column ? "none" : "ascending");
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      for (const other of $$("#t-o [aria-sort]")) other.setAttribute("aria-sort", "none");
      const isNumber = this.occurrences.every(({ sort }) => typeof sort[column] !== "string");
      const falls = before === "none" ? isNumber && column > 0 : before === "ascending";
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const key = (row) => this.occurrences[row.dataset.occurrence].sort[column];
      this.rows.sort((a, b) => {
        const [first, second] = [key(a), key(b)];
        // what is not known is last
        if (first === null || second === null) return (first === null) - (second === null);
        return (first < second ? -1 : first > second ? 1 : 0) * (falls ? -1 : 1);
      });
      this.body.append(...this.rows);
    });
  }

  find() {
    const wanted = $("#find").value.trim().toLowerCase();
    for (const row of this.rows) {
      const { nodes, cells } = this.occurrences[row.dataset.occurrence];
      const texts = [row.textContent, ...nodes, ...cells.flat()];
      row.hidden = Boolean(wanted) && !texts.some((text) => text.toLowerCase().includes(wanted));
    }
    const shown = this.shown;
    $("#found").textContent = wanted ? plural(shown.length, "occurrence") : "";
    if (shown.length && !shown.some((row) => Number(row.dataset.occurrence) === this.selected))
      this.select(Number(shown[0].dataset.occurrence));
  }

  get shown() { return this.rows.filter((row) => !row.hidden); }

  // to the next row, or the one before, as they are sorted
  step(by) {
    const numbers = this.shown.map((row) => Number(row.dataset.occurrence));
    const next = numbers[numbers.indexOf(this.selected) + by];
    if (next !== undefined) this.select(next);
  }

  select(number, jump = false) {
    this.selected = number;
    for (const row of this.rows) {
      const on = Number(row.dataset.occurrence) === number;
      row.classList.toggle("on", on);
      $("button.name", row).setAttribute("aria-pressed", on);
    }
    const one = this.occurrences[number];
    $("#which").textContent = `Occurrence ${number}`;
    // 1. the pattern, with who and how much
    const drawing = this.pattern.cloneNode(true);
    for (const [kind, texts] of [["node", one.nodes], ["edge", one.amounts]])
      texts.forEach((text, at) => {
        const element = $(`[data-${kind}="${at}"]`, drawing);
        element.replaceChildren(shorten(text), svgElement("title", {}, text));
      });
    drawing.setAttribute("aria-label", one.ends.map(([from, to]) => `${from} to ${to}`).join(", then "));
    $("#drawing").replaceChildren(drawing);
    // 2. its events
    const cell = (text, title, left) => make("td", { "data-title": title, class: left ? "" : "n" }, text);
    $("#events tbody").replaceChildren(...one.cells.map((cells, at) => make("tr", {},
      cell(String(at + 1), "", false), ...one.ends[at].map((text, end) => cell(text, this.ends[end], true)),
      ...cells.map((text, column) => cell(text, this.columns[column].title, this.columns[column].left)))));
    this.drawTimes();
    if (jump && isNarrow()) $("#graph").scrollIntoView({ block: "start" });
  }

  // the window from the first event on, and the events in it
  drawTimes() {
    const box = $("#times");
    const width = box.clientWidth;
    if (!width) return;
    const { since, times, gaps, duration } = this.occurrences[this.selected];
    const last = Math.max(...since);
    const scale = (width - 2 * EVENT.margin) / (this.window || last || 1);
    const x = (at) => EVENT.margin + since[at] * scale;
    const order = [...since.keys()].sort((a, b) => since[a] - since[b]);
    // 1. events that would cover each other are one below the other
    const lane = [];
    order.forEach((at, place) => {
      const before = order[place - 1];
      lane[at] = place && x(at) - x(before) < EVENT.step ? lane[before] + 1 : 0;
    });
    const axis = 30;
    const below = axis + EVENT.step * Math.max(...lane) + 28;
    const svg = svgElement("svg", { width, height: below + 8, viewBox: `0 0 ${width} ${below + 8}`, role: "img", "aria-label": `Times: ${times.join(", ")}` });
    const text = (content, left, top, anchor = "middle") => svg.append(svgElement("text", {
      x: left, y: top, "text-anchor": anchor, "font-size": 12, fill: "var(--soft)",
    }, content));
    const line = (from, to, color, thick) => svg.append(svgElement("line", {
      x1: from, y1: axis, x2: to, y2: axis, stroke: `var(--${color})`, "stroke-width": thick,
    }));
    // 2. the window, and what of it the occurrence takes
    line(EVENT.margin, width - EVENT.margin, "rule-2", 2);
    line(EVENT.margin, EVENT.margin + last * scale, "m0", 4);
    // 3. how long it is between two events, where there is room
    gaps.forEach((gap, place) => {
      const [from, to] = [x(order[place]), x(order[place + 1])];
      if (to - from > 8 * gap.length + 2 * EVENT.radius) text(gap, (from + to) / 2, axis - 10);
    });
    for (const at of order) {
      const top = axis + lane[at] * EVENT.step;
      svg.append(svgElement("circle", { cx: x(at), cy: top, r: EVENT.radius, fill: "var(--m0)" }));
      svg.append(svgElement("text", { x: x(at), y: top + 4, "text-anchor": "middle", "font-size": 12, "font-weight": 650, fill: "var(--t0)" }, String(at + 1)));
    }
    text(times[order[0]], 0, below, "start");
    text(`${duration} of ${box.dataset.window}`, width, below, "end");
    box.replaceChildren(svg);
  }
}

async function startOccurrences() {
  document.body.classList.add("live");
  const record = await readRecord();
  if (record?.occurrences.length) window.gomkcnOccurrences = new Occurrences(record);
}

startOccurrences();
