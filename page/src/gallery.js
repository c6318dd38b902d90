// The gallery of patterns: sorted, searched, and one of them selected.

export class Gallery {
  constructor(element, { onSelect }) {
    this.list = element.querySelector("ol");
    this.tiles = [...this.list.children];
    this.note = element.querySelector("[data-role=number]");
    const [search, sort] = ["search", "sort"].map((role) => element.querySelector(`[data-role=${role}]`));
    element.querySelector("[data-role=controls]").hidden = false;
    search.addEventListener("input", () => this.filter(search.value));
    sort.addEventListener("change", () => this.sort(sort.value));
    for (const tile of this.tiles) {
      const select = () => onSelect(Number(tile.dataset.at));
      const button = tile.querySelector("button");
      button.hidden = false;
      tile.classList.add("live");
      tile.addEventListener("click", (event) => event.target.closest("a") || select());
    }
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const tile of this.tiles) {
      const own = tile.dataset.words.toLowerCase();
      tile.hidden = !words.every((word) => own.includes(word));
    }
    const shown = this.tiles.filter((tile) => !tile.hidden).length;
    this.note.textContent = words.length ? `${shown} of ${this.tiles.length} patterns` : "";
  }

  sort(by) {
    const value = (tile) => Number(tile.dataset[by]);
    const sorted = [...this.tiles].sort((a, b) => value(b) - value(a) || a.dataset.at - b.dataset.at);
    this.list.append(...(by === "order" ? this.tiles : sorted));
  }

  mark(at) {
    for (const tile of this.tiles) {
      const selected = Number(tile.dataset.at) === at;
      tile.classList.toggle("selected", selected);
      tile.querySelector("button").setAttribute("aria-pressed", selected);
    }
  }
}
