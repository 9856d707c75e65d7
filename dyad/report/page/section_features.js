// SPDX-License-Identifier: BSD-3-Clause
// Features: what one feature alone adds to the score, where rows lie, and its density in each class.

class Features {
  static id = "features";
  static title = "Features";

  constructor(page) {
    this.page = page;
    this.uses = ["score", "feature"];
    this.log = false;
    this.curve = new Figure({id: "plot-curve", height: 400});
    this.densities = new Figure({id: "plot-densities", height: 300});
    this.figures = [this.curve, this.densities];
    this.picker = new Picker({
      search: "Search features",
      name: "Features, most important first",
      items: words => this.items(words),
      choose: feature => page.choose({feature})
    });
    this.head = element("div", {class: "head"});
    this.nothing = element("p", {class: "note"});
    this.partners = element("div", {class: "card"});
    const toggle = choice_control("Scale of densities", "density-scale", ["Density", "Log density"], 0, k => {
      this.log = k === 1;
      this.draw_densities();
    });
    this.density_card = element("div", {class: "card"}, toggle, this.densities.element);
    this.content = [element(
        "div", {class: "split"}, this.picker.element,
        element(
            "div", {class: "view"}, this.head, this.nothing,
            element("div", {class: "card"}, this.curve.element), this.density_card, this.partners))];
  }

  get feature() { return this.page.report.features[this.page.state.feature]; }

  items(words) {
    const {features} = this.page.report;
    const s = this.page.state.score;
    const order = order_by(features.length, i => features[i].importance[s][0]);
    const largest = features[order[0]].importance[s][0] || 1;
    const item = i => ({
      key: i,
      name: shorten(features[i].name, 32),
      title: shown_name(features[i].name),
      share: features[i].importance[s][0] / largest,
      note: short_number(features[i].importance[s][0])
    });
    return order.filter(i => fits(features[i].name, words)).map(item);
  }

  draw() {
    const {report, state} = this.page;
    const feature = this.feature;
    this.picker.draw(state.feature);
    this.head.replaceChildren(
        element("h3", {}, name_element(feature.name, 80)),
        element(
            "p", {class: "facts"},
            `${feature.kind === "category" ? "A category" : "A number"}. It moves the score by ` +
                `${
                    interval_text(
                        feature.importance[state.score])} on average, besides what it does in its pairs.`));
    this.nothing.hidden = feature.curves !== null;
    this.nothing.textContent = "The model has no effect of this feature.";
    this.density_card.hidden = !feature.log_densities || feature.log_densities.every(list => list === null);
    this.draw_curve();
    this.draw_densities();
    this.draw_partners(report);
  }

  draw_curve() {
    const {report, state} = this.page;
    const feature = this.feature;
    const curves = feature.curves ? feature.curves.map(unpack) : [];
    const speaks = shorten(report.model.classes[score_class(report, state.score)], 32);
    this.curve.draw({
      title: curves.length ? `What ${shorten(feature.name, 32)} adds to the score` :
                             `Where rows have ${shorten(feature.name, 32)}`,
      note: (curves.length ? `Above zero it speaks for class ${speaks}, below zero against it. ` : "") +
          "The lower part shows the share of rows at each value." + unnamed_words(feature),
      summary: curve_summary(feature, curves[state.score]),
      traces: [...this.curve_traces(feature, curves), ...row_traces(report, feature)],
      layout: this.curve_layout(feature, curves),
      table: () => this.curve_table(feature, curves),
    });
  }

  curve_traces(feature, curves) {
    const {report, state} = this.page;
    const order = [...curves.keys()].sort((a, b) => (a === state.score) - (b === state.score));
    const look = s => ({
      name: `score of class ${class_name(report, score_class(report, s))}`,
      colour: curves.length === 1 ? colours().text : class_colour(s),
      width: s === state.score ? 3 : 1,
      opacity: s === state.score ? 1 : 0.5
    });
    return order.flatMap(s => point_traces(feature, curves[s], look(s)));
  }

