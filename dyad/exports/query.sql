-- A model of dyad for DuckDB and SQLite (3.35 and later, with mathematical functions).
--
-- Put rows into the table dyad_rows: a row_id, then the features by name. NULL is a missing value, and so is a
-- number that is NaN or infinite. Then
--
--   SELECT row_id, class, score, probability FROM dyad_predictions WHERE predicted = 1;

-- Kind: 'two' classes, 'softmax' of several, or each class against the 'rest'.
CREATE TABLE dyad_model (kind TEXT, likelihoods INTEGER, has_costs INTEGER);
CREATE TABLE dyad_class (class INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE dyad_feature (feature INTEGER PRIMARY KEY, name TEXT, is_number INTEGER, others INTEGER, curve TEXT,
  lowest DOUBLE, centre DOUBLE, spread DOUBLE, mean DOUBLE, deviation DOUBLE, rounding DOUBLE);
CREATE TABLE dyad_level (feature INTEGER, name TEXT, code INTEGER, PRIMARY KEY (feature, name));
CREATE TABLE dyad_term (term INTEGER PRIMARY KEY, is_linear INTEGER, x INTEGER, y INTEGER,
  numbers_x INTEGER, missing_x INTEGER, count_x INTEGER, numbers_y INTEGER, missing_y INTEGER, count_y INTEGER,
  floor DOUBLE, centre DOUBLE);
-- The terms of each feature of a pair alone, in the same class.
CREATE TABLE dyad_own (term INTEGER, own INTEGER, PRIMARY KEY (term, own));
-- Free tables: the level of a number is that of its cuts, of x (axis 0) or y (1), that are not above it.
CREATE TABLE dyad_cut (term INTEGER, axis INTEGER, cut DOUBLE, PRIMARY KEY (term, axis, cut));
CREATE TABLE dyad_cell (term INTEGER, cell INTEGER, log_share DOUBLE, PRIMARY KEY (term, cell));
CREATE TABLE dyad_part (term INTEGER, cell INTEGER, mixture INTEGER, part INTEGER, log_weight DOUBLE, density INTEGER,
  PRIMARY KEY (term, cell, mixture, part));
CREATE TABLE dyad_density (density INTEGER PRIMARY KEY, kind TEXT, x INTEGER, y INTEGER, farthest DOUBLE,
  centre_x DOUBLE, scale_x DOUBLE, centre_y DOUBLE, scale_y DOUBLE, shear DOUBLE,
  origin_u DOUBLE, step_u DOUBLE, steps_u DOUBLE, end_u INTEGER,
  origin_v DOUBLE, step_v DOUBLE, steps_v DOUBLE, end_v INTEGER, height DOUBLE, unit DOUBLE);
-- The depths of the nodes at one place along u: five digits each.
CREATE TABLE dyad_node (density INTEGER, place INTEGER, depths TEXT, PRIMARY KEY (density, place));
CREATE TABLE dyad_point (density INTEGER, u DOUBLE, v DOUBLE);
CREATE TABLE dyad_score (score INTEGER PRIMARY KEY, intercept DOUBLE, slope DOUBLE, calibration_offset DOUBLE);
CREATE TABLE dyad_weight (term INTEGER, score INTEGER, weight DOUBLE, PRIMARY KEY (term, score));
-- Isotonic calibration: straight lines between a lower and a higher score.
CREATE TABLE dyad_step (score INTEGER, low DOUBLE, high DOUBLE, p_low DOUBLE, p_high DOUBLE);
CREATE TABLE dyad_cost (class INTEGER, predicted INTEGER, cost DOUBLE);

-- MODEL

CREATE VIEW dyad_predictions AS
WITH
-- Values in their coordinates: z = (t - mean) / deviation, t = (x - centre) / spread, its asinh, or log max(x, lowest).
quotients AS (
  SELECT v.row_id, f.feature, f.is_number, f.others, f.curve, f.mean, f.deviation, f.rounding, v.number, v.level,
    CASE WHEN f.curve = 'log' THEN CASE WHEN v.number > f.lowest THEN v.number ELSE f.lowest END
         WHEN v.number / f.spread < -1e100 THEN -1e100 - f.centre / f.spread
         WHEN v.number / f.spread > 1e100 THEN 1e100 - f.centre / f.spread
         ELSE v.number / f.spread - f.centre / f.spread END AS q
  FROM dyad_values v JOIN dyad_feature f ON f.feature = v.feature),
distances AS (
  SELECT row_id, feature, is_number, others, curve, deviation, rounding, number, level,
    CASE curve WHEN 'log' THEN ln(q) WHEN 'asinh' THEN asinh(q) ELSE q END - mean AS d
  FROM quotients),
coordinates AS MATERIALIZED (
  SELECT d.row_id, d.feature,
    CASE WHEN d.is_number = 0 THEN CASE WHEN d.level IS NOT NULL THEN COALESCE(l.code, d.others) END
         WHEN d.number IS NULL THEN NULL
         WHEN d.curve = 'none' THEN d.number
         WHEN abs(d.d) <= d.rounding THEN 0
         WHEN d.d / d.deviation < -1e100 THEN -1e100
         WHEN d.d / d.deviation > 1e100 THEN 1e100
         ELSE d.d / d.deviation END AS z
  FROM distances d LEFT JOIN dyad_level l ON l.feature = d.feature AND l.name = d.level),
-- The cell of each term: by the levels of its features, NULL where one was never met.
levels AS (
  SELECT x.row_id, t.term, t.is_linear, t.x, t.y, t.count_y, t.floor, t.centre, x.z AS z_x, y.z AS z_y,
    CASE WHEN x.z IS NULL THEN CASE WHEN t.missing_x = 1 THEN t.count_x - 1 END
         WHEN t.numbers_x = 1 THEN (SELECT count(*) FROM dyad_cut c WHERE c.term = t.term AND c.axis = 0 AND c.cut <= x.z)
         WHEN x.z < t.count_x - t.missing_x THEN CAST(x.z AS INTEGER) END AS level_x,
    CASE WHEN t.numbers_y = 0 AND t.count_y = 1 THEN 0
         WHEN y.z IS NULL THEN CASE WHEN t.missing_y = 1 THEN t.count_y - 1 END
         WHEN t.numbers_y = 1 THEN (SELECT count(*) FROM dyad_cut c WHERE c.term = t.term AND c.axis = 1 AND c.cut <= y.z)
         WHEN y.z < t.count_y - t.missing_y THEN CAST(y.z AS INTEGER) END AS level_y
  FROM dyad_term t JOIN coordinates x ON x.feature = t.x JOIN coordinates y ON y.row_id = x.row_id AND y.feature = t.y),
cells AS MATERIALIZED (SELECT *, level_x * count_y + level_y AS cell FROM levels),
-- Densities: u = (z_x - centre_x) / scale_x, v = (z_y - centre_y) / scale_y - shear u, and their places on the axes.
scaled AS (
  SELECT c.row_id, c.term, p.mixture, p.part, p.log_weight, d.*,
    (CASE WHEN d.x = c.x THEN c.z_x ELSE c.z_y END - d.centre_x) / d.scale_x AS s,
    (CASE WHEN d.y = c.x THEN c.z_x ELSE c.z_y END - d.centre_y) / d.scale_y AS t
  FROM cells c JOIN dyad_part p ON p.term = c.term AND p.cell = c.cell JOIN dyad_density d ON d.density = p.density),
kept AS (
  SELECT *, CASE WHEN s < -farthest THEN -farthest WHEN s > farthest THEN farthest ELSE s END AS u,
    CASE WHEN t < -farthest THEN -farthest WHEN t > farthest THEN farthest ELSE t END AS w
  FROM scaled),
sheared AS MATERIALIZED (SELECT *, CASE WHEN x = y THEN 0 ELSE w - shear * u END AS v FROM kept),
placed AS (
  SELECT *, (u - origin_u) / step_u AS place_u, (v - origin_v) / step_v AS place_v FROM sheared WHERE kind = 'table'),
inside AS (
  SELECT *, CASE WHEN place_u < 0 THEN 0 WHEN place_u > end_u THEN end_u ELSE place_u END AS inside_u,
    CASE WHEN place_v < 0 THEN 0 WHEN place_v > end_v THEN end_v ELSE place_v END AS inside_v
  FROM placed),
between_nodes AS (
  SELECT *, CAST(CASE WHEN inside_u >= end_u THEN end_u - 1 ELSE floor(inside_u) END AS INTEGER) AS cell_u,
    CAST(CASE WHEN end_v = 0 THEN 0 WHEN inside_v >= end_v THEN end_v - 1 ELSE floor(inside_v) END AS INTEGER) AS cell_v
  FROM inside),
corners AS (
  SELECT b.row_id, b.term, b.mixture, b.part, b.log_weight, b.height, b.unit, b.steps_u, b.steps_v,
    b.inside_u - b.cell_u AS f, b.inside_v - b.cell_v AS g,
    (b.place_u - b.inside_u) / b.steps_u AS beyond_u,
    CASE WHEN b.end_v = 0 THEN 0 ELSE (b.place_v - b.inside_v) / b.steps_v END AS beyond_v,
    CAST(substr(n.depths, 5 * b.cell_v + 1, 5) AS INTEGER) AS low_low,
    CAST(substr(m.depths, 5 * b.cell_v + 1, 5) AS INTEGER) AS high_low,
    CASE WHEN b.end_v = 0 THEN 0 ELSE CAST(substr(n.depths, 5 * b.cell_v + 6, 5) AS INTEGER) END AS low_high,
    CASE WHEN b.end_v = 0 THEN 0 ELSE CAST(substr(m.depths, 5 * b.cell_v + 6, 5) AS INTEGER) END AS high_high
  FROM between_nodes b JOIN dyad_node n ON n.density = b.density AND n.place = b.cell_u
    JOIN dyad_node m ON m.density = b.density AND m.place = b.cell_u + 1),
interpolated AS (
  SELECT *, low_low + g * (low_high - low_low) AS low, high_low + g * (high_high - high_low) AS high FROM corners),
depths AS (
  SELECT *, unit * (low + f * (high - low)) AS depth, unit * (low - high) AS rise_u,
    unit * ((low_low - low_high) + f * ((high_low - high_high) - (low_low - low_high))) AS rise_v
  FROM interpolated),
-- Beyond an axis a log density falls by d (s - d / 2): s the outward slope in the last cell, at most -3.5.
slopes AS (
  SELECT *, CASE WHEN beyond_u > 0 THEN rise_u ELSE -rise_u END * steps_u - 0.5 / steps_u AS slope_u,
    CASE WHEN beyond_v > 0 THEN rise_v ELSE -rise_v END * steps_v - 0.5 / steps_v AS slope_v,
    CASE WHEN depth < 63 THEN -3.5 ELSE -sqrt(2 * depth) END AS steepest,
    CASE WHEN abs(beyond_u) > 1e18 THEN 1e18 ELSE abs(beyond_u) END AS far_u,
    CASE WHEN abs(beyond_v) > 1e18 THEN 1e18 ELSE abs(beyond_v) END AS far_v
  FROM depths),
of_tables AS (
  SELECT row_id, term, mixture, part, log_weight + height - depth
    + far_u * (CASE WHEN slope_u < steepest THEN slope_u ELSE steepest END - 0.5 * far_u)
    + far_v * (CASE WHEN slope_v < steepest THEN slope_v ELSE steepest END - 0.5 * far_v) AS value
  FROM slopes),
-- Sums over points: height + log sum exp(-r^2 / 2); one point at 0 needs none.
of_origin AS (
  SELECT row_id, term, mixture, part, log_weight + height - 0.5 * (u * u + v * v) AS value FROM sheared WHERE kind = 'origin'),
radii AS (
  SELECT s.row_id, s.term, s.mixture, s.part, s.log_weight + s.height AS height,
    (s.u - p.u) * (s.u - p.u) + CASE WHEN s.x = s.y THEN 0 ELSE (s.v - p.v) * (s.v - p.v) END AS squared
  FROM sheared s JOIN dyad_point p ON p.density = s.density WHERE s.kind = 'points'),
from_nearest AS (
  SELECT *, min(squared) OVER (PARTITION BY row_id, term, mixture, part) AS nearest FROM radii),
of_points AS (
  SELECT row_id, term, mixture, part, max(height) - max(nearest) / 2 + ln(sum(exp((nearest - squared) / 2))) AS value
  FROM from_nearest GROUP BY row_id, term, mixture, part),
density_values AS (
  SELECT * FROM of_tables UNION ALL SELECT * FROM of_origin UNION ALL SELECT * FROM of_points),
-- The parts of the two mixtures of a cell side by side, then the logarithms of their sums.
sides AS (
  SELECT row_id, term,
    max(CASE WHEN mixture = 0 AND part = 0 THEN value END) AS a, max(CASE WHEN mixture = 0 AND part = 1 THEN value END) AS b,
    max(CASE WHEN mixture = 0 AND part = 2 THEN value END) AS c, max(CASE WHEN mixture = 1 AND part = 0 THEN value END) AS d,
    max(CASE WHEN mixture = 1 AND part = 1 THEN value END) AS e, max(CASE WHEN mixture = 1 AND part = 2 THEN value END) AS f
  FROM density_values GROUP BY row_id, term),
pairs AS (
  SELECT row_id, term, c, f,
    CASE WHEN b IS NULL THEN a WHEN a > b THEN a + ln(1 + exp(b - a)) ELSE b + ln(1 + exp(a - b)) END AS ab,
    CASE WHEN e IS NULL THEN d WHEN d > e THEN d + ln(1 + exp(e - d)) ELSE e + ln(1 + exp(d - e)) END AS de
  FROM sides),
mixtures AS (
  SELECT row_id, term,
    CASE WHEN c IS NULL THEN ab WHEN ab > c THEN ab + ln(1 + exp(c - ab)) ELSE c + ln(1 + exp(ab - c)) END AS first_value,
    CASE WHEN f IS NULL THEN de WHEN de > f THEN de + ln(1 + exp(f - de)) ELSE f + ln(1 + exp(de - f)) END AS second_value
  FROM pairs),
cell_values AS (
  SELECT c.row_id, c.term, c.floor, c.centre, c.is_linear, c.z_x,
    s.log_share + COALESCE(m.first_value, 0) + COALESCE(m.second_value, 0) AS value
  FROM cells c LEFT JOIN dyad_cell s ON s.term = c.term AND s.cell = c.cell
    LEFT JOIN mixtures m ON m.row_id = c.row_id AND m.term = c.term),
-- Deviations of terms from their centres; a pair with a level never met has those of its features alone.
met AS MATERIALIZED (
  SELECT row_id, term,
    CASE WHEN is_linear = 1 THEN z_x WHEN value > floor THEN value ELSE floor END - centre AS deviation
  FROM cell_values WHERE (is_linear = 1 AND z_x IS NOT NULL) OR value IS NOT NULL),
deviations AS (
  SELECT row_id, term, deviation FROM met
  UNION ALL
  SELECT c.row_id, c.term, m.deviation
  FROM cells c JOIN dyad_own o ON o.term = c.term JOIN met m ON m.row_id = c.row_id AND m.term = o.own
  WHERE c.cell IS NULL),
sums AS (
  SELECT d.row_id, w.score, sum(CASE WHEN w.weight * d.deviation < -1e200 THEN -1e200
    WHEN w.weight * d.deviation > 1e200 THEN 1e200 ELSE w.weight * d.deviation END) AS s
  FROM deviations d JOIN dyad_weight w ON w.term = d.term GROUP BY d.row_id, w.score),
scores AS (
  SELECT r.row_id, k.score, k.intercept + COALESCE(s.s, 0) AS s, k.slope, k.calibration_offset
  FROM dyad_rows r CROSS JOIN dyad_score k LEFT JOIN sums s ON s.row_id = r.row_id AND s.score = k.score),
-- Log odds of a class against the rest: of the largest score by the second largest, of others by the largest.
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY row_id ORDER BY s DESC, score) AS place,
    max(s) OVER (PARTITION BY row_id) AS first_s
  FROM scores),
