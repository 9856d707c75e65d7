// SPDX-License-Identifier: BSD-3-Clause
// About: how to read the page, the model in its own words, what was tried when fitting, what took time, and the version.

class About {
  static id = "about";
  static title = "About";

  constructor(page) {
    const {report} = page;
    this.page = page;
    this.uses = [];
    this.settings_figure = new Figure({id: "plot-settings", height: 360});
    this.figures = report.settings.tried.length ? [this.settings_figure] : [];
    const positive = report.intercepts.length === 1 ?
        `Positive scores speak for class ${shorten(report.model.classes[1], 40)}, negative ones for class ${
            shorten(report.model.classes[0], 40)}.` :
        "Each class has a score; the largest is predicted. The class on top of the page chooses whose score is shown.";
    this.content = [
      element(
          "div", {class: "card prose"}, element("h3", {}, "How to read this page"),
          element(
              "ul", {},
              [
                "A row's score is the baseline plus the effects of features and pairs. " + positive,
                "The effect of a pair is what its two features add beyond each alone: it has the mean zero over the training rows at each value of either feature. Effects are sums of weighted log densities.",
                "The importance of a feature or pair is the mean size of its effect over rows; the 95 % interval is for the choice of these rows, not for the fit.",
                "Pale cells of maps have no training rows: the model extrapolates there.",
                "HSIC measures dependence of two features within a class. A pair is kept where it is large; elsewhere the two are taken as independent.",
                "Axes of numbers follow the scale that the model uses, which may be logarithmic; ticks name the values themselves.",
                "Effects describe the model, not causes: changing a feature in the world may do something else.",
              ].map(text => element("li", {}, text)))),
      element(
          "div", {class: "card"}, element("h3", {}, "The model"),
          element(
              "pre", {class: "description", tabindex: "0", "aria-label": "Description of the model"},
              report.model.description ?? ""),
          report.model.options ?
              element(
                  "details", {}, element("summary", {}, "Options of the fit"),
                  element("pre", {class: "description", tabindex: "0"}, report.model.options)) :
              null),
      ...(report.settings.tried.length ? [this.settings_cards()] : []),
      ...(report.timings.length ? [this.timing_card()] : []),
      element(
          "p", {class: "note"},
          `Made with dyad ${shown_name(report.version)}. ` +
              `Importances are means over ${
                  plural(report.data.importance_rows, "row")}. Figures are drawn by plotly.js (MIT licence).`)
    ];
  }

  draw() {
    if (this.figures.length) this.draw_settings(this.settings_figure);
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
        "div", {class: "grid"}, element("div", {class: "card"}, this.settings_figure.element),
        element(
            "div", {class: "card"}, element("h4", {}, "Settings that were tried"),
            element(
                "p", {class: "note"},
                `Best first, by ${
                    shown_name(
                        settings
                            .measure)} on rows that each fit left out: the loss by which settings were chosen, not the quality of the model. ${
                    this.taken_words()}`),
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
          title: shown_name(settings.measure),
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