  curve_layout(feature, curves) {
    const lower = curves.length ? [0, 0.26] : [0, 1];
    return {
      xaxis: feature_axis(feature, {range: place_range(feature), anchor: "y2", showgrid: false}),
      yaxis: axis({domain: [0.34, 1], title: "score", zerolinewidth: 2, visible: curves.length > 0}),
      yaxis2: axis({
        domain: lower,
        title: "rows",
        rangemode: "tozero",
        tickformat: ".0%",
        nticks: curves.length ? 3 : 6
      }),
      barmode: feature.kind === "category" ? "group" : "overlay",
      bargap: feature.kind === "category" ? 0.25 : 0.04,
    };
  }

  curve_table(feature, curves) {
    const {report} = this.page;
    const counted = feature.rows.length === 1 ?
        [{head: "Rows", number: true}] :
        report.model.classes.map(name => ({head: `Rows of ${shorten(name, 16)}`, number: true}));
    const scores = curves.map(
        (_, s) =>
            ({head: `Score of ${shorten(report.model.classes[score_class(report, s)], 16)}`, number: true}));
    return long_table(
        `Values of ${shown_name(feature.name)}`, [{head: "Value"}, ...scores, ...counted],
        feature.points.map(
            (_, p) =>
                [shorten(point_name(feature, p), 32), ...curves.map(curve => short_number(curve[p])),
                 ...feature.rows.map(list => percent(list[p]))]),
        20);
  }

  draw_densities() {
    const {report} = this.page;
    const feature = this.feature;
    if (this.density_card.hidden) return;
    const lists = feature.log_densities.map(packed => packed && unpack(packed));
    const shown =
        lists.map(list => list && (this.log ? list : list.map(v => (v === null ? null : Math.exp(v)))));
    this.densities.draw({
      title: `How usual values of ${shorten(feature.name, 32)} are in each class`,
      note: "Where the curves differ, the feature alone tells classes apart.",
      summary: density_summary(report, feature, lists),
      traces: shown.flatMap(
          (list, k) =>
              (list ? point_traces(feature, list, {
                name: class_name(report, k),
                colour: class_colour(k),
                width: 2.5,
                opacity: 1,
                legend: true,
                dash: dash_of(k)
              }) :
                      [])),
      layout: {
        showlegend: true,
        margin: {t: 34},
        xaxis: feature_axis(feature, {range: place_range(feature), showgrid: false}),
        yaxis: axis({title: this.log ? "log density" : "density", rangemode: this.log ? "normal" : "tozero"})
      },
      table: () => long_table(
          `Densities of ${shown_name(feature.name)}`,
          [{head: "Value"}, ...report.model.classes.map(name => ({head: shorten(name, 20), number: true}))],
          feature.points.map(
              (_, p) =>
                  [shorten(point_name(feature, p), 32), ...shown.map(list => short_number(list && list[p]))]),
          20),
    });
  }

  draw_partners(report) {
    const {state} = this.page;
    const pairs = report.pairs.map((pair, p) => ({pair, p}))
                      .filter(({pair}) => pair.i === state.feature || pair.j === state.feature)
                      .sort((a, b) => b.pair.importance[state.score][0] - a.pair.importance[state.score][0]);
    const partner = ({pair, p}) =>
        [element(
             "button", {type: "button", class: "link", click: () => this.page.choose({pair: p}, "pairs")},
             effect_element(report, pair.i, pair.j)),
         interval_text(pair.importance[state.score])];
    const columns = [{head: "Pair"}, {head: "Mean size of the effect", number: true}];
    const list = pairs.length > 0 ? long_table("Its strongest pairs", columns, pairs.map(partner), 8) :
                                    element("p", {class: "note"}, "The model has no pair with this feature.");
    this.partners.replaceChildren(element("h4", {}, "Its strongest pairs"), list);
  }
}

function dash_of(k) {
  return k < 8 ? ["solid", "dash", "dot", "dashdot", "solid", "dash", "dot", "dashdot"][k] : "longdash";
}

/** The range of positions as drawn. */
function place_range(feature) { return [-0.6, place(feature, feature.points.length - 1) + 0.6]; }

