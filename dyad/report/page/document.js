// SPDX-License-Identifier: BSD-3-Clause
// The document behind the page: packed numbers, names of effects and terms, orders, ticks, numbers as text.

/** The document that the page carries. */
function read_document() { return JSON.parse(document.getElementById("document").textContent); }

/** The numbers of {low, high, data}: base64 of little-endian uint16; 65535 is none. */
function unpack(packed) {
  const bytes = atob(packed.data);
  const step = (packed.high - packed.low) / 65534;
  const values = new Array(bytes.length >> 1);
  for (let k = 0; k < values.length; ++k) {
    const code = bytes.charCodeAt(2 * k) | (bytes.charCodeAt(2 * k + 1) << 8);
    values[k] = code === 65535 ? null : packed.low + step * code;
  }
  return values;
}

/** A name as it is shown: without control characters and marks that turn text around; an empty one says so. */
function shown_name(name) {
  const text = String(name)
                   .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ")
                   .replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  return text.trim() === "" ? "(empty)" : text;
}

/** The name, or its beginning and an ellipsis, in at most `length` characters. */
function shorten(name, length = 24) {
  const characters = Array.from(shown_name(name));
  if (characters.length <= length) return characters.join("");
  return characters.slice(0, length - 1).join("").trimEnd() + "…";
}

function feature_name(report, i) { return shown_name(report.features[i].name); }

function class_name(report, k) { return shown_name(report.model.classes[k]); }

/** "a" or "a × b"; with `length`, each name is shortened to it. */
function effect_name(report, i, j, length = Infinity) {
  const first = shorten(report.features[i].name, length);
  return i === j ? first : `${first} × ${shorten(report.features[j].name, length)}`;
}

/** A term as `dyad explain` writes it; with `length`, each name is shortened to it. */
function term_name(report, t, length = Infinity) {
  const {kind, class: classes, i, j} = report.terms;
  const first = shorten(report.features[i[t]].name, length);
  if (kind[t] === "linear") return first;
  const names = i[t] === j[t] ? first : `${first}, ${shorten(report.features[j[t]].name, length)}`;
  if (kind[t] === "table" && report.intercepts.length === 1) return `table(${names})`;
  const of_class = shorten(report.model.classes[classes[t]], length);
  return `${kind[t] === "table" ? "table" : "log p"}(${names} | ${of_class})`;
}

/** The class that positive values of score s speak for. */
function score_class(report, s) { return report.intercepts.length === 1 ? 1 : s; }

/** Features with terms of their own and pairs: {i, j, pair, importance}, largest mean first. */
function effects_by_importance(report, s) {
  const features = report.features.flatMap(
      (feature, i) =>
          feature.importance[s][0] > 0 ? [{i, j: i, pair: null, importance: feature.importance[s]}] : []);
  const pairs =
      report.pairs.map((pair, p) => ({i: pair.i, j: pair.j, pair: p, importance: pair.importance[s]}));
  return [...features, ...pairs].sort((a, b) => b.importance[0] - a.importance[0]);
}

/** Indexes of 0..count-1 by key, largest first; equal ones keep their order. */
function order_by(count, key) {
  const keys = Array.from({length: count}, (_, k) => key(k));
  return keys.map((_, k) => k).sort((a, b) => keys[b] - keys[a] || a - b);
}

function has_missing(feature) {
  return feature.points.length > 0 && feature.points[feature.points.length - 1] === null;
}

/** The points of a feature that are not missing. */
function known_points(feature) { return has_missing(feature) ? feature.points.slice(0, -1) : feature.points; }

/** Where position p of a feature is drawn: missing values stand apart from numbers. */
function place(feature, p) {
  const last = feature.points.length - 1;
  if (!has_missing(feature) || feature.kind === "category" || p <= last - 1) return p;
  return p + missing_gap(feature) * (p - (last - 1));
}

function missing_gap(feature) { return Math.max(1, Math.round(feature.points.length / 16)); }

/** The position of feature i of a row: that of a number beyond the points is the nearest of them. */
function row_position(report, row, i) {
  const feature = report.features[i];
  const p = row.positions[i];
  if (p === null || feature.kind === "category" || row.values[i] === null) return p;
  return Math.min(Math.max(p, 0), known_points(feature).length - 1);
}

