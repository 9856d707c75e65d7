// SPDX-License-Identifier: BSD-3-Clause
// Dependence: the pairs kept in each class as a graph, and HSIC of the leading features' pairs as a map.

class Dependence {
  static id = "dependence";
  static title = "Dependence";

  constructor(page) {
    this.page = page;
    this.uses = ["score"];
    this.tree = false;
    const {report} = page;
    const n_classes = report.model.classes.length;
    this.classes = n_classes <= 3 ? [...report.model.classes.keys()] : [0];
    this.n_edges = Math.min(30, Math.max(1, report.pairs.length));
    this.graphs = this.classes.map(
        k => new Figure({id: `plot-graph-${k}`, height: 470, click: point => this.select(point)}));
    this.hsic =
        report.dependence ? this.classes.map(k => new Figure({id: `plot-hsic-${k}`, height: 470})) : [];
    this.figures = [...this.graphs, ...this.hsic];
    this.content = [
      element(
          "p", {class: "lead"},
          "Two features depend on each other within a class if knowing one tells something about the other there. HSIC measures " +
              "how much; q is the share of chance finds to expect among pairs at least as strong (small is convincing)."),
      this.controls(),
      ...this.classes.map(
          (_, c) => element(
              "div", {class: "grid"}, element("div", {class: "card"}, this.graphs[c].element),
              this.hsic.length ? element("div", {class: "card"}, this.hsic[c].element) : null))
    ];
    if (!report.dependence)
      this.content.push(element(
          "p", {class: "note"},
          "The table has no labels, so dependence within classes cannot be measured here; the graph shows what the model has kept."));
  }

  controls() {
    const {report} = this.page;
    const controls = [];
    const {classes} = report.model;
    if (classes.length > this.classes.length)
      controls.push(
          select_control("Class", classes.map((name, value) => ({value, name})), 0, k => this.show_class(k)));
    if (report.pairs.length > 1)
      controls.push(range_control(
          "Pairs shown", {low: 1, high: Math.min(120, report.pairs.length), value: this.n_edges}, n => {
            this.n_edges = n;
            this.draw_graphs();
          }));
    if (report.dependence?.trees)
      controls.push(check_control("Show the tree of TAN for comparison", false, tree => {
        this.tree = tree;
        this.draw_graphs();
      }));
    return element("div", {class: "controls"}, controls);
  }

  show_class(k) {
    this.classes = [k];
    this.draw();
  }

  select(point) {
    if (point.customdata === undefined) return;
    const {kind, index} = point.customdata;
    if (kind === "pair")
      this.page.choose({pair: index}, "pairs");
    else
      this.page.choose({feature: index}, "features");
  }

  draw() {
    this.draw_graphs();
    this.hsic.forEach((figure, c) => this.draw_hsic(figure, this.classes[c]));
  }

  draw_graphs() { this.graphs.forEach((figure, c) => this.draw_graph(figure, this.classes[c])); }

  /** Kept pairs of class k by importance, at most n_edges. */
  edges(k) {
    const {report, state} = this.page;
    const kept = report.pairs.map((pair, p) => ({pair, p})).filter(({pair}) => pair.kept[k]);
    return kept.sort((a, b) => b.pair.importance[state.score][0] - a.pair.importance[state.score][0])
        .slice(0, this.n_edges);
  }

  draw_graph(figure, k) {
    const {report, state} = this.page;
    const edges = this.edges(k);
    const tree = this.tree ? report.dependence.trees[k] : [];
    const nodes = graph_nodes(edges, tree);
    const height = Math.min(figure.height, figure.plot.clientWidth);
    const speaks = shorten(report.model.classes[score_class(report, state.score)], 24);
    figure.draw({
      title: `Pairs kept in class ${shorten(report.model.classes[k], 32)}`,
      note: edges.length === 0 ?
          "No pair was kept in this class." :
          `Wide lines depend much (HSIC). Orange: what is usual here speaks for class ${
              speaks}; blue: against it.` +
              (this.tree ? " Dashed: the tree of TAN." : ""),
      summary: `${plural(edges.length, "pair")}: ${
          edges.slice(0, 5).map(({pair}) => effect_name(report, pair.i, pair.j, 30)).join("; ")}.`,
      traces: [
        ...tree_traces(tree, nodes), ...edge_traces(report, edges, k, state.score, nodes),
        node_trace(report, nodes)
      ],
      layout: graph_layout(report, nodes, height),
      height,
      table: () => this.edge_table(edges, k),
    });
  }

