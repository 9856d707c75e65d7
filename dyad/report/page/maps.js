// SPDX-License-Identifier: BSD-3-Clause
// Maps of two features: scores, log densities of a class and their ratios, at the surface points of a pair.

/** The matrix that a heat map draws, of values [a * n_j + b]: a row for each cell of j, a column for each of i. */
function map_matrix(values, across, up) {
  const n_j = up.cells.filter(b => b !== null).length;
  return up.cells.map(b => across.cells.map(a => (a === null || b === null ? null : values[a * n_j + b])));
}

function map_hover(report, pair, across, up, matrix, what) {
  const first = report.features[pair.i];
  const second = report.features[pair.j];
  const has_rows = cells_with_rows(pair);
  const n_j = second.surface_points.length;
  const rows_text = (x, y) =>
      has_rows(across.cells[x] * n_j + up.cells[y]) ? "" : "<br>no training rows here";
  const columns = across.cells.map(
      a => a === null ? "" :
                        hover(`${shorten(first.name, 40)} = ${point_name(first, first.surface_points[a])}`));
  const lines = up.cells.map(
      b => b === null ?
          "" :
          hover(`${shorten(second.name, 40)} = ${point_name(second, second.surface_points[b])}`));
  return matrix.map(
      (row, y) => row.map(
          (value, x) => value === null ?
              "" :
              `${columns[x]}<br>${lines[y]}<br>${what} ${short_number(value)}${rows_text(x, y)}`));
}

/** Whether training rows lie in each cell of a surface, of hexadecimal digits for four cells each; all, if unknown. */
function cells_with_rows(pair) {
  const digits = pair.surface.with_rows;
  if (!digits) return () => true;
  return k => ((parseInt(digits[k >> 2], 16) >> (k & 3)) & 1) === 1;
}

/** A veil over the cells without training rows. */
function veil_trace(pair, across, up, n_j) {
  const has_rows = cells_with_rows(pair);
  const z = up.cells.map(
      b => across.cells.map(a => (a === null || b === null || has_rows(a * n_j + b) ? null : 1)));
  const colour = faded(colours().card, 0.72);
  return {
    type: "heatmap",
    name: "no training rows",
    z,
    x: across.edges,
    y: up.edges,
    zmin: 0,
    zmax: 1,
    colorscale: [[0, colour], [1, colour]],
    showscale: false,
    hoverinfo: "skip"
  };
}

/** Whether neighbouring cells may be blended: both features are numbers and none is missing. */
function is_smooth(report, pair) {
  return [pair.i, pair.j].every(
      i => report.features[i].kind === "number" && !has_missing(report.features[i]));
}

/** Traces and layout of a map. `range` is [low, high], `scale` names a colour scale, `what` is said on hover; `veiled` fades cells without training rows. */
function map_picture(report, pair, values, {range, scale, what, mark = null, veiled = false}) {
  const first = report.features[pair.i];
  const second = report.features[pair.j];
  const across = surface_cells(first);
  const up = surface_cells(second);
  const matrix = map_matrix(values, across, up);
  const traces = [{
    type: "heatmap",
    z: matrix,
    x: across.edges,
    y: up.edges,
    zmin: range[0],
    zmax: range[1],
    colorscale: colours()[scale],
    zsmooth: is_smooth(report, pair) ? "best" : false,
    hoverinfo: "text",
    text: map_hover(report, pair, across, up, matrix, what),
    hoverongaps: false,
    colorbar:
        {thickness: 10, outlinewidth: 0, len: 0.95, nticks: 6, tickfont: {size: 11, color: colours().quiet}},
  }];
  if (veiled) traces.push(veil_trace(pair, across, up, second.surface_points.length));
  if (mark) traces.push(mark_trace(mark));
  const inside = edges => ({range: [edges[0], edges[edges.length - 1]], showgrid: false});
  return {
    traces,
    layout: {
      xaxis: feature_axis(first, {...inside(across.edges), ticks: 5}),
      yaxis: feature_axis(second, {...inside(up.edges), ticks: 5}),
      margin: {l: 40, r: 8, t: 8, b: 40},
    }
  };
}