/** Whether the value of feature i of a row lies beyond the points. */
function is_beyond(report, row, i) {
  return row.beyond?.includes(i) || row_position(report, row, i) !== row.positions[i];
}

/** The value at a point in words. */
function point_name(feature, index) { return feature_value_text(feature, feature.points[index]); }

/** A value of a feature in words; numbers with the digits that tell neighbouring points apart, and `more`. */
function feature_value_text(feature, value, more = 0) {
  if (value === null) return "missing";
  if (typeof value !== "number") return shown_name(value);
  return digits_text(value, Math.min(feature_digits(feature, value) + more, 17));
}

/** Two values of a feature in words that differ if the values do. */
function change_texts(feature, from, to) {
  const texts = more => [from, to].map(value => feature_value_text(feature, value, more));
  let more = 0;
  while (more < 14 && from !== to && texts(more)[0] === texts(more)[1]) ++more;
  return texts(more);
}

/** The digits, 3 to 15, that a value needs to differ from one a step between points away. */
function feature_digits(feature, value) {
  const points = known_points(feature);
  const k = points_before(points, value);
  const spread = points[points.length - 1] - points[0];
  const step = points[k + 1] - points[k] || spread / (points.length - 1);
  if (!(step > 0)) return 10;
  return Math.min(Math.max(exponent_of(value) - exponent_of(step) + 1, 3), 15);
}

/** Ticks of an axis of the feature's positions: {values, names}. */
function feature_ticks(feature, count = 6, length = 12) {
  const ticks = feature.kind === "category" ? level_ticks(feature, length) : number_ticks(feature, count);
  if (has_missing(feature)) {
    ticks.values.push(place(feature, feature.points.length - 1));
    ticks.names.push("missing");
  }
  return ticks;
}

/** Levels that an axis has room to name. */
const most_levels_named = 48;

/** Between the levels named. */
function level_step(feature) {
  return Math.max(1, Math.ceil(known_points(feature).length / most_levels_named));
}

/** Says so where not every level is named. */
function unnamed_words(feature) {
  const step = feature.kind === "category" ? level_step(feature) : 1;
  return step === 1 ? "" : ` The axis names one level in ${step}; the numbers below name all.`;
}

function level_ticks(feature, length) {
  const n = known_points(feature).length;
  const step = level_step(feature);
  const shown = Array.from({length: Math.ceil(n / step)}, (_, k) => k * step);
  return {values: shown, names: shown.map(p => shorten(feature.points[p], length))};
}

function number_ticks(feature, count) {
  const points = known_points(feature);
  if (points.length === 0) return {values: [], names: []};
  const spread = points[points.length - 1] - points[0];
  if (points.length === 1 || !(spread > 0)) return {values: [0], names: tick_texts([points[0]])};
  const values = evenly_spaced(points) ? round_steps(points[0], spread, count) : round_values(points, count);
  return {values: values.map(v => position_of(points, v)), names: tick_texts(values)};
}

function evenly_spaced(points) {
  const step = (points[points.length - 1] - points[0]) / (points.length - 1);
  return points.every((v, k) => Math.abs(v - points[0] - k * step) <= 0.05 * step);
}

/** Multiples of 1, 2 or 5 times a power of ten, about `count` of them. */
function round_steps(first, spread, count) {
  const power = 10 ** Math.floor(Math.log10(spread / count));
  const step = power * [1, 2, 5, 10].find(m => spread / (m * power) <= count);
  const start = Math.ceil(first / step - 1e-9);
  return Array.from({length: count + 2}, (_, k) => (start + k) * step)
      .filter((value, k, all) => value <= first + spread * (1 + 1e-9) && value !== all[k - 1]);
}

/** A round value near each of `count` evenly spaced positions. */
function round_values(points, count) {
  const last = points.length - 1;
  const width = last / (count - 1) / 4;
  const values = [];
  for (let k = 0; k < count; ++k) {
    const p = last * k / (count - 1);
    const value = roundest(value_at(points, p - width), value_at(points, p + width));
    if (values.length === 0 || value > values[values.length - 1]) values.push(value);
  }
  return values;
}