seconds AS (
  SELECT *, max(CASE WHEN place > 1 THEN s END) OVER (PARTITION BY row_id) AS second_s FROM ranked),
rests AS (
  SELECT *, sum(exp(s - first_s)) OVER (PARTITION BY row_id) AS from_first,
    sum(CASE WHEN place > 1 THEN exp(s - second_s) ELSE 0 END) OVER (PARTITION BY row_id) AS from_second
  FROM seconds),
arguments AS (
  SELECT r.row_id, r.score, r.s, r.place, r.slope, r.calibration_offset, m.kind, m.has_costs,
    CASE WHEN m.kind <> 'rest' OR m.likelihoods = 0 THEN r.s
         WHEN r.place = 1 THEN r.s - r.second_s - ln(r.from_second)
         ELSE r.s - r.first_s - ln(r.from_first - exp(r.s - r.first_s)) END AS a
  FROM rests r CROSS JOIN dyad_model m),
logits AS (
  SELECT *, CASE WHEN slope * a + calibration_offset < -1e300 THEN -1e300
    WHEN slope * a + calibration_offset > 1e300 THEN 1e300 ELSE slope * a + calibration_offset END AS z
  FROM arguments),
calibrated AS (
  SELECT l.*, max(l.z) OVER (PARTITION BY l.row_id) AS highest, CASE
    WHEN t.low IS NOT NULL THEN t.p_low + (l.a / 2 - t.low / 2) / (t.high / 2 - t.low / 2) * (t.p_high - t.p_low)
    WHEN l.z >= 0 THEN 1 / (1 + exp(-l.z)) ELSE exp(l.z) / (1 + exp(l.z)) END AS p
  FROM logits l LEFT JOIN dyad_step t ON t.score = l.score AND l.a >= t.low AND l.a < t.high),