  edge_table(edges, k) {
    const {report, state} = this.page;
    return long_table(
        `Pairs kept in class ${class_name(report, k)}`,
        [
          {head: "Pair"}, {head: "HSIC", number: true}, {head: "q", number: true},
          {head: "Weight", number: true}
        ],
        edges.map(
            ({pair, p}) =>
                [element(
                     "button",
                     {type: "button", class: "link", click: () => this.page.choose({pair: p}, "pairs")},
                     effect_element(report, pair.i, pair.j)),
                 short_number(pair.hsic[k]), short_number(pair.q[k]),
                 short_number(pair.weights[k]?.[state.score])]),
        30);
  }

  draw_hsic(figure, k) {
    const {report} = this.page;
    const {features, classes} = report.dependence;
    const {hsic, q} = classes[k];
    const n = features.length;
    const at = (a, b) => (a < b ? a * n - a * (a + 1) / 2 + b - a - 1 : b * n - b * (b + 1) / 2 + a - b - 1);
    const square = value =>
        features.map((_, b) => features.map((_, a) => (a === b ? null : value(at(a, b), a, b))));
    const order = order_by(hsic.length, m => hsic[m] ?? -1);
    const pairs =
        features.flatMap((_, a) => features.slice(a + 1).map((_, b) => [features[a], features[a + 1 + b]]));
    figure.draw({
      title: `Dependence in class ${shorten(report.model.classes[k], 32)}`,
      note: `HSIC of each two of ${plural(n, "feature")}, measured on ${
                plural(classes[k].n_rows, "row")}. Dots: pairs that the model kept.` +
          (name_step(n) > 1 ? ` The axes name one feature in ${name_step(n)}; the numbers below name all.` :
                              ""),
      summary: `The largest: ${
          order.slice(0, 3)
              .map(m => `${effect_name(report, ...pairs[m], 30)} ${short_number(hsic[m])}`)
              .join("; ")}.`,
      traces: [
        this.hsic_trace(
            features, square(m => hsic[m]),
            square(
                (m, a, b) => hover(
                    effect_name(report, features[Math.min(a, b)], features[Math.max(a, b)]),
                    `HSIC ${short_number(hsic[m])}, q ${short_number(q[m])}`))),
        this.kept_trace(features, k)
      ],
      layout: hsic_layout(report, features),
      table: () => long_table(
          `Dependence in class ${class_name(report, k)}`,
          [{head: "Pair"}, {head: "HSIC", number: true}, {head: "q", number: true}],
          order.map(m => [effect_element(report, ...pairs[m]), short_number(hsic[m]), short_number(q[m])]),
          30),
    });
  }

  hsic_trace(features, z, text) {
    const positions = [...features.keys()];
    return {
      type: "heatmap",
      z,
      x: positions,
      y: positions,
      text,
      hoverinfo: "text",
      colorscale: colours().density,
      xgap: 1,
      ygap: 1,
      hoverongaps: false,
      zmin: 0,
      colorbar: {thickness: 10, outlinewidth: 0, nticks: 6, tickfont: {size: 11, color: colours().quiet}}
    };
  }

  kept_trace(features, k) {
    const position = new Map(features.map((i, a) => [i, a]));
    const kept =
        this.page.report.pairs.filter(pair => pair.kept[k] && position.has(pair.i) && position.has(pair.j));
    const ends = kept.flatMap(pair => [[pair.i, pair.j], [pair.j, pair.i]]);
    return {
      type: "scatter",
      mode: "markers",
      hoverinfo: "skip",
      x: ends.map(end => position.get(end[0])),
      y: ends.map(end => position.get(end[1])),
      marker: {size: features.length > 30 ? 3 : 5, color: class_colour(1)}
    };
  }
}

/** Between the features that the axes of a map of n features have room to name. */
function name_step(n) { return Math.ceil(n / (is_narrow() ? 20 : 30)); }

function hsic_layout(report, features) {
  const n = features.length;
  const step = name_step(n);
  const shown = [...features.keys()].filter(a => a % step === 0);
  const ticks = {
    tickmode: "array",
    tickvals: shown,
    showgrid: false,
    zeroline: false,
    ticktext: shown.map(a => safe(shorten(report.features[features[a]].name, is_narrow() ? 7 : 10))),
    tickfont: {size: n <= 24 ? 11 : 9, color: colours().quiet}
  };
  return {
    xaxis: axis({...ticks, range: [-0.5, n - 0.5], tickangle: -90}),
    yaxis: axis({...ticks, range: [n - 0.5, -0.5]}),
    margin: {t: 4, r: 4}
  };
}
