// SPDX-License-Identifier: BSD-3-Clause
// Quality: how often the model is right beside a baseline, how well classes are ranked, whether probabilities hold.

class Quality {
  static id = "quality";
  static title = "Quality";

  constructor(page) {
    this.page = page;
    this.uses = ["score"];
    const {evaluation} = page.report;
    this.figures = [];
    this.content = [
      ...(evaluation ? [this.tiles()] : []),
      element("div", {class: "notes"}, this.notes().map(text => element("p", {class: "note"}, text))),
      ...(evaluation ? [this.evaluation_cards()] : [])
    ];
  }

  /** Each figure beside that of the baseline, which predicts the most frequent class of training always. */
  tiles() {
    const {evaluation, model} = this.page.report;
    const {baseline} = evaluation;
    const always = baseline ? `always ${shorten(model.classes[baseline.class], 20)}: ` : "";
    const beside = (text, or) => (baseline ? always + text : or);
    const n_classes = model.classes.length;
    return tiles([
      ["Error", percent(evaluation.error), beside(percent(baseline?.error), "rows given a wrong class")],
      ["AUC", exact_number(evaluation.auc), "1 ranks perfectly, 0.5 is chance"],
      [
        "Log loss", short_number(evaluation.log_loss),
        baseline ? `class frequencies alone: ${short_number(baseline.log_loss)}` : "smaller is better"
      ],
      [
        "Balanced error", percent(evaluation.ber),
        beside(percent(1 - 1 / n_classes), "mean of the classes' errors")
      ],
      ["Calibration error", percent(evaluation.calibration_error), "probabilities against what came true"]
    ]);
  }

  /** What the figures refer to: rows, class frequencies, and quality measured by cross-validation. */
  notes() {
    const {model, data, evaluation} = this.page.report;
    return [
      evaluation ? rows_words(data) : "The table has no labels, so errors and curves cannot be computed.",
      model.held_out ? `Measured when the model was fitted: ${shown_name(model.held_out)}.` : "",
      model.probabilities_note || "Probabilities are those of the class frequencies of the training rows."
    ].filter(text => text);
  }

  figure(id, height, draw) {
    const figure = new Figure({id, height});
    figure.redraw = () => draw(figure);
    this.figures.push(figure);
    return element("div", {class: "card"}, figure.element);
  }

  draw() { this.figures.forEach(figure => figure.redraw()); }

  evaluation_cards() {
    return element(
        "div", {class: "grid"}, this.figure("plot-roc", 340, figure => this.draw_roc(figure)),
        this.figure("plot-precision", 340, figure => this.draw_precision(figure)),
        this.figure("plot-calibration", 340, figure => this.draw_calibration(figure)),
        element("div", {class: "card"}, ...this.confusion()));
  }

  /** Curves with one line a class; that of the chosen score is wide. */
  curve_traces(curves, measure) {
    const {report, state} = this.page;
    const chosen = score_class(report, state.score);
    return curves.map(curve => {
      const {class: k, x, y} = curve;
      return {
        type: "scatter",
        mode: "lines",
        x,
        y,
        name: safe(shorten(report.model.classes[k], 20)),
        showlegend: curves.length > 1,
        hoverinfo: "text",
        line:
            {color: class_colour(k), width: k === chosen ? 3 : 1.5, dash: dash_of(curves.length > 1 ? k : 0)},
        text: x.map(
            (value, m) => hover(
                `${class_name(report, k)} (${measure(curve)})`,
                `${short_number(value)}, ${short_number(y[m])}`))
      };
    });
  }

  draw_curves(figure, curves, {title, note, measure, x, y, diagonal}) {
    const {report} = this.page;
    figure.draw({
      title,
      note,
      summary: curves.map(curve => `${class_name(report, curve.class)}: ${measure(curve)}`).join("; "),
      traces: [...(diagonal ? [diagonal_trace()] : []), ...this.curve_traces(curves, measure)],
      layout:
          {...square_layout(x, y), showlegend: curves.length > 1, margin: {t: curves.length > 1 ? 34 : 10}},
      table: () => long_table(
          title, [{head: "Class"}, {head: x, number: true}, {head: y, number: true}],
          curves.flatMap(
              curve => curve.x.map(
                  (value, k) =>
                      [class_element(report, curve.class), short_number(value), short_number(curve.y[k])])),
          30),
    });
  }