-- A line for each class: its share of the probability, and whether its score wins.
shares AS (
  SELECT c.row_id, k.class, k.name, c.has_costs,
    CASE WHEN c.kind <> 'two' OR k.class = 1 THEN c.s END AS score,
    CASE WHEN c.kind = 'softmax' THEN exp(c.z - c.highest) WHEN c.kind = 'two' AND k.class = 0 THEN 1 - c.p ELSE c.p END AS p,
    CASE WHEN c.kind <> 'two' THEN CASE WHEN c.place = 1 THEN 1 ELSE 0 END
         WHEN (c.s > 0 AND k.class = 1) OR (c.s <= 0 AND k.class = 0) THEN 1 ELSE 0 END AS wins
  FROM calibrated c JOIN dyad_class k ON c.kind = 'two' OR k.class = c.score),
totals AS (
  SELECT *, sum(p) OVER (PARTITION BY row_id) AS total, count(*) OVER (PARTITION BY row_id) AS n FROM shares),
given AS (
  SELECT row_id, class, name, has_costs, score, wins, CASE WHEN total > 0 THEN p / total ELSE 1.0 / n END AS p FROM totals),
-- Without costs the probability of the winner is raised to the largest, unless it is so already.
winners AS (
  SELECT *, max(p) OVER (PARTITION BY row_id) AS largest,
    max(CASE WHEN wins = 1 THEN p END) OVER (PARTITION BY row_id) AS winner_p,
    max(CASE WHEN wins = 1 THEN class END) OVER (PARTITION BY row_id) AS winner
  FROM given),
