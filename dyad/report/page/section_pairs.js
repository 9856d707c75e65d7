// SPDX-License-Identifier: BSD-3-Clause
// Pairs: what two features add together, how their values lie in each class, and why the pair was kept.

class Pairs {
  static id = "pairs";
  static title = "Pairs";

  constructor(page) {
    this.page = page;
    this.uses = ["score", "pair"];
    this.against = -1;
    if (page.report.pairs.length === 0) {
      this.figures = [];
      this.content = [element("p", {class: "lead"}, "This model has no pairs: each feature acts alone.")];
      return;
    }
    this.score = new Figure({id: "plot-surface", height: 360});
    this.ratio = new Figure({id: "plot-ratio", height: 360});
    this.densities =
        page.report.model.classes.map((_, k) => new Figure({id: `plot-density-${k}`, height: 340}));
    this.figures = [this.score, this.ratio, ...this.densities];
    this.picker = new Picker({
      search: "Search pairs",
      name: "Pairs, most important first",
      items: words => this.items(words),
      choose: pair => page.choose({pair})
    });
    this.head = element("div", {class: "head"});
    this.facts = element("div", {class: "card"});
    this.absent = element("p", {class: "card"});
    this.controls = element("div", {class: "controls"}, this.reference_control());
    this.maps = element(
        "div", {class: "grid"}, element("div", {class: "card"}, this.score.element),
        element("div", {class: "card"}, this.ratio.element),
        this.densities.map(figure => element("div", {class: "card"}, figure.element)));
    this.content = [element(
        "div", {class: "split"}, this.picker.element,
        element("div", {class: "view"}, this.head, this.facts, this.absent, this.controls, this.maps))];
  }

  /** With more than two classes: what the chosen class is compared with. */
  reference_control() {
    const {classes} = this.page.report.model;
    if (classes.length === 2) return [];
    const control = select_control(
        "Compare its density with",
        [{value: -1, name: "mean of the other classes"}, ...classes.map((name, value) => ({value, name}))],
        -1, against => {
          this.against = against;
          this.draw_maps();
        });
    this.reference = control.querySelector("select");
    return control;
  }

  /** The chosen class is not compared with itself. */
  leave_out_chosen() {
    if (!this.reference) return;
    const chosen = score_class(this.page.report, this.page.state.score);
    if (this.against === chosen) this.against = -1;
    for (const option of this.reference.options)
      option.hidden = option.disabled = Number(option.value) === chosen;
    this.reference.value = this.against;
  }

  get pair() { return this.page.report.pairs[this.page.state.pair]; }

  items(words) {
    const {report, state} = this.page;
    const order = order_by(report.pairs.length, p => report.pairs[p].importance[state.score][0]);
    const largest = report.pairs[order[0]].importance[state.score][0] || 1;
    return order.map(p => ({p, pair: report.pairs[p]}))
        .filter(({pair}) => words.length === 0 || fits(effect_name(report, pair.i, pair.j), words))
        .map(({p, pair}) => ({
               key: p,
               name: effect_name(report, pair.i, pair.j, 15),
               title: effect_name(report, pair.i, pair.j),
               share: pair.importance[state.score][0] / largest,
               note: short_number(pair.importance[state.score][0])
             }));
  }

  draw() {
    if (this.figures.length === 0) return;
    const {report, state} = this.page;
    const pair = this.pair;
    this.picker.draw(state.pair);
    const link = i => element(
        "button", {type: "button", class: "link", click: () => this.page.choose({feature: i}, "features")},
        name_element(report.features[i].name, 60));
    this.head.replaceChildren(
        element("h3", {}, link(pair.i), " × ", link(pair.j)),
        element(
            "p", {class: "facts"},
            `Together they move the score by ${
                interval_text(pair.importance[state.score])} on average, beyond what each adds alone.`));
    this.facts.replaceChildren(...this.kept());
    this.absent.hidden = pair.surface !== null;
    this.absent.textContent =
        "The maps of this pair are not part of this page, to keep it small. To have them, make the report with a " +
        "larger --max-megabytes.";
    this.maps.hidden = pair.surface === null;
    this.controls.hidden = pair.surface === null;
    this.leave_out_chosen();
    this.draw_maps();
  }

