// SPDX-License-Identifier: BSD-3-Clause
// What if: a row whose values can be changed, and what the model makes of it. predictorOf is dyad/exports/predictor.js.

const controls_shown = 8;

/** Text that no level has. */
function other_level(levels) {
  let text = "another level";
  while (levels.includes(text)) text += " ";
  return text;
}

class WhatIf {
  static id = "what-if";
  static title = "What if";

  constructor(page) {
    this.page = page;
    this.uses = ["score", "row"];
    this.figures = [];
    const {report} = page;
    if (!report.predictor || !report.purified) {
      this.content = [
        element(
            "p", {class: "lead"},
            "This page does not hold the model, so that rows cannot be changed here (dyad report --what-if-megabytes).")
      ];
      return;
    }
    this.predictor = predictorOf(report.predictor);
    this.steps = new Figure({id: "plot-what-if"});
    this.figures = [this.steps];
    this.shown = controls_shown;
    this.outcome = element("div", {class: "card outcome", role: "status"});
    this.inputs = element("div", {class: "card inputs"});
    const rows = report.rows.map((row, value) => ({value, name: `row ${row.row}`}));
    this.start = rows.length > 0 ? select_control("Start from", rows, 0, row => this.choose(row)) : null;
    this.content = [
      element(
          "p", {class: "lead"},
          "Change values, and see what the model makes of the row. It tells of the model: in the world, other values may change with them."),
      element(
          "div", {class: "controls"}, this.start,
          element("button", {type: "button", class: "plain", click: () => this.reset()}, "Reset")),
      element(
          "div", {class: "split what-if"}, this.inputs,
          element("div", {class: "view"}, this.outcome, element("div", {class: "card"}, this.steps.element)))
    ];
  }

  choose(row) {
    if (row === this.page.state.row) this.reset();
    this.page.choose({row});
  }

  draw() {
    if (!this.predictor) return;
    const {row} = this.page.state;
    if (this.row !== row) this.take(row);
    this.draw_inputs();
    this.draw_outcome();
  }

  /** Starts from a row shown; without any from the middle of each feature. */
  take(row) {
    const {report} = this.page;
    this.row = row;
    if (this.start) this.start.querySelector("select").value = row;
    const values = report.rows[row]?.values ??
        report.features.map(feature => known_points(feature)[known_points(feature).length >> 1] ?? null);
    this.before = values.map((value, j) => this.known_value(j, value));
    this.values = [...this.before];
  }

  /** A value of the report as the predictor takes it. */
  known_value(j, value) {
    const {levels, others} = this.page.report.predictor.features[j];
    if (value === null || !levels || levels.includes(value)) return value;
    return others ? other_level(levels) : null;
  }

  reset() {
    this.take(this.page.state.row);
    this.draw_inputs();
    this.draw_outcome();
  }

  set(j, value) {
    this.values[j] = value;
    this.draw_outcome();
  }

  /** The row as sections of rows have it: scores, probabilities, and all purified effects by their features. */
  changed_row() {
    const [scores] = this.predictor.scoresOfRows([this.values]);
    const {baselines} = this.page.report;
    const effects = this.effects_of(this.values);
    return {
      effect_scores: effects.reduce((sums, effect) => sums.map((sum, k) => sum + effect[2 + k]), baselines),
      probabilities: this.predictor.probabilities(scores),
      predicted: this.predictor.predictedClass(scores),
      values: this.values,
      effects,
      other_effects: {count: 0, sum: baselines.map(() => 0)}
    };
  }

  /** [i, j, by score..] of a row of values: sums of the terms' contributions, purified. */
  effects_of(values) {
    const {effects: purified, centred} = this.page.report.purified;
    const {terms} = this.page.report.predictor;
    const places = this.predictor.positions(values).map((z, j) => this.place_of(j, z));
    const sums = new Map(purified.map(({i, j, shifts, second_shifts}) => {
      const by = shifts.map(
          (shift, k) => shift_at(shift, places[i]) + (i === j ? 0 : shift_at(second_shifts[k], places[j])));
      return [`${i},${j}`, [i, j, ...by]];
    }));
    this.predictor.contributions(values).forEach((parts, t) => {
      const [i, j = i] = terms[t].features;
      const effect = sums.get(`${i},${j}`);
      parts.forEach((part, k) => {
        effect[2 + k] += part;
      });
    });
    return [...sums.values()].map(([i, j, ...by]) => {
      const mean = centred ? by.reduce((a, b) => a + b, 0) / by.length : 0;
      return [i, j, ...by.map(value => value - mean)];
    });
  }

