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
    if (!report.predictor) {
      this.content = [element(
          "p", {class: "lead"},
          "This page does not hold the model, so that rows cannot be changed here (dyad report --what-if-megabytes).")];
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

  /** The row as sections of rows have it: scores, probabilities, and all effects by their features. */
  changed_row() {
    const {intercepts} = this.page.report;
    const [scores] = this.predictor.scoresOfRows([this.values]);
    const effects = new Map();
    this.predictor.contributions(this.values).forEach((parts, t) => {
      const [i, j = i] = this.page.report.predictor.terms[t].features;
      const key = `${i},${j}`;
      if (!effects.has(key)) effects.set(key, [i, j, ...intercepts.map(() => 0)]);
      parts.forEach((part, k) => {
        effects.get(key)[2 + k] += part;
      });
    });
    return {
      scores,
      probabilities: this.predictor.probabilities(scores),
      predicted: this.predictor.predictedClass(scores),
      values: this.values,
      effects: [...effects.values()],
      other_effects: {count: 0, sum: intercepts.map(() => 0)}
    };
  }

  draw_outcome() {
    const {report, state} = this.page;
    const row = this.changed_row();
    const score = row.scores[state.score];
    const [before] = this.predictor.scoresOfRows([this.before]);
    const by = score - before[state.score];
    this.outcome.replaceChildren(
        element(
            "p", {class: "facts"}, "Predicted ", class_element(report, row.predicted), ". Score ",
            element("output", {id: "what-if-score", "data-value": score}, exact_number(score)),
            by === 0 ? null : `, ${by > 0 ? "+" : ""}${exact_number(by)} by the changes`),
        ...probability_lines(report, row.probabilities));
    draw_steps(
        this.steps, report, state.score,
        {...row, start: {name: "intercept", by: report.intercepts[state.score]}});
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
    const name = k => k < levels.length ? shown_name(levels[k]) : values[k] === null ? "missing" : "another level";
    const select = element(
        "select",
        {"aria-label": feature_name(this.page.report, j), change: () => this.set(j, values[Number(select.value)])},
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
        "input", {type: "range", min: 0, max: last, step: "any", "aria-label": name, disabled: points.length < 2});
    const number = element("input", {type: "text", inputmode: "decimal", "aria-label": `${name}, as a number`});
    const missing = element("input", {type: "checkbox"});
    const value_of_slider = () => Number(roundest_near(points, Number(slider.value)));
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
        "change", () => take(missing.checked ? null : points.length > 1 ? value_of_slider() : 0, missing));
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