  draw_roc(figure) {
    const curves = this.page.report.evaluation.roc;
    this.draw_curves(figure, curves, {
      title: "How well rows are ranked (ROC)",
      diagonal: true,
      note: "The nearer to the upper left corner, the better; the diagonal is chance.",
      measure: curve => `AUC ${exact_number(curve.auc)}`,
      x: "share of others called it",
      y: "share of its rows found"
    });
  }

  draw_precision(figure) {
    this.draw_curves(figure, this.page.report.evaluation.precision_recall, {
      title: "Found rows and right calls (precision and recall)",
      note: "The nearer to the upper right corner, the better.",
      measure: curve => `average precision ${short_number(curve.average_precision)}`,
      x: "share of its rows found (recall)",
      y: "share of calls that are right"
    });
  }

  draw_calibration(figure) {
    const bins =
        this.page.report.evaluation.calibration.filter(bin => bin.rows > 0 && bin.predicted !== null);
    const most = Math.max(...bins.map(bin => bin.rows), 1);
    figure.draw({
      title: "Do probabilities hold?",
      note:
          ("On the diagonal, what is said to happen in 70 % of cases does so. Large dots stand for many rows. " +
           this.page.report.model.probabilities_note)
              .trim(),
      summary: bins.map(bin => `${percent(bin.predicted)} said, ${percent(bin.observed)} true`).join("; "),
      traces: [
        diagonal_trace(), {
          type: "scatter",
          mode: "lines+markers",
          x: bins.map(bin => bin.predicted),
          y: bins.map(bin => bin.observed),
          line: {color: faded(class_colour(0), 0.5), width: 2},
          hoverinfo: "text",
          marker: {color: class_colour(0), size: bins.map(bin => 6 + 14 * Math.sqrt(bin.rows / most))},
          text: bins.map(
              bin => hover(
                  `said ${percent(bin.predicted)}, came true ${percent(bin.observed)}`,
                  plural(bin.rows, "row")))
        }
      ],
      layout: square_layout("probability said", "share that came true"),
      table: () => table(
          "Calibration",
          [{head: "Probability said"}, {head: "Came true", number: true}, {head: "Rows", number: true}],
          bins.map(bin => [percent(bin.predicted), percent(bin.observed), count_text(bin.rows)])),
    });
  }

  confusion() {
    const {report} = this.page;
    const {confusion} = report.evaluation;
    const cell = (count, k, m) => {
      const total = confusion[k].reduce((a, b) => a + b, 0) || 1;
      const made = element(
          "span", {class: k === m ? "hit" : "miss", title: `${percent(count / total)} of the class`},
          count_text(count));
      made.style.setProperty("--share", `${Math.round(100 * count / total)}%`);
      return made;
    };
    return [
      element("h4", {}, "Which classes are taken for which"),
      element("p", {class: "note"}, "Lines: the true class. Columns: the predicted one."),
      table(
          "True classes (lines) and predicted ones (columns)",
          [
            {head: "True class"},
            ...report.model.classes.map((_, k) => ({head: class_element(report, k, 12), number: true}))
          ],
          confusion.map(
              (counts, k) => [class_element(report, k, 16), ...counts.map((count, m) => cell(count, k, m))]),
          {class: "confusion"})
    ];
  }
}

/** Whether the rows are those of training, as the hashes in the model tell. */
function rows_words({training_share}) {
  const judge = "judge it by rows it has not seen.";
  if (training_share === null || training_share === undefined)
    return `If these are the rows that the model was fitted to, these figures are too good: ${judge}`;
  if (training_share >= 0.95)
    return `The model was fitted to these rows, so these figures are too good: ${judge}`;
  if (training_share > 0)
    return `About ${
        percent(
            training_share)} of these rows equal rows that the model was fitted to, so these figures are too good: ${
        judge}`;
  return "The model was not fitted to these rows.";
}

function diagonal_trace() {
  return {
    type: "scatter",
    mode: "lines",
    name: "chance",
    x: [0, 1],
    y: [0, 1],
    hoverinfo: "skip",
    showlegend: false,
    line: {color: colours().quiet, width: 1, dash: "dot"}
  };
}

function square_layout(x, y) {
  const range = {range: [-0.02, 1.02], zeroline: false, tickvals: [0, 0.25, 0.5, 0.75, 1]};
  return {xaxis: axis({...range, title: x}), yaxis: axis({...range, title: y})};
}