/** A row's place on a map. */
function mark_trace({x, y, text}) {
  return {
    type: "scatter",
    mode: "markers",
    x: [x],
    y: [y],
    hoverinfo: "text",
    text: [text],
    cliponaxis: false,
    marker: {symbol: "circle", size: 13, color: "#ffffff", line: {color: "#111111", width: 3}}
  };
}

/** [low, high] of log densities that tell most: the ten units below the largest. */
function density_range(lists) {
  const known = lists.flat().filter(value => value !== null);
  if (known.length === 0) return [-1, 0];
  const high = known.reduce((a, b) => Math.max(a, b));
  const low = known.reduce((a, b) => Math.min(a, b));
  return [Math.min(Math.max(low, high - 10), high - 1e-9), high];
}

/** [-r, r] that holds all values. */
function symmetric_range(lists) {
  const size = lists.flat().reduce((largest, value) => Math.max(largest, Math.abs(value ?? 0)), 0);
  return size > 0 ? [-size, size] : [-1, 1];
}

/** Where values are largest and smallest, in words. */
function map_summary(report, pair, values) {
  const first = report.features[pair.i];
  const second = report.features[pair.j];
  const n_j = second.surface_points.length;
  const at = index => {
    const a = first.surface_points[Math.floor(index / n_j)];
    const b = second.surface_points[index % n_j];
    return `${shown_name(first.name)} ${point_name(first, a)}, ${shown_name(second.name)} ${
        point_name(second, b)}`;
  };
  const known = values.map((_, k) => k).filter(k => values[k] !== null);
  if (known.length === 0) return "No values.";
  const most = known.reduce((a, b) => (values[b] > values[a] ? b : a));
  const least = known.reduce((a, b) => (values[b] < values[a] ? b : a));
  return `Largest, ${short_number(values[most])}, at ${at(most)}; smallest, ${
      short_number(values[least])}, at ${at(least)}.`;
}

/** The numbers of a map: at most about 12 values of each feature, evenly taken. */
function map_table(report, pair, values) {
  const first = report.features[pair.i];
  const second = report.features[pair.j];
  const n_j = second.surface_points.length;
  const some = n =>
      Array.from({length: n}, (_, k) => k).filter(k => n <= 12 || k % Math.ceil(n / 12) === 0 || k === n - 1);
  const columns = some(first.surface_points.length);
  const corner = `${shorten(second.name, 16)} \\ ${shorten(first.name, 16)}`;
  return table(
      `Values by ${feature_name(report, pair.j)} (down) and ${feature_name(report, pair.i)} (across)`,
      [
        {head: corner},
        ...columns.map(a => ({head: shorten(point_name(first, first.surface_points[a]), 16), number: true}))
      ],
      some(n_j).reverse().map(
          b =>
              [shorten(point_name(second, second.surface_points[b]), 16),
               ...columns.map(a => short_number(values[a * n_j + b]))]));
}

/** Figures of log p(x_i, x_j | class) for all classes in one range of colours; `mark(k)` may place a row. */
function draw_density_maps(report, pair, figures, mark = () => null) {
  const lists = pair.surface.log_densities.map(unpack);
  const range = density_range(lists);
  figures.forEach((figure, k) => figure.draw({
    title: `How usual each place is in class ${shorten(report.model.classes[k], 32)}`,
    note: pair.kept[k] ? "Kept in this class: the log density of both together." :
                         "Taken as independent here: the product of two single densities.",
    summary: map_summary(report, pair, lists[k]),
    table: () => map_table(report, pair, lists[k]),
    ...map_picture(report, pair, lists[k], {range, scale: "density", what: "log density", mark: mark(k)}),
  }));
}