  /** In which classes the pair was kept and why: a sentence for each, and the numbers. */
  kept() {
    const {report, state} = this.page;
    const pair = this.pair;
    const test = k => [pair.hsic[k] === null ? null : `HSIC ${short_number(pair.hsic[k])}`,
                       pair.q[k] === null ? null : `q ${chance_text(pair.q[k])}`]
                          .filter(text => text)
                          .join(", ");
    const sentence = k => element(
        "li", {}, "In class ", class_element(report, k), kept_words(pair, k),
        test(k) ? ` (${test(k)}).` : ".");
    const weight = k => (pair.weights[k] === null ? "–" : short_number(pair.weights[k][state.score]));
    return [
      element("h4", {}, "Where it was kept"),
      element("ul", {class: "plain-list"}, report.model.classes.map((_, k) => sentence(k))),
      table(
          "The pair in each class",
          [
            {head: "Class"}, {head: "HSIC", number: true}, {head: "q", number: true},
            {head: "Weight of log p", number: true}
          ],
          report.model.classes.map(
              (_, k) =>
                  [class_element(report, k), short_number(pair.hsic[k]), chance_text(pair.q[k]), weight(k)]))
    ];
  }

  draw_maps() {
    const {report, state} = this.page;
    const pair = this.pair;
    if (pair.surface === null) return;
    const scores = unpack(pair.surface.scores[state.score]);
    const speaks = shorten(report.model.classes[score_class(report, state.score)], 32);
    this.score.draw({
      title: "What only both together add to the score",
      note: `Orange speaks for class ${speaks}, blue against it; cells without training rows are pale.` +
          [pair.i, pair.j].map(i => unnamed_words(report.features[i])).join(""),
      summary: map_summary(report, pair, scores),
      table: () => map_table(report, pair, scores),
      ...map_picture(
          report, pair, scores,
          {range: symmetric_range([scores]), scale: "score", what: "score", veiled: true}),
    });
    this.draw_ratio(pair);
    draw_density_maps(report, pair, this.densities);
  }

  draw_ratio(pair) {
    const {report, state} = this.page;
    const chosen = score_class(report, state.score);
    const lists = pair.surface.log_densities.map(unpack);
    const others = this.against >= 0 ? [this.against] : lists.map((_, k) => k).filter(k => k !== chosen);
    const values = lists[chosen].map((value, at) => {
      const compared = others.map(k => lists[k][at]);
      if (value === null || compared.includes(null)) return null;
      return value - compared.reduce((a, b) => a + b, 0) / compared.length;
    });
    const [one, other] = [chosen, others[0]].map(k => shorten(report.model.classes[k], 24));
    this.ratio.draw({
      title: others.length > 1 ? `Where class ${one} is more usual than others` :
                                 `Where class ${one} is more usual than ${other}`,
      note:
          "Log of the ratio of densities: orange where more usual, blue where less. It does not know the weights.",
      summary: map_summary(report, pair, values),
      table: () => map_table(report, pair, values),
      ...map_picture(report, pair, values, {
        range: symmetric_range([values.map(v => v && Math.max(-10, Math.min(10, v)))]),
        scale: "score",
        what: "log ratio",
        veiled: true
      }),
    });
  }
}

/** Pairs may be kept although their dependence is weak, if that did better on rows held out. */
function kept_words(pair, k) {
  if (!pair.kept[k]) return " taken as independent";
  if (pair.q[k] === null) return " kept";
  return pair.q[k] > 0.1 ? " kept, though its features hardly depend on each other" :
                           " kept: its features depend on each other";
}
