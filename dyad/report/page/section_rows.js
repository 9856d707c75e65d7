// SPDX-License-Identifier: BSD-3-Clause
// Rows: how the prediction of one row comes about, and what would change it.

const reasons = {
  chosen: "one of those asked for",
  wrong: "predicted wrong",
  close: "a close call",
  other: "one of several evenly spaced rows"
};
const bars_shown = 12;

class Rows {
  static id = "rows";
  static title = "Rows";

  constructor(page) {
    this.page = page;
    this.uses = ["score", "row"];
    const {report} = page;
    if (report.rows.length === 0) {
      this.figures = [];
      this.content = [element("p", {class: "lead"}, "This report has no single rows.")];
      return;
    }
    this.waterfall = new Figure({id: "plot-waterfall"});
    this.figures = [this.waterfall];
    this.maps = [];
    this.picker = new Picker({
      search: "Search rows",
      name: "Rows",
      items: words => this.items(words),
      choose: row => page.choose({row}),
      shown: 14
    });
    this.head = element("div", {class: "head"});
    this.previous =
        element("button", {type: "button", class: "plain", click: () => this.step(-1)}, "Previous");
    this.next = element("button", {type: "button", class: "plain", click: () => this.step(1)}, "Next");
    this.probabilities = element("div", {class: "card"});
    this.effects = element("div", {class: "card"});
    this.flips = element("div", {class: "card"});
    this.places = element("div", {class: "places"});
    this.content = [element(
        "div", {class: "split"}, this.picker.element,
        element(
            "div", {class: "view"}, element("div", {class: "controls steps"}, this.previous, this.next),
            this.head, this.probabilities, element("div", {class: "card"}, this.waterfall.element),
            this.flips, this.effects, this.places))];
  }

  get row() { return this.page.report.rows[this.page.state.row]; }

  reason(row) { return reasons[row.why] ?? reasons.other; }

  items(words) {
    const {report} = this.page;
    const kind = row => (reasons[row.why] ? row.why : "other");
    return report.rows.map((row, key) => ({row, key, name: `Row ${row.row}`, note: kind(row)}))
        .filter(
            ({row, note}) => fits(
                `row ${row.row} ${note} ${report.model.classes[row.predicted]} ${
                    row.label === null ? "" : report.model.classes[row.label]}`,
                words))
        .map(({row, key, name, note}) => ({
               key,
               name,
               note,
               share: 0,
               title: `Row ${row.row}, predicted ${class_name(report, row.predicted)}: ${this.reason(row)}`
             }));
  }

  step(by) {
    const {report, state} = this.page;
    this.page.choose({row: (state.row + by + report.rows.length) % report.rows.length});
  }

  draw() {
    if (this.figures.length === 0) return;
    const {state} = this.page;
    this.picker.draw(state.row);
    this.draw_head();
    this.draw_waterfall();
    this.draw_flips();
    this.draw_effects();
    this.draw_places();
  }

  draw_head() {
    const {report} = this.page;
    const row = this.row;
    const verdict = row.label === null ? [] :
        row.label === row.predicted    ? [", as labelled"] :
                                         [", but labelled ", class_element(report, row.label)];
    this.head.replaceChildren(
        element("h3", {}, `Row ${row.row}`),
        element(
            "p", {class: "facts"}, "Predicted ", class_element(report, row.predicted), ...verdict,
            `. Shown because it is ${this.reason(row)}.`));
    this.probabilities.replaceChildren(
        element("h4", {}, "Probability of each class"), ...probability_lines(report, row.probabilities));
  }

  draw_waterfall() {
    const {report, state} = this.page;
    draw_steps(this.waterfall, report, state.score, this.row);
  }

