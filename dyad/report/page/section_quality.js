// SPDX-License-Identifier: BSD-3-Clause
// Quality: how well classes are ranked and probabilities hold, what was tried when fitting, and what took time.

class Quality {
  static id = "quality";
  static title = "Quality";

  constructor(page) {
    this.page = page;
    this.uses = ["score"];
    const {evaluation, settings, timings} = page.report;
    this.figures = [];
    this.content = [
      evaluation ?
          this.evaluation_cards() :
          element("p", {class: "lead"}, "The table has no labels, so errors and curves cannot be computed."),
      ...(settings.tried.length ? [this.settings_cards()] : []),
      ...(timings.length && !evaluation ? [this.timing_card()] : [])
    ];
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
        element(
            "div", {}, element("div", {class: "card"}, ...this.confusion()),
            this.page.report.timings.length ? this.timing_card() : null));
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

  /** How the model comes from the settings that were tried. */
  taken_words() {
    const {rule, tried} = this.page.report.settings;
    const n_taken = tried.filter(setting => setting.averaged).length;
    if (rule === "best" || n_taken === 1) return "The model is the one taken.";
    return `The model is the mean of the ${n_taken} taken.`;
  }

  settings_cards() {
    const {settings} = this.page.report;
    const line = tried =>
        [shown_name(tried.terms ?? "–"), short_number(tried.n_pairs), short_number(tried.C),
         short_number(tried.blend), exact_number(tried.loss), tried.averaged ? "yes" : ""];
    return element(
        "div", {class: "grid"}, this.figure("plot-settings", 360, figure => this.draw_settings(figure)),
        element(
            "div", {class: "card"}, element("h4", {}, "Settings that were tried"),
            element(
                "p", {class: "note"},
                `Best first, by ${shown_name(settings.measure)} of rows held out. ${this.taken_words()}`),
            long_table(
                "Settings that were tried",
                [
                  {head: "Terms"}, {head: "Pairs", number: true}, {head: "C", number: true},
                  {head: "Blend", number: true}, {head: measure_head(settings), number: true}, {head: "Taken"}
                ],
                settings.tried.map(line), 8, {id: "settings"})));
  }

  draw_settings(figure) {
    const {settings} = this.page.report;
    const tried = settings.tried.filter(setting => setting.n_pairs !== null && setting.loss !== null);
    const counts = [...new Set(tried.map(setting => setting.n_pairs))].sort((a, b) => a - b);
    const least = counts.map(
        n => Math.min(...tried.filter(setting => setting.n_pairs === n).map(setting => setting.loss)));
    const losses = tried.map(setting => setting.loss).sort((a, b) => a - b);
    const low = losses[0];
    const top = Math.max(...least, losses[Math.floor(0.75 * losses.length)], low + 1e-6);
    const position = setting => counts.indexOf(setting.n_pairs);
    const words = setting => hover(
        `${setting.n_pairs} pairs, C ${short_number(setting.C)}, blend ${short_number(setting.blend)}`,
        `${settings.measure} ${exact_number(setting.loss)}`, setting.averaged ? "taken" : "not taken");
    figure.draw({
      title: "How many pairs are worth having",
      note: "Each dot is a setting that was tried; the line joins the best for each number of pairs." +
          (tried.some(setting => setting.loss > top) ? " Much worse ones lie above the frame." : ""),
      summary: counts.map((n, k) => `${n} pairs: ${short_number(least[k])}`).join("; "),
      traces: [
        {
          type: "scatter",
          mode: "markers",
          name: "tried",
          x: tried.map(position),
          y: tried.map(setting => setting.loss),
          text: tried.map(words),
          hoverinfo: "text",
          marker: {size: 6, color: faded(colours().quiet, 0.4)}
        },
        {
          type: "scatter",
          mode: "lines+markers",
          name: "best",
          x: [...counts.keys()],
          y: least,
          hoverinfo: "skip",
          line: {color: class_colour(0), width: 2.5},
          marker: {size: 8, color: class_colour(0)}
        }
      ],
      layout: {
        xaxis: axis({
          title: "pairs kept",
          tickmode: "array",
          tickvals: [...counts.keys()],
          ticktext: counts.map(count_text),
          zeroline: false
        }),
        yaxis: axis({
          title: `${shown_name(settings.measure)} of rows held out`,
          zeroline: false,
          range: [low - 0.05 * (top - low), top + 0.05 * (top - low)]
        })
      },
      table: () => table(
          `Least ${shown_name(settings.measure)} by pairs kept`,
          [{head: "Pairs"}, {head: measure_head(settings), number: true}],
          counts.map((n, k) => [count_text(n), exact_number(least[k])])),
    });
  }

  timing_card() {
    const {timings} = this.page.report;
    const groups = {fit: "Fitting", report: "This report"};
    return element(
        "div", {class: "card"}, element("h4", {}, "Where the time went"),
        table(
            "Seconds by step", [{head: "Step"}, {head: "Part"}, {head: "Seconds", number: true}],
            timings.map(
                timing =>
                    [shown_name(timing.step), groups[timing.group] ?? shown_name(timing.group),
                     short_number(timing.seconds)]),
            {id: "timings"}));
  }
}

/** The measure of settings as the head of a column. */
function measure_head({measure}) {
  const name = shown_name(measure);
  return name[0].toUpperCase() + name.slice(1);
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
