// SPDX-License-Identifier: BSD-3-Clause
// Figures: colours of the two themes, text made safe for Plotly, and a figure with its words and its numbers.

/** Colours that people with colour blindness tell apart (Okabe and Ito), made lighter for dark pages. */
const class_colours = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a8212", "#555555"],
  dark: ["#56b4e9", "#f08a3c", "#2fbf95", "#e29cc4", "#8fd0f5", "#f2bd4b", "#f0e442", "#bbbbbb"],
};

const page_colours = {
  light: {
    text: "#1f2933",
    quiet: "#5f6b7a",
    line: "#d9dee5",
    grid: "#eceff3",
    card: "#ffffff",
    minus: "#0072b2",
    plus: "#d55e00",
    alone: "#94a3b5",
    together: "#2f7c88",
    score: [
      [0, "#084d7a"], [0.25, "#4a97c9"], [0.45, "#cfe3f0"], [0.5, "#f7f7f7"], [0.55, "#fbdcc4"],
      [0.75, "#e8853f"], [1, "#a34300"]
    ],
    density: [[0, "#f7f9fb"], [0.3, "#cfe0e6"], [0.6, "#6fa9b3"], [0.8, "#2f7c88"], [1, "#0c4a56"]],
  },
  dark: {
    text: "#e4e8ee",
    quiet: "#a0acbb",
    line: "#3a4350",
    grid: "#2a313b",
    card: "#1b2027",
    minus: "#56b4e9",
    plus: "#f08a3c",
    alone: "#6b7a8d",
    together: "#58aab4",
    score: [
      [0, "#8fd0f5"], [0.25, "#3c86b5"], [0.45, "#23384a"], [0.5, "#20262e"], [0.55, "#45301f"],
      [0.75, "#c2682a"], [1, "#ffb27a"]
    ],
    density: [[0, "#1d232a"], [0.3, "#213f48"], [0.6, "#2f7480"], [0.8, "#58aab4"], [1, "#c8f0ee"]],
  },
};

const fonts =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif";

/** The theme in use; paper is always light. */
function theme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function colours() { return page_colours[theme()]; }

function class_colour(k) { return class_colours[theme()][k % 8]; }

/** The colour with an opacity of 0 to 1. */
function faded(colour, opacity) { return colour + Math.round(255 * opacity).toString(16).padStart(2, "0"); }

function is_narrow() { return matchMedia("(max-width: 640px)").matches; }

/** Text that Plotly shows letter by letter: it reads some HTML, and formulas between dollars, otherwise. */
function safe(text) {
  return String(text)
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll("$", "&#36;");
}

/** Safe text in lines of at most `width` characters. */
function safe_lines(text, width = 48) {
  const characters = Array.from(String(text));
  const lines = [];
  for (let k = 0; k < characters.length; k += width)
    lines.push(safe(characters.slice(k, k + width).join("")));
  return lines.join("<br>");
}

/** What is shown on hover, of lines that are plain text. */
function hover(...lines) { return lines.map(line => safe_lines(line)).join("<br>"); }

/** An axis of the page's look. */
function axis(options = {}) {
  const {line, grid, quiet} = colours();
  const {title, ...others} = options;
  return {
    gridcolor: grid,
    zerolinecolor: line,
    linecolor: line,
    tickfont: {color: quiet, size: 12},
    automargin: true,
    title: title ? {text: safe(title), font: {color: quiet, size: 13}, standoff: 10} : undefined,
    ...others
  };
}

/** An axis of a feature's positions with its values as ticks. */
function feature_axis(feature, options = {}) {
  const count = options.ticks ?? (is_narrow() ? 4 : 6);
  const {values, names} = feature_ticks(feature, count, options.length ?? 12);
  const crowded = feature.kind === "category" && names.length > 12;
  const {ticks: _, length: __, ...others} = options;
  return axis({
    tickmode: "array",
    tickvals: values,
    ticktext: names.map(safe),
    zeroline: false,
    title: shorten(feature.name, is_narrow() ? 24 : 40),
    ...(crowded ? {tickfont: {color: colours().quiet, size: names.length > 24 ? 9 : 11}} : {}),
    ...others
  });
}

function base_layout(height) {
  const {text, card, line} = colours();
  return {
    height,
    autosize: true,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    dragmode: false,
    font: {family: fonts, size: 13, color: text},
    margin: {l: 48, r: 12, t: 10, b: 40},
    showlegend: false,
    hoverlabel:
        {bgcolor: card, bordercolor: line, font: {family: fonts, size: 13, color: text}, align: "left"},
    legend: {
      orientation: "h",
      x: 0,
      y: 1.02,
      yanchor: "bottom",
      font: {size: 12},
      itemclick: false,
      itemdoubleclick: false
    },
    hovermode: "closest",
    bargap: 0.25,
  };
}

/** Fingers have no hover: there Plotly would lay its tool bar over the picture for good. */
const plot_settings = {
  displayModeBar: matchMedia("(hover: hover)").matches ? "hover" : false,
  displaylogo: false,
  responsive: true,
  modeBarButtons: [["zoom2d", "resetScale2d", "toImage"]],
  toImageButtonOptions: {filename: "dyad_report", scale: 2},
};

/** A figure: its title in plain words, a note, the picture with a summary to be read out, and its numbers. */
class Figure {
  constructor({id, height = 320, click = null}) {
    Object.assign(this, {height, click, started: false, table: null});
    this.title = element("h4", {});
    this.note = element("p", {class: "note"});
    this.plot = element("div", {class: "plot", id, role: "img"});
    this.plot.style.minHeight = `${height}px`;
    this.numbers = element("div", {class: "numbers"});
    this.details =
        element("details", {toggle: () => this.fill()}, element("summary", {}, "Numbers"), this.numbers);
    this.element =
        element("figure", {}, element("figcaption", {}, this.title, this.note), this.plot, this.details);
  }

  /** Draws traces; `table` makes the element with the numbers when somebody opens them. */
  draw({title, note = "", summary, traces, layout = {}, height = this.height, table: numbers}) {
    this.title.textContent = title;
    this.note.textContent = note;
    this.note.hidden = note === "";
    this.plot.setAttribute("aria-label", `${title}. ${summary}`);
    this.plot.style.minHeight = `${height}px`;
    this.table = numbers;
    this.details.hidden = !numbers;
    this.fill();
    const base = base_layout(height);
    Plotly.react(
        this.plot, traces, {
          ...base,
          ...layout,
          margin: {...base.margin, ...layout.margin},
          legend: {...base.legend, ...layout.legend}
        },
        plot_settings);
    if (!this.started && this.click) this.plot.on("plotly_click", event => this.click(event.points[0]));
    this.started = true;
  }

  fill() {
    if (this.details.open && this.table)
      this.numbers.replaceChildren(this.table());
    else
      this.numbers.replaceChildren();
  }

  /** Fits the picture to a width in pixels, or to its place if none is given. */
  fit(width) {
    if (this.started)
      Plotly.relayout(this.plot, width ? {width, autosize: false} : {width: undefined, autosize: true});
  }
}