  draw_flips() {
    const {report} = this.page;
    const {flips} = this.row;
    const distance = flip => {
      if (this.row.values[flip.feature] === null) return "from missing";
      return report.features[flip.feature].kind === "category" ? "another level" : percent(flip.distance);
    };
    const change = ({feature, value}) =>
        change_texts(report.features[feature], this.row.values[feature], value);
    const line = flip => {
      const [first, second] = [flip, flip.second];
      if (!second)
        return [
          name_element(report.features[flip.feature].name, 32), ...change(flip),
          class_element(report, flip.class), distance(flip)
        ];
      const names = [first, second].map(({feature}) => name_element(report.features[feature].name, 24));
      const [from, to] = [0, 1].map(k => `${change(first)[k]}, ${change(second)[k]}`);
      return [
        element("span", {}, names[0], " and ", names[1]), from, to, class_element(report, flip.class),
        percent(flip.distance)
      ];
    };
    const head = element("h4", {}, "What would change the prediction");
    const note = text => element("p", {class: "note"}, text);
    if (flips.length === 0) {
      this.flips.replaceChildren(
          head,
          note(
              "No change of one or two features within their training range was found to give another class."));
      return;
    }
    const columns = [
      {head: "Feature"}, {head: "From", number: true}, {head: "To", number: true}, {head: "New class"},
      {head: "Distance", number: true}
    ];
    this.flips.replaceChildren(
        head,
        note(
            flips.some(flip => flip.second) ?
                "No change of one feature alone gives another class; these changes of two features do. Distances are sums of shares of their training ranges." :
                "The smallest change of one feature alone that gives another class. Distances are shares of its training range."),
        long_table("Changes that give another class", columns, flips.map(line), 8, {id: "flips"}));
  }

  /** All effects with the row's values; the weighted log densities that they are sums of on demand. */
  draw_effects() {
    const {report, state} = this.page;
    const row = this.row;
    const s = state.score;
    const lines = [...row.effects]
                      .sort((a, b) => Math.abs(b[2 + s]) - Math.abs(a[2 + s]))
                      .map(
                          ([i, j, ...by]) =>
                              [effect_element(report, i, j, 24),
                               shorten(effect_values(report, row, i, j), 40), exact_number(by[s])]);
    const others = row.other_effects;
    const ends = [
      ...(others.count > 0 ? [[`${count_text(others.count)} smaller`, "", exact_number(others.sum[s])]] : []),
      ["baseline", "", exact_number(report.baselines[s])], ["score", "", exact_number(row.effect_scores[s])]
    ];
    const columns = [{head: "Effect"}, {head: "Value", number: true}, {head: "Contribution", number: true}];
    this.effects.replaceChildren(
        element("h4", {}, "Its effects"),
        long_table("Effects of the row", columns, lines, 12, {id: "row-effects"}),
        table("Sum of the effects", columns, ends, {id: "row-effects-sum", class: "sum"}),
        element(
            "details", {},
            element("summary", {}, "Weighted log densities, as dyad explain --terms prints them"),
            ...this.terms()));
  }

  terms() {
    const {report, state} = this.page;
    const row = this.row;
    const s = state.score;
    const lines = [...row.terms]
                      .sort((a, b) => Math.abs(b[2 + s]) - Math.abs(a[2 + s]))
                      .map(
                          term =>
                              [element(
                                   "span", {class: "name", title: term_name(report, term[0])},
                                   term_name(report, term[0], 24)),
                               exact_number(term[1]), exact_number(term[2 + s])]);
    const ends = [
      ...(row.other_terms.count > 0 ?
              [[`${count_text(row.other_terms.count)} smaller`, "", exact_number(row.other_terms.sum[s])]] :
              []),
      ["intercept", "", exact_number(report.intercepts[s])], ["score", "", exact_number(row.scores[s])]
    ];
    const columns = [{head: "Term"}, {head: "Value", number: true}, {head: "Contribution", number: true}];
    return [
      long_table("Terms of the row", columns, lines, 12, {id: "terms"}),
      table("Sum of the terms", columns, ends, {id: "terms-sum", class: "sum"})
    ];
  }