beaten AS (
  SELECT *, max(CASE WHEN has_costs = 0 AND (p > winner_p OR (p = winner_p AND class < winner)) THEN 1 ELSE 0 END)
    OVER (PARTITION BY row_id) AS is_beaten
  FROM winners),
raised AS (
  SELECT row_id, class, name, score, wins,
    CASE WHEN is_beaten = 1 AND wins = 1 THEN largest * (1 + 1e-12) ELSE p END AS p
  FROM beaten),
probabilities AS (
  SELECT row_id, class, name, score, wins, p / sum(p) OVER (PARTITION BY row_id) AS p FROM raised),
-- The class of the least expected cost, the winner among equals: without costs all are equal.
expected AS (
  SELECT p.row_id, c.predicted AS class, sum(p.p * c.cost) AS cost,
    max(CASE WHEN p.class = c.predicted THEN p.name END) AS name, max(CASE WHEN p.class = c.predicted THEN p.score END) AS score,
    max(CASE WHEN p.class = c.predicted THEN p.p END) AS p, max(CASE WHEN p.class = c.predicted THEN p.wins END) AS wins
  FROM probabilities p JOIN dyad_cost c ON c.class = p.class GROUP BY p.row_id, c.predicted)
SELECT row_id, name AS class, score, p AS probability,
  CASE WHEN row_number() OVER (PARTITION BY row_id ORDER BY cost, wins DESC, class) = 1 THEN 1 ELSE 0 END AS predicted
FROM expected;
