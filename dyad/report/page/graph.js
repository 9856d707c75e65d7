// SPDX-License-Identifier: BSD-3-Clause
// Pairs of features as a graph: nodes on a circle, edges as bows.

/** Places on the unit circle of the features that edges touch, in the order of the model: index -> {x, y, angle}. */
function graph_nodes(edges, tree) {
  const used =
      [...new Set([...edges.flatMap(({pair}) => [pair.i, pair.j]), ...tree.flat()])].sort((a, b) => a - b);
  return new Map(used.map((i, m) => {
    const angle = Math.PI / 2 - 2 * Math.PI * m / used.length;
    return [i, {x: Math.cos(angle), y: Math.sin(angle), angle}];
  }));
}

/** Points of a bow from one node to another, bent to the centre. */
function bow(from, to) {
  const points = [];
  for (let k = 0; k <= 12; ++k) {
    const t = k / 12;
    const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
    const middle = axis => 0.25 * (from[axis] + to[axis]);
    points.push([a * from.x + b * middle("x") + c * to.x, a * from.y + b * middle("y") + c * to.y]);
  }
  return points;
}

/** Edges in groups of equal width and colour, then invisible marks in their middle that answer to the pointer. */
function edge_traces(report, edges, k, s, nodes) {
  const widest = Math.max(...edges.map(({pair}) => pair.hsic[k] ?? 0), 1e-300);
  const heaviest = Math.max(...edges.map(({pair}) => Math.abs(pair.weights[k]?.[s] ?? 0)), 1e-300);
  const groups = new Map();
  const middles = {
    type: "scatter",
    mode: "markers",
    x: [],
    y: [],
    text: [],
    customdata: [],
    hoverinfo: "text",
    marker: {size: 14, color: "rgba(0,0,0,0)"}
  };
  for (const {pair, p} of edges) {
    const weight = pair.weights[k]?.[s] ?? 0;
    const width = 1 + Math.round(3 * Math.sqrt((pair.hsic[k] ?? 0) / widest));
    const strength = Math.ceil(3 * Math.abs(weight) / heaviest);
    const key = `${width} ${strength} ${weight > 0}`;
    const {plus, minus, quiet} = colours();
    const colour = faded(weight > 0 ? plus : weight < 0 ? minus : quiet, 0.25 + 0.25 * strength);
    if (!groups.has(key))
      groups.set(key, {
        type: "scatter",
        mode: "lines",
        x: [],
        y: [],
        hoverinfo: "skip",
        line: {width: 1.5 * width, color: colour}
      });
    const points = bow(nodes.get(pair.i), nodes.get(pair.j));
    groups.get(key).x.push(...points.map(point => point[0]), null);
    groups.get(key).y.push(...points.map(point => point[1]), null);
    middles.x.push(points[6][0]);
    middles.y.push(points[6][1]);
    middles.customdata.push({kind: "pair", index: p});
    middles.text.push(hover(
        effect_name(report, pair.i, pair.j),
        `HSIC ${short_number(pair.hsic[k])}, q ${short_number(pair.q[k])}`,
        `weight ${short_number(weight)}`));
  }
  return [...groups.values(), middles];
}

function tree_traces(tree, nodes) {
  const points = tree.flatMap(([i, j]) => [...bow(nodes.get(i), nodes.get(j)), [null, null]]);
  return points.length === 0 ? [] : [{
    type: "scatter",
    mode: "lines",
    name: "tree",
    hoverinfo: "skip",
    x: points.map(point => point[0]),
    y: points.map(point => point[1]),
    line: {color: colours().quiet, width: 1.2, dash: "dot"}
  }];
}

function node_trace(report, nodes) {
  const all = [...nodes];
  return {
    type: "scatter",
    mode: "markers",
    x: all.map(([, node]) => node.x),
    y: all.map(([, node]) => node.y),
    hoverinfo: "text",
    text: all.map(([i]) => hover(feature_name(report, i))),
    customdata: all.map(([i]) => ({kind: "feature", index: i})),
    marker: {size: nodes.size > 40 ? 7 : 10, color: colours().text, line: {color: colours().card, width: 2}},
    cliponaxis: false
  };
}

/** Names stand outside the circle, turned like spokes. */
function graph_layout(report, nodes, size) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${fonts}`;
  const longest = Math.max(
      0,
      ...[...nodes.keys()].map(
          i => pen.measureText(shorten(report.features[i].name, is_narrow() ? 8 : 12)).width));
  const reach = 1.02 / Math.max(0.45, 1 - 2 * (longest + 24) / size);
  const label = ([i, {x, y, angle}]) => {
    const name = shorten(report.features[i].name, is_narrow() ? 8 : 12);
    const away = 12 + pen.measureText(name).width / 2;
    const turned = -angle * 180 / Math.PI + (x < -1e-9 ? 180 : 0);
    return {
      x,
      y,
      text: safe(name),
      showarrow: false,
      xshift: Math.cos(angle) * away,
      yshift: Math.sin(angle) * away,
      xanchor: "center",
      yanchor: "middle",
      textangle: turned,
      font: {size: 12, color: colours().text}
    };
  };
  return {
    annotations: [...nodes].map(label),
    margin: {l: 8, r: 8, t: 8, b: 8},
    xaxis: {visible: false, range: [-reach, reach]},
    yaxis: {visible: false, range: [-reach, reach], scaleanchor: "x"}
  };
}