  /** Where the row lies on the density maps of its two strongest pairs that have maps. */
  draw_places() {
    const {report, state} = this.page;
    const row = this.row;
    const find = effect => report.pairs.find(pair => pair.i === effect[0] && pair.j === effect[1]);
    const pairs =
        [...row.effects]
            .filter(effect => effect[0] !== effect[1])
            .sort((a, b) => Math.abs(b[2 + state.score]) - Math.abs(a[2 + state.score]))
            .map(find)
            .filter(pair => pair?.surface && row.positions[pair.i] !== null && row.positions[pair.j] !== null)
            .slice(0, 2);
    this.maps.slice(pairs.length).forEach(map => {
      map.element.hidden = true;
    });
    pairs.forEach((pair, m) => this.draw_place(pair, m));
  }

  draw_place(pair, m) {
    const {report} = this.page;
    const row = this.row;
    if (!this.maps[m]) this.maps[m] = this.place_map(m);
    const {element: holder, head, figures} = this.maps[m];
    holder.hidden = false;
    const both = [pair.i, pair.j];
    head.textContent = `Where the row lies in ${effect_name(report, pair.i, pair.j, 28)}` +
        (both.some(i => is_beyond(report, row, i)) ? " (beyond the picture; marked at its edge)" : "");
    const [x, y] = both.map(i => place(report.features[i], row_position(report, row, i)));
    const value = i => `${shorten(report.features[i].name, 40)} = ${effect_values(report, row, i, i)}` +
        (is_beyond(report, row, i) ? ", beyond the picture" : "");
    const mark = () => ({x, y, text: hover(`Row ${row.row}`, ...both.map(value))});
    draw_density_maps(report, pair, figures, mark);
  }

  place_map(m) {
    const figures =
        this.page.report.model.classes.map((_, k) => new Figure({id: `plot-place-${m}-${k}`, height: 320}));
    this.figures.push(...figures);
    const head = element("h4", {class: "place-head"});
    const made = element(
        "div", {}, head,
        element(
            "div", {class: "grid"}, figures.map(figure => element("div", {class: "card"}, figure.element))));
    this.places.append(made);
    return {element: made, head, figures};
  }
}

/** Bars of the probabilities of classes, the largest first where there are many. */
function probability_lines(report, probabilities) {
  const line = (p, k) => {
    const bar = element("span", {class: `share dot-${k % 8}`});
    bar.style.width = `${100 * p}%`;
    return element(
        "div", {class: "probability"}, class_element(report, k),
        element("span", {class: "track", "aria-hidden": "true"}, bar),
        element("span", {class: "number", "data-probability": k}, exact_number(p)));
  };
  const order = probabilities.length > 3 ? order_by(probabilities.length, k => probabilities[k]) :
                                           [...probabilities.keys()];
  return order.map(k => line(probabilities[k], k));
}

/** The values of the features of an effect in words. */
function effect_values(report, row, i, j) {
  const value = k => feature_value_text(report.features[k], row.values[k]);
  return i === j ? value(i) : `${value(i)}, ${value(j)}`;
}

/** An effect with the row's values, such as "age × job = 58, retired". */
function step_name(report, row, i, j, length = 20) {
  const values = [i, ...(i === j ? [] : [j])].map(
      k => shorten(feature_value_text(report.features[k], row.values[k]), length));
  return `${effect_name(report, i, j, length)} = ${values.join(", ")}`;
}

/** The same as the label of a bar, in two lines where it is long. */
function step_label(report, row, i, j) {
  const name = step_name(report, row, i, j, is_narrow() ? 11 : 18);
  if (name.length <= (is_narrow() ? 16 : 34)) return safe(name);
  const at = name.indexOf(" = ");
  return `${safe(name.slice(0, at))}<br>${safe(name.slice(at + 1))}`;
}

