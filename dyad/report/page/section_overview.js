// SPDX-License-Identifier: BSD-3-Clause
// Overview: what the model is, and which features and pairs matter most.

class Overview {
  static id = "overview";
  static title = "Overview";

  constructor(page) {
    this.page = page;
    this.uses = ["score"];
    this.shown = 15;
    this.bars = new Figure({id: "plot-effects", click: point => this.select(this.effects[point.customdata])});
    this.more = element("button", {
      type: "button",
      class: "more",
      click: () => {
        this.shown *= 2;
        this.draw();
      }
    });
    this.figures = [this.bars];
    this.content = [
      this.sentence(), this.tiles(),
      element(
          "div", {class: "grid uneven"}, element("div", {class: "card"}, this.bars.element, this.more),
          this.classes())
    ];
  }

  sentence() {
    const {model, data, pairs} = this.page.report;
    return element(
        "p", {class: "lead"},
        `This model tells ${plural(model.classes.length, "class", "classes")} apart by ${
            plural(model.n_features, "feature")} ` +
            `and ${
                plural(
                    pairs.length,
                    "pair")} of them. A row's score is a baseline plus one effect of each feature ` +
            `and pair; the figures below show what each of them adds. They are drawn for ${
                plural(data.n_rows, "row")}.`);
  }

  tiles() {
    const {model} = this.page.report;
    return tiles([
      [
        "Method", shown_name(model.method),
        model.preset ? `preset ${shown_name(model.preset)}` : "how terms were chosen"
      ],
      [
        "Effects", count_text(effects_by_importance(this.page.report, 0).length),
        `${plural(this.page.report.pairs.length, "pair")} among them`
      ],
    ]);
  }

  classes() {
    const {report} = this.page;
    const {model, data} = report;
    const columns = [{head: "Class"}, {head: "Fitted to", number: true}];
    if (data.class_counts) columns.push({head: "In this table", number: true});
    return element(
        "div", {class: "card"}, element("h4", {}, "Classes"),
        element("p", {class: "note"}, "Rows of each class."),
        table(
            "Classes and their rows", columns,
            model.classes.map(
                (_, k) =>
                    [class_element(report, k), count_text(model.class_rows[k]),
                     ...(data.class_counts ? [count_text(data.class_counts[k])] : [])])));
  }

  select(effect) {
    if (effect.pair === null)
      this.page.choose({feature: effect.i}, "features");
    else
      this.page.choose({pair: effect.pair}, "pairs");
  }

  draw() {
    const {report, state} = this.page;
    this.effects = effects_by_importance(report, state.score);
    const shown = this.effects.slice(0, this.shown);
    this.more.hidden = this.effects.length <= shown.length;
    this.more.textContent = `Show more (${count_text(this.effects.length - shown.length)})`;
    this.bars.draw({
      title: "What moves the score most",
      note:
          "The mean size of each effect over rows, with 95 % intervals for the choice of rows. Choose a bar to see the feature or pair.",
      summary: this.summary(shown),
      height: 90 + 26 * Math.max(1, shown.length),
      traces: this.traces(shown),
      layout: this.layout(shown),
      table: () => this.numbers(),
    });
  }

  traces(shown) {
    const {report} = this.page;
    const {quiet, alone, together} = colours();
    const trace = (name, colour, is_pair) => {
      const places = shown.map((_, k) => k).filter(k => (shown[k].pair !== null) === is_pair);
      const means = places.map(k => shown[k].importance[0]);
      return {
        type: "bar",
        orientation: "h",
        name,
        y: places,
        x: means,
        customdata: places,
        marker: {color: colour},
        hoverinfo: "text",
        width: 0.68,
        textposition: "none",
        text: places.map(
            k => hover(effect_name(report, shown[k].i, shown[k].j), interval_text(shown[k].importance))),
        error_x: {
          type: "data",
          symmetric: false,
          array: places.map((k, m) => shown[k].importance[2] - means[m]),
          arrayminus: places.map((k, m) => means[m] - shown[k].importance[1]),
          color: quiet,
          thickness: 1,
          width: 3
        },
      };
    };
    return [trace("feature alone", alone, false), trace("pair of features", together, true)].filter(
        t => t.y.length > 0);
  }

  layout(shown) {
    const {report} = this.page;
    const length = is_narrow() ? 9 : 22;
    return {
      barmode: "overlay",
      showlegend: true,
      margin: {t: 36},
      xaxis: axis({title: "mean size of the effect", rangemode: "tozero"}),
      yaxis: axis({
        range: [shown.length - 0.4, -0.6],
        tickmode: "array",
        tickvals: shown.map((_, k) => k),
        showgrid: false,
        zeroline: false,
        ticktext: shown.map(effect => safe(effect_name(report, effect.i, effect.j, length)))
      }),
    };
  }

  summary(shown) {
    const {report} = this.page;
    if (shown.length === 0) return "The model has no terms.";
    const top = shown.slice(0, 3).map(
        effect => `${effect_name(report, effect.i, effect.j, 40)} ${short_number(effect.importance[0])}`);
    return `Bars for ${shown.length} of ${this.effects.length}; the largest: ${top.join("; ")}.`;
  }

  numbers() {
    const {report} = this.page;
    return long_table(
        "Mean size of effects",
        [
          {head: "Feature or pair"}, {head: "Mean", number: true}, {head: "From", number: true},
          {head: "To", number: true}
        ],
        this.effects.map(
            effect =>
                [element(
                     "button", {type: "button", class: "link", click: () => this.select(effect)},
                     effect_element(report, effect.i, effect.j)),
                 ...effect.importance.map(short_number)]),
        30);
  }
}

function interval_text([mean, low, high]) {
  return `${short_number(mean)} (${short_number(low)} to ${short_number(high)})`;
}
