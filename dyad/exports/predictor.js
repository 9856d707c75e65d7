// A model of dyad: scores, probabilities and classes of rows, as an ECMAScript module.
//
//   import { predict } from "./model.js";
//   predict({ width: 1.5, colour: "red", age: null });  // { label, scores, probabilities }
//
// A row has numbers and texts by the names of the features; what is null, undefined, NaN or absent is missing. A level is
// found by its spelling. For a feature of numbers, text is read as a number; blank text and all else that is no number is
// missing.

// The functions that predict by a model, a document as `dyad export --to json` writes it.
function predictorOf(model) {
  const features = model.features.map((feature) => feature.name);
  const classes = model.classes;

  const levelCodes = model.features.map(
    (feature) => feature.levels && new Map(feature.levels.map((name, code) => [name, code])));

  // Tables and terms as objects of one shape each, which engines make fast code for.
  const ONE = 0, TWO = 1, POINTS = 2, ORIGIN = 3; // kinds of densities: tables of one feature, of two, sums over points

  const densities = model.densities.map((density) => {
    const isPair = density.features.length === 2;
    const [u, v] = [...(density.axes || []), { origin: 0, step: 1, size: 1, bandwidth: 1 }, {}];
    const [pointsU, pointsV = pointsU.map(() => 0)] = density.points || [[], []];
    const isOrigin = pointsU.length === 1 && pointsU[0] === 0 && pointsV[0] === 0;
    const [x, y = x] = density.features;
    const [centreX, centreY = 0] = density.centre, [scaleX, scaleY = 1] = density.scale;
    return {
      kind: density.depths ? (isPair ? TWO : ONE) : isOrigin ? ORIGIN : POINTS,
      isPair, x, y, centreX, centreY, perX: 1 / scaleX, perY: 1 / scaleY, limit: density.limit, shear: density.shear,
      originU: u.origin, perStepU: 1 / u.step, endU: u.size - 1, stepsU: u.bandwidth / u.step,
      originV: v.origin, perStepV: 1 / v.step, endV: v.size - 1, stepsV: v.bandwidth / v.step,
      height: density.height, unit: density.unit || 0, depths: Uint16Array.from(density.depths || []),
      pointsU: Float64Array.from(pointsU), pointsV: Float64Array.from(pointsV),
    };
  });

  const terms = model.terms.map((term) => {
    const [x, y = x] = term.features;
    const [levelsX, levelsY] = [...(term.levels || []), { numbers: false, missing: false, count: 1 }, {}];
    const cells = (term.cells || []).map((cell) => ({
      logShare: cell.log_share,
      mixtures: cell.mixtures.map(
        (parts) => parts.map((part) => ({ logWeight: part.log_weight, density: densities[part.density] }))),
    }));
    const own = (term.own || []).filter((number) => number !== null);
    const { centre, floor = 0, weights } = term;
    const hasNodes = Boolean(levelsX.nodes || levelsY.nodes);
    return { x, y, isLinear: term.kind === "linear", hasNodes, levelsX, levelsY, cells, own, centre, floor, weights };
  });

  const limited = (value, limit) => (value < -limit ? -limit : value > limit ? limit : value);

  // ---- features ----

  // z = (t - mean) / deviation; t = (x - centre) / spread, its asinh, or log max(x, lowest).
  function coordinate(c, x) {
    if (!c || Number.isNaN(x)) return x;
    let t;
    if (c.curve === "log") {
      t = Math.log(Math.max(x, c.lowest));
    } else {
      t = limited(x / c.spread, 1e100) - limited(c.centre / c.spread, 1e100);
      if (c.curve === "asinh") t = Math.asinh(t);
    }
    const distance = t - c.mean;
    return Math.abs(distance) <= 1e-12 * Math.max(Math.abs(c.mean), c.deviation)
      ? 0 : limited(distance / c.deviation, 1e100);
  }

  // A number, or NaN: Number() by itself takes blank text, false and [] as 0.
  function numberOf(value) {
    if (typeof value === "number") return value;
    return typeof value === "string" && value.trim() !== "" ? Number(value) : NaN;
  }

  // A number in its coordinate, the code of a level, or NaN.
  function position(j, value) {
    if (value === null || value === undefined) return NaN;
    const feature = model.features[j];
    if (!feature.levels) return coordinate(feature.coordinate, numberOf(value));
    if (Number.isNaN(value)) return NaN;
    const code = levelCodes[j].get(String(value));
    return code !== undefined ? code : feature.others ? feature.levels.length : NaN;
  }

  // ---- densities ----

  // The fall of a log density beyond the end of an axis, `depth` below the top; `rise` is that of the last cell.
  function fall(beyond, steps, depth, rise) {
    const outward = (beyond > 0 ? rise : -rise) * steps - 0.5 / steps;
    const steepest = depth < 63 ? outward : Math.min(outward, -Math.sqrt(2 * depth));
    const distance = Math.min(Math.abs(beyond), 1e18);
    return distance * (Math.min(steepest, -3.5) - 0.5 * distance);
  }

  function lookUpOne(d, u) {
    const { height, depths } = d;
    const place = (u - d.originU) * d.perStepU;
    const inside = place < 0 ? 0 : place > d.endU ? d.endU : place;
    const cell = inside < d.endU ? Math.floor(inside) : d.endU - 1;
    const low = depths[cell], high = depths[cell + 1];
    const depth = d.unit * (low + (inside - cell) * (high - low));
    if (place === inside) return height - depth;
    return height - depth + fall((place - inside) / d.stepsU, d.stepsU, depth, d.unit * (low - high));
  }

  function lookUpTwo(d, u, v) {
    const depths = d.depths;
    const placeU = (u - d.originU) * d.perStepU, placeV = (v - d.originV) * d.perStepV;
    const insideU = placeU < 0 ? 0 : placeU > d.endU ? d.endU : placeU;
    const insideV = placeV < 0 ? 0 : placeV > d.endV ? d.endV : placeV;
    const cellU = insideU < d.endU ? Math.floor(insideU) : d.endU - 1;
    const cellV = insideV < d.endV ? Math.floor(insideV) : d.endV - 1;
    const f = insideU - cellU, g = insideV - cellV;
    const node = cellU * (d.endV + 1) + cellV, next = node + d.endV + 1;
    const lowLow = depths[node], lowHigh = depths[node + 1];
    const highLow = depths[next], highHigh = depths[next + 1];
    const low = lowLow + g * (lowHigh - lowLow), high = highLow + g * (highHigh - highLow);
    const depth = d.unit * (low + f * (high - low));
    let value = d.height - depth;
    if (placeU !== insideU) value += fall((placeU - insideU) / d.stepsU, d.stepsU, depth, d.unit * (low - high));
    if (placeV !== insideV) {
      const riseLow = lowLow - lowHigh, riseHigh = highLow - highHigh;
      const rise = d.unit * (riseLow + f * (riseHigh - riseLow));
      value += fall((placeV - insideV) / d.stepsV, d.stepsV, depth, rise);
    }
    return value;
  }

  // height + log sum_i exp(-r_i^2 / 2), r_i the distance from point i.
  function sumOverPoints(d, u, v) {
    const { pointsU, pointsV } = d;
    const squared = (i) => (u - pointsU[i]) ** 2 + (v - pointsV[i]) ** 2;
    let nearest = Infinity, sum = 0;
    for (let i = 0; i < pointsU.length; ++i) nearest = Math.min(nearest, squared(i));
    for (let i = 0; i < pointsU.length; ++i) sum += Math.exp((nearest - squared(i)) / 2);
    return d.height + Math.log(sum) - nearest / 2;
  }

  // Log densities of n rows of z at u = (z_x - centre_x) / scale_x, v = (z_y - centre_y) / scale_y - shear u. Whole runs of
  // rows: numbers then stay in arrays, where functions that return numbers would allocate them.
  function densityValues(d, z, rows, n, out) {
    const { limit, shear, kind, isPair } = d;
    const zX = z[d.x], zY = z[d.y];
    for (let i = 0; i < n; ++i) {
      const u = limited((zX[rows[i]] - d.centreX) * d.perX, limit);
      const v = isPair ? limited((zY[rows[i]] - d.centreY) * d.perY, limit) - shear * u : 0;
      if (kind === TWO) out[i] = lookUpTwo(d, u, v);
      else if (kind === ORIGIN) out[i] = d.height - 0.5 * (u * u + v * v);
      else out[i] = kind === ONE ? lookUpOne(d, u) : sumOverPoints(d, u, v);
    }
  }

  // ---- terms ----

  const BLOCK = 64; // rows at a time: a table stays in the cache for them
  const UNMET = -1, DONE = -2; // cells of no level, and of rows that have their values
  const sums = new Float64Array(BLOCK), values = new Float64Array(BLOCK), valuesOfCell = new Float64Array(BLOCK);
  const cellsOfRows = new Int32Array(BLOCK), rowsOfCell = new Int32Array(BLOCK);
  const deviationsOfTerms = terms.map(() => new Float64Array(BLOCK));

  // log(1 + x) for 0 <= x <= 1: by its series where that is short, as in most sums.
  function logarithmOfOneAnd(x) {
    return x < 0.01 ? x * (1 - x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x / 6))))) : Math.log(1 + x);
  }

  // to = log(exp(to) + exp(from)).
  function addInLogarithms(from, to, n) {
    for (let i = 0; i < n; ++i) {
      const a = from[i], b = to[i];
      to[i] = a > b ? a + logarithmOfOneAnd(Math.exp(b - a)) : b + logarithmOfOneAnd(Math.exp(a - b));
    }
  }

  // The level of a number by its cuts, of a code or a missing value; -1 if it was never met.
  function levelOf(levels, value) {
    if (value !== value) return levels.missing ? levels.count - 1 : -1;
    if (levels.numbers) return levels.cuts ? levels.cuts.filter((cut) => cut <= value).length : 0;
    return value < levels.count - (levels.missing ? 1 : 0) ? value : -1;
  }

  // The node before a number and the share of the next, or the level of a value.
  function placeOf(levels, value) {
    if (!levels.nodes || value !== value) return [levelOf(levels, value), 0];
    const nodes = levels.cuts || [], above = nodes.filter((node) => node <= value).length;
    if (above === 0 || above === nodes.length) return [above === 0 ? 0 : above - 1, 0];
    const low = nodes[above - 1], high = nodes[above];
    return [above - 1, (value / 2 - low / 2) / (high / 2 - low / 2)];
  }

  // The value of a table with nodes: linear between them.
  function interpolated(term, x, y) {
    const { levelsX, levelsY, cells } = term;
    const [a, f] = placeOf(levelsX, x);
    const [b, g] = levelsY.count === 1 && !levelsY.numbers ? [0, 0] : placeOf(levelsY, y);
    const along = (row) => {
      const low = cells[row * levelsY.count + b].logShare;
      return g > 0 ? low + g * (cells[row * levelsY.count + b + 1].logShare - low) : low;
    };
    const low = along(a);
    return f > 0 ? low + f * (along(a + 1) - low) : low;
  }

  function cellOf(term, x, y) {
    const { levelsX, levelsY } = term;
    const a = levelOf(levelsX, x);
    const b = levelsY.count === 1 && !levelsY.numbers ? 0 : levelOf(levelsY, y);
    return a < 0 || b < 0 ? UNMET : a * levelsY.count + b;
  }

  // The log density of a cell in n rows.
  function cellValues(cell, z, rows, n, out) {
    out.fill(cell.logShare, 0, n);
    for (const parts of cell.mixtures) {
      for (let p = 0; p < parts.length; ++p) {
        const { density, logWeight } = parts[p], to = p === 0 ? sums : values;
        densityValues(density, z, rows, n, to);
        for (let i = 0; i < n; ++i) to[i] += logWeight;
        if (p > 0) addInLogarithms(values, sums, n);
      }
      for (let i = 0; i < n; ++i) out[i] += sums[i];
    }
  }

  // The deviations of a term in those of `count` rows that are in a cell, which is then done.
  function addCell(term, cell, z, count, out) {
    let n = 0;
    for (let i = 0; i < count; ++i) if (cellsOfRows[i] === cell) rowsOfCell[n++] = i;
    cellValues(term.cells[cell], z, rowsOfCell, n, valuesOfCell);
    for (let k = 0; k < n; ++k) {
      out[rowsOfCell[k]] = Math.max(valuesOfCell[k], term.floor) - term.centre;
      cellsOfRows[rowsOfCell[k]] = DONE;
    }
  }

  // The deviations of a term from its centre in `count` rows; returns true if a level was never met in a row.
  function deviations(term, z, count, out) {
    const zX = z[term.x], zY = z[term.y];
    if (term.isLinear) {
      for (let i = 0; i < count; ++i) out[i] = Number.isNaN(zX[i]) ? 0 : zX[i] - term.centre;
      return false;
    }
    if (term.hasNodes) {
      for (let i = 0; i < count; ++i) out[i] = interpolated(term, zX[i], zY[i]) - term.centre;
      return false;
    }
    let hasUnmet = false;
    for (let i = 0; i < count; ++i) cellsOfRows[i] = cellOf(term, zX[i], zY[i]);
    for (let i = 0; i < count; ++i) {
      if (cellsOfRows[i] === UNMET) {
        out[i] = 0;
        hasUnmet = true;
      } else if (cellsOfRows[i] !== DONE) {
        addCell(term, cellsOfRows[i], z, count, out);
      }
    }
    return hasUnmet;
  }

  // Where a level was never met, a pair deviates as its features alone, whose deviations are there.
  function addOwn(term, z, count, all, out) {
    for (let i = 0; i < count; ++i)
      if (cellOf(term, z[term.x][i], z[term.y][i]) === UNMET) for (const own of term.own) out[i] += all[own][i];
  }

  // ---- scores, probabilities, classes ----

  // The deviations of the terms in a block of rows, by term, until the next call.
  function deviationsOfRows(block) {
    const z = model.features.map((_, j) => Float64Array.from(block, (row) => position(j, row[j])));
    const all = deviationsOfTerms;
    const haveUnmet = terms.map((term, t) => deviations(term, z, block.length, all[t]));
    terms.forEach((term, t) => {
      if (haveUnmet[t]) addOwn(term, z, block.length, all, all[t]);
    });
    return all;
  }

  // What a term adds to score k of a row in which it deviates so much.
  const contribution = (term, k, deviation) => limited(term.weights[k] * deviation, 1e200);

  // Adds the scores of a block of rows to `result`.
  function addScores(block, result) {
    const all = deviationsOfRows(block);
    terms.forEach((term, t) => {
      for (let i = 0; i < block.length; ++i)
        for (let k = 0; k < result[i].length; ++k) result[i][k] += contribution(term, k, all[t][i]);
    });
  }

  // The scores of rows of values in the order of `features`: of two classes that of the second, else one a class. Many rows at
  // once are faster.
  function scoresOfRows(rows) {
    const result = rows.map(() => model.intercepts.slice());
    for (let first = 0; first < rows.length; first += BLOCK)
      addScores(rows.slice(first, first + BLOCK), result.slice(first, first + BLOCK));
    return result;
  }

  // The scores of one row of values.
  const scores = (values) => scoresOfRows([values])[0];

  // What each term adds to each score of a row of values, by term: with the intercepts they add up to the scores.
  function contributions(values) {
    const all = deviationsOfRows([values]);
    return terms.map((term, t) => model.intercepts.map((_, k) => contribution(term, k, all[t][0])));
  }

  // A row of values in the coordinates of the densities, or as codes of levels; NaN where one is missing.
  const positions = (values) => model.features.map((_, j) => position(j, values[j]));

  function winner(score) {
    if (score.length === 1) return score[0] > 0 ? 1 : 0;
    return score.indexOf(Math.max(...score));
  }

  // The calibrated probability of one score: a logistic function, or straight lines between steps.
  function calibrated(calibration, score) {
    const { slope, offset, steps } = calibration;
    if (steps.length === 0) return 1 / (1 + Math.exp(-(slope * score + offset)));
    const above = steps.findIndex((step) => step[0] > score);
    if (above === 0) return steps[0][1];
    if (above < 0) return steps[steps.length - 1][1];
    const [low, high] = [steps[above - 1], steps[above]];
    return low[1] + ((score / 2 - low[0] / 2) / (high[0] / 2 - low[0] / 2)) * (high[1] - low[1]);
  }

  function softmax(score) {
    const logits = score.map(
      (s, k) => limited(model.calibrations[k].slope * s + model.calibrations[k].offset, 1e300));
    const highest = Math.max(...logits);
    return logits.map((value) => Math.exp(value - highest));
  }

  // s_k - log sum of exp(s_l) over the others.
  function logOdds(score, k) {
    const others = score.filter((_, l) => l !== k);
    const highest = Math.max(...others);
    return score[k] - highest - Math.log(others.reduce((sum, s) => sum + Math.exp(s - highest), 0));
  }

  function divided(values) {
    const sum = values.reduce((a, b) => a + b, 0);
    return values.map((value) => (sum > 0 ? value / sum : 1 / values.length));
  }

  // Raises the probability of the winner to the largest, unless it is so already.
  function withWinner(best, p) {
    if (p.every((value, k) => (k < best ? value < p[best] : value <= p[best]))) return p;
    return divided(p.map((value, k) => (k === best ? Math.max(...p) * (1 + 1e-12) : value)));
  }

  // The probabilities of the classes, by the scores of a row.
  function probabilities(score) {
    let p;
    if (score.length === 1) {
      const second = calibrated(model.calibrations[0], score[0]);
      p = [1 - second, second];
    } else if (model.calibrations.some((calibration) => calibration.steps.length > 0)) {
      p = divided(score.map((s, k) => calibrated(model.calibrations[k], model.likelihoods ? logOdds(score, k) : s)));
    } else {
      p = divided(softmax(score));
    }
    return model.costs ? p : withWinner(winner(score), p);
  }

  // The place of the predicted class: that of the largest score or, with costs, of the least expected cost.
  function predictedClass(score) {
    const best = winner(score);
    if (!model.costs) return best;
    const p = probabilities(score);
    const cost = p.map((_, b) => p.reduce((sum, value, a) => sum + value * model.costs[a][b], 0));
    const least = Math.min(...cost);
    return cost[best] <= least ? best : cost.indexOf(least);
  }

  // The prediction for a row, an object with values by the names of the features.
  function predict(row) {
    const score = scores(features.map((name) => (Object.hasOwn(row, name) ? row[name] : null)));
    return { label: classes[predictedClass(score)], scores: score, probabilities: probabilities(score) };
  }

  return {
    features, classes, scoresOfRows, scores, contributions, positions, probabilities, predictedClass, predict,
  };
}