/** Steps from the start of a row to its score s: {name, label, title, by, from, to}. */
function score_steps(report, s, row) {
  const effects = [...row.effects].sort((a, b) => Math.abs(b[2 + s]) - Math.abs(a[2 + s]));
  const shown = effects.slice(0, bars_shown);
  const rest = effects.slice(bars_shown);
  const n_others = rest.length + row.other_effects.count;
  const others = rest.reduce((sum, effect) => sum + effect[2 + s], row.other_effects.sum[s]);
  const parts = [
    {name: "baseline", title: "baseline", by: report.baselines[s]},
    ...shown.map(effect => ({
                   name: step_name(report, row, effect[0], effect[1]),
                   label: step_label(report, row, effect[0], effect[1]),
                   by: effect[2 + s],
                   title: `${effect_name(report, effect[0], effect[1])}: ${
                       effect_values(report, row, effect[0], effect[1])}`
                 })),
    ...(n_others > 0 ? [{
      name: `${count_text(n_others)} others`,
      title: `${count_text(n_others)} others together`,
      by: others
    }] :
                       [])
  ];
  let level = 0;
  return parts.map(part => ({label: safe(part.name), ...part, from: level, to: (level += part.by)}));
}

/** Draws the steps to score s of a row, from the baseline through its effects. */
function draw_steps(figure, report, s, row) {
  const steps = score_steps(report, s, row);
  const score = row.effect_scores[s];
  const speaks = shorten(report.model.classes[score_class(report, s)], 32);
  figure.draw({
    title: `How the score of ${short_number(score)} comes about`,
    note:
        `From the baseline down to the score: orange steps speak for class ${speaks}, blue ones against it.`,
    summary:
        `From the baseline, ${exact_number(report.baselines[s])}, to the score, ${exact_number(score)}. ` +
        steps.slice(1, 4).map(step => `${step.name} ${short_number(step.by)}`).join("; "),
    height: 80 + (is_narrow() ? 36 : 32) * (steps.length + 1),
    traces: waterfall_traces(steps, score),
    layout: waterfall_layout(steps),
    table: () => table(
        "Steps from the baseline to the score",
        [{head: "Step"}, {head: "Contribution", number: true}, {head: "Sum", number: true}],
        [
          ...steps.map(step => [shorten(step.title, 60), exact_number(step.by), exact_number(step.to)]),
          ["score", "", exact_number(score)]
        ]),
  });
}

function waterfall_traces(steps, score) {
  const {plus, minus, text, line} = colours();
  const places = steps.map((_, k) => k);
  const joints = steps.flatMap((step, k) => [[step.to, k], [step.to, k + 1], [null, null]]);
  return [
    {
      type: "scatter",
      mode: "lines",
      hoverinfo: "skip",
      x: joints.map(joint => joint[0]),
      y: joints.map(joint => joint[1]),
      line: {color: line, width: 1}
    },
    {
      type: "bar",
      orientation: "h",
      name: "steps",
      y: places,
      base: steps.map(step => step.from),
      x: steps.map(step => step.by),
      hoverinfo: "text",
      marker: {color: steps.map(step => (step.by >= 0 ? plus : minus))},
      textposition: "none",
      width: 0.66,
      text: steps.map(
          step => hover(
              step.title, `${step.by >= 0 ? "+" : ""}${exact_number(step.by)}, sum ${exact_number(step.to)}`))
    },
    {
      type: "bar",
      orientation: "h",
      name: "score",
      y: [steps.length],
      x: [score],
      marker: {color: text},
      hoverinfo: "text",
      textposition: "none",
      width: 0.66,
      text: [hover(`score ${exact_number(score)}`)]
    },
  ];
}

function waterfall_layout(steps) {
  return {
    barmode: "overlay",
    margin: {t: 4},
    xaxis: axis({title: "score", zerolinewidth: 2}),
    yaxis: axis({
      range: [steps.length + 0.6, -0.6],
      tickmode: "array",
      tickvals: [...steps.keys(), steps.length],
      showgrid: false,
      zeroline: false,
      ticktext: [...steps.map(step => step.label), "<b>score</b>"]
    })
  };
}