/** A line over numbers and a diamond for missing values; bars for levels. */
function point_traces(feature, values, {name, colour, width, opacity, legend = false, dash = "solid"}) {
  const n_points = feature.points.length;
  const part = (from, to, look) => {
    const points = Array.from({length: to - from}, (_, k) => from + k);
    const words = p => hover(
        `${shorten(feature.name, 40)} = ${point_name(feature, p)}`, `${name}: ${short_number(values[p])}`);
    return {
      name: safe(shorten(name, 32)),
      showlegend: legend && from === 0,
      // Plotly keeps groups as members of an object, which has some already, such as __proto__.
      legendgroup: `class ${name}`,
      opacity,
      hoverinfo: "text",
      x: points.map(p => place(feature, p)),
      y: points.map(p => values[p]),
      text: points.map(words),
      ...look
    };
  };
  if (feature.kind === "category")
    return [part(0, n_points, {type: "bar", textposition: "none", marker: {color: colour}})];
  const mark = {
    type: "scatter",
    mode: "markers",
    marker: {color: colour, size: 6 + 1.5 * width, symbol: "diamond"}
  };
  const n_line = n_points - (has_missing(feature) ? 1 : 0);
  const line = n_line === 1 ? mark : {type: "scatter", mode: "lines", line: {color: colour, width, dash}};
  const missing = n_line < n_points ? [part(n_line, n_points, mark)] : [];
  return n_line > 0 ? [part(0, n_line, line), ...missing] : missing;
}

/** Points in groups of neighbours such that a histogram has at most about 40 bars; missing values are apart. */
function histogram_groups(feature) {
  const n = feature.points.length - (has_missing(feature) ? 1 : 0);
  const size = feature.kind === "category" ? 1 : Math.ceil(n / 40);
  const groups = [];
  for (let p = 0; p < n; p += size) groups.push([p, Math.min(p + size, n) - 1]);
  return has_missing(feature) ? [...groups, [n, n]] : groups;
}

/** Bars of the share of rows at each point, for each class or for all. */
function row_traces(report, feature) {
  const groups = histogram_groups(feature);
  const values = ([first, last]) => first === last ?
      point_name(feature, first) :
      `${point_name(feature, first)} to ${point_name(feature, last)}`;
  return feature.rows.map((list, k) => {
    const name = feature.rows.length === 1 ? "rows" : `rows of class ${class_name(report, k)}`;
    const shares = groups.map(([first, last]) => list.slice(first, last + 1).reduce((a, b) => a + b, 0));
    return {
      type: "bar",
      x: groups.map(([first, last]) => (place(feature, first) + place(feature, last)) / 2),
      y: shares,
      yaxis: "y2",
      hoverinfo: "text",
      textposition: "none",
      opacity: feature.kind === "category" ? 1 : 0.6,
      marker: {color: feature.rows.length === 1 ? colours().quiet : class_colour(k)},
      name: safe(name),
      text: groups.map(
          (group, g) =>
              hover(`${shorten(feature.name, 40)}: ${values(group)}`, `${percent(shares[g])} of ${name}`))
    };
  });
}

function curve_summary(feature, curve) {
  const known = curve ? curve.map((_, p) => p).filter(p => curve[p] !== null) : [];
  if (known.length === 0) return "No curve; only the histogram of rows.";
  const most = known.reduce((a, b) => (curve[b] > curve[a] ? b : a));
  const least = known.reduce((a, b) => (curve[b] < curve[a] ? b : a));
  return `The score runs from ${short_number(curve[least])} at ${point_name(feature, least)} to ` +
      `${short_number(curve[most])} at ${point_name(feature, most)}.`;
}

function density_summary(report, feature, lists) {
  return lists
      .flatMap((list, k) => {
        const known = list ? list.map((_, p) => p).filter(p => list[p] !== null) : [];
        if (known.length === 0) return [];
        const top = known.reduce((a, b) => (list[b] > list[a] ? b : a));
        return [`Class ${class_name(report, k)} has most rows near ${point_name(feature, top)}.`];
      })
      .join(" ");
}