  /** Between which places of feature j its effects are known: [place, share of the next]. */
  place_of(j, z) {
    const axis = this.page.report.purified.axes[j];
    if (axis === null) return [0, 0];
    const {nodes, n_levels, missing} = axis;
    const n = nodes ? nodes.length : n_levels;
    const unmet = n + (missing ? 1 : 0);
    if (Number.isNaN(z)) return [missing ? n : unmet, 0];
    if (!nodes) return [z < n ? z : unmet, 0];
    const above = nodes.filter(node => node < z).length;
    if (above === 0 || above === n) return [Math.max(above - 1, 0), 0];
    return [above - 1, (z / 2 - nodes[above - 1] / 2) / (nodes[above] / 2 - nodes[above - 1] / 2)];
  }

  draw_outcome() {
    const {report, state} = this.page;
    const s = state.score;
    const row = this.changed_row();
    const score = row.effect_scores[s];
    const before =
        this.effects_of(this.before).reduce((sum, effect) => sum + effect[2 + s], report.baselines[s]);
    const is_changed = this.values.some((value, j) => value !== this.before[j]);
    const by = score - before;
    this.outcome.replaceChildren(
        element(
            "p", {class: "facts"}, "Predicted ", class_element(report, row.predicted), ". Score ",
            element("output", {id: "what-if-score", "data-value": score}, exact_number(score)),
            is_changed ? `, ${by > 0 ? "+" : ""}${exact_number(by)} by the changes` : null),
        ...probability_lines(report, row.probabilities));
    draw_steps(this.steps, report, s, row);
  }

  draw_inputs() {
    const {report, state} = this.page;
    const order = order_by(report.features.length, j => report.features[j].total[state.score][0]);
    const left = order.length - this.shown;
    const more = element("button", {
      type: "button",
      class: "more",
      click: () => {
        this.shown += 4 * controls_shown;
        this.draw_inputs();
      }
    });
    more.textContent = `Show more (${count_text(Math.max(left, 0))})`;
    more.hidden = left <= 0;
    this.inputs.replaceChildren(
        element("h4", {}, "Values"), ...order.slice(0, this.shown).map(j => this.input(j)), more);
  }

  input(j) {
    const {levels} = this.page.report.predictor.features[j];
    const parts = levels ? [this.level_input(j)] : this.number_inputs(j);
    const head = element("div", {class: "input-head"}, name_element(this.page.report.features[j].name, 32));
    return element("div", {class: "input", "data-feature": j}, head, ...parts);
  }

  /** A list of the levels, with their places as values: names may be any text. */
  level_input(j) {
    const {levels, others} = this.page.report.predictor.features[j];
    const values = [...levels, ...(others ? [other_level(levels)] : []), null];
    const name = k => k < levels.length ? shown_name(levels[k]) :
        values[k] === null              ? "missing" :
                                          "another level";
    const select = element(
        "select", {
          "aria-label": feature_name(this.page.report, j),
          change: () => this.set(j, values[Number(select.value)])
        },
        values.map((_, k) => element("option", {value: k, title: name(k)}, shorten(name(k), 32))));
    select.value = values.indexOf(this.values[j]);
    return select;
  }

  /** A slider over the points of the feature, the number itself, and a box for missing values. */
  number_inputs(j) {
    const feature = this.page.report.features[j];
    const points = known_points(feature);
    const name = feature_name(this.page.report, j);
    const last = Math.max(points.length - 1, 0);
    const slider = element(
        "input",
        {type: "range", min: 0, max: last, step: "any", "aria-label": name, disabled: points.length < 2});
    const number =
        element("input", {type: "text", inputmode: "decimal", "aria-label": `${name}, as a number`});
    const missing = element("input", {type: "checkbox"});
    const value_of_slider = () => {
      const value = Number(roundest_near(points, Number(slider.value)));
      return this.page.report.features[j].whole ? Math.round(value) : value;
    };
    const take = (value, from) => {
      if (from !== slider && value !== null && points.length > 1) slider.value = position_of(points, value);
      if (from !== number) number.value = value === null ? "" : String(value);
      missing.checked = value === null;
      number.classList.remove("wrong");
      if (from) this.set(j, value);
    };
    slider.addEventListener("input", () => take(value_of_slider(), slider));
    number.addEventListener("input", () => {
      const value = number.value.trim() === "" ? null : Number(number.value);
      const is_wrong = value !== null && !Number.isFinite(value);
      if (!is_wrong) take(value, number);
      number.classList.toggle("wrong", is_wrong);
    });
    missing.addEventListener(
        "change",
        () => take(
            missing.checked       ? null :
                points.length > 1 ? value_of_slider() :
                                    0,
            missing));
    slider.value = last / 2;
    take(this.values[j], null);
    return [
      slider,
      element(
          "div", {class: "input-exact"}, number,
          element("label", {class: "control check"}, missing, element("span", {}, "missing")))
    ];
  }
}

/** The number with the fewest digits near a position among points: within a hundredth of a step. */
function roundest_near(points, position) {
  const width = 0.005;
  return roundest(value_at(points, position - width), value_at(points, position + width));
}

/** A function of a feature's places between two of them. */
function shift_at(shift, [place, share]) {
  return share > 0 ? shift[place] + share * (shift[place + 1] - shift[place]) : shift[place];
}
