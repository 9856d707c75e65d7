// SPDX-License-Identifier: BSD-3-Clause
// About: how to read the page, the model in its own words, and the version.

class About {
  static id = "about";
  static title = "About";

  constructor(page) {
    const {report} = page;
    this.uses = [];
    this.figures = [];
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
                "A row's score is the intercept plus the contributions of features and pairs. " + positive,
                "A contribution is a weight times a log density: how usual the row's value, or pair of values, is in a class.",
                "The importance of a feature or pair is the mean size of its contribution over rows, with a 95 % interval.",
                "HSIC measures dependence of two features within a class. A pair is kept where it is large; elsewhere the two are taken as independent.",
                "Axes of numbers follow the scale that the model uses, which may be logarithmic; ticks name the values themselves.",
                "Contributions describe the model, not causes: changing a feature in the world may do something else.",
              ].map(text => element("li", {}, text)))),
      element(
          "div", {class: "card"}, element("h3", {}, "The model"),
          element(
              "pre", {class: "description", tabindex: "0", "aria-label": "Description of the model"},
              report.model.description ?? "")),
      element(
          "p", {class: "note"},
          `Made with dyad ${shown_name(report.version)}. ` +
              `Importances are means over ${
                  plural(report.data.importance_rows, "row")}. Figures are drawn by plotly.js (MIT licence).`)
    ];
  }

  draw() {}
}