/** The number with the fewest digits between low and high. */
function roundest(low, high) {
  if (low <= 0 && high >= 0) return 0;
  let power = 10 ** Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high))));
  for (let k = 0; k < 17; ++k, power /= 10)
    for (const step of [power, power / 2, power / 5]) {
      const value = Math.round((low + high) / 2 / step) * step;
      if (value >= low && value <= high) return value;
    }
  return (low + high) / 2;
}

function value_at(points, p) {
  const q = Math.min(Math.max(p, 0), points.length - 1);
  const k = Math.min(Math.floor(q), points.length - 2);
  return points[k] + (q - k) * (points[k + 1] - points[k]);
}

/** The k of the points k and k + 1 that a value lies between, or next to. */
function points_before(points, value) {
  let k = 0;
  while (k < points.length - 2 && points[k + 1] < value) ++k;
  return k;
}

function position_of(points, value) {
  const k = points_before(points, value);
  const step = points[k + 1] - points[k];
  return Math.min(Math.max(step > 0 ? k + (value - points[k]) / step : k, 0), points.length - 1);
}

/** The cells of a surface's axis: their edges, and the index that each shows (null: the gap before "missing"). */
function surface_cells(feature) {
  const places = feature.surface_points.map(p => place(feature, p));
  const edges = [];
  const cells = [];
  places.forEach((x, k) => {
    const apart = k > 0 && feature.points[feature.surface_points[k]] === null && feature.kind !== "category";
    if (k === 0)
      edges.push(x - half_step(places, 0));
    else if (!apart)
      edges.push((places[k - 1] + x) / 2);
    else {
      edges.push(places[k - 1] + half_step(places, k - 2), x - missing_gap(feature) / 2);
      cells.push(null);
    }
    cells.push(k);
    if (k === places.length - 1)
      edges.push(apart ? x + missing_gap(feature) / 2 : x + half_step(places, k - 1));
  });
  return {edges, cells};
}

function half_step(places, k) {
  return k < 0 || k + 1 >= places.length ? 0.5 : (places[k + 1] - places[k]) / 2;
}

/** With four decimals, as `dyad explain` prints. */
function exact_number(value) { return value === null || value === undefined ? "–" : value.toFixed(4); }

/** With about three digits. */
function short_number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(1).replace("e+", "e").replaceAll("-", "−");
  if (size >= 1000) return count_text(Math.round(value));
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

/** A p- or q-value: tiny ones are no better known than that. */
function chance_text(value) { return value !== null && value < 1e-4 ? "< 0.0001" : short_number(value); }

/** Round values in full; large and small ones as powers of ten if all have few digits. */
function tick_texts(values) {
  const needed = value => value.toExponential(14).replace(/0*e.*/, "").replace(/\D/g, "").length;
  const digits = Math.max(...values.map(needed));
  return values.map(value => {
    const size = Math.abs(value);
    if (size < 1e6 && (size >= 1e-4 || size === 0))
      return String(Number(value.toPrecision(14))).replace("-", "−");
    return digits_text(value, digits);
  });
}

/** With so many digits: whole numbers in full, but large ones of three digits and small ones as powers of ten. */
function digits_text(value, digits) {
  if (value === 0) return "0";
  const exponent = exponent_of(value);
  if (exponent < -4 || exponent >= 15 || (exponent >= 6 && digits <= 3)) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}e${Number(power)}`.replaceAll("-", "−");
  }
  if (exponent < 3) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [whole, part] = value.toFixed(Math.max(digits - 1 - exponent, 0)).split(".");
  const decimals = (part ?? "").replace(/0+$/, "");
  return count_text(whole) + (decimals && `.${decimals}`);
}

/** The e of m 10^e with 1 <= m < 10. */
function exponent_of(value) { return value === 0 ? 0 : Number(value.toExponential().split("e")[1]); }

function count_text(count) {
  return String(count).replace("-", "−").replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function percent(share) {
  return share === null || share === undefined ?
      "–" :
      `${(100 * share).toFixed(share > 0.9995 || share < 0.1 ? 2 : 1)} %`;
}

function plural(count, one, many = one + "s") { return `${count_text(count)} ${count === 1 ? one : many}`; }
