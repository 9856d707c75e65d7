/* A model of dyad: scores, probabilities and classes of rows. C99, needs the mathematical library (-lm).
 *
 *   double row[] = {1.5, dyad_level(1, "red"), NAN};   numbers, levels, missing values: one for each feature
 *   double score[DYAD_SCORES], probability[DYAD_CLASSES];
 *   dyad_scores(row, 1, score);
 *   dyad_probabilities(score, 1, probability);
 *   puts(dyad_classes[dyad_class(score)]);
 *
 * Many rows at once are several times as fast, and more so with -O3 -march=native -fno-trapping-math. Nothing is
 * allocated, and threads may share it. Several models in one program are included in sources of their own, with
 * DYAD_API defined as static.
 *
 * The arrays of a call of dyad_scores take 8 DYAD_BLOCK (N_FEATURES + DYAD_SCORES + 14) bytes of the stack: at most
 * 64 KiB where one row fits that. DYAD_BLOCK is the number of rows at a time; define it before for another size.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef DYAD_API
#define DYAD_API
#endif

/* z = (t - mean) / deviation; t = (x - centre) / spread, its asinh, or log max(x, lowest). */
enum curve { LINEAR, ASINH, LOGARITHM, AS_IT_IS };

struct feature {
  enum curve curve;
  double lowest, centre, spread, mean, deviation;
  int first_level, n_levels; /* 0: a number */
  int has_others;            /* the code n_levels is that of all further levels */
};

struct axis {
  double origin, step, bandwidth;
  int size;
};

/* log density at u = (x - centre_x) / scale_x, v = (y - centre_y) / scale_y - shear u. */
struct density {
  int x, y, is_pair;
  double limit, centre_x, scale_x, centre_y, scale_y, shear;
  struct axis u, v;
  double height, unit; /* of a table; unit 0: points */
  int first, count;
};

struct part {
  double log_weight;
  int density;
};

struct cell {
  double log_share;
  int n_mixtures, first[2], count[2]; /* among the parts */
};

struct levels {
  int is_number, has_missing, count, first_cut, n_cuts, has_nodes;
};

struct term {
  int x, y, is_linear;
  struct levels levels_x, levels_y;
  int first_cell;
  double floor, centre;
  int own_x, own_y; /* the terms of x and of y alone, or -1 */
};

struct calibration {
  double slope, offset;
  int first_step, n_steps;
};

struct step {
  double score, probability;
};

/* MODEL */

/* Numbers on the stack for each row of a block: by feature, by score, and in the functions for a term. */
enum { ROW_NUMBERS = N_FEATURES + DYAD_SCORES + 14 };

/* Rows at a time: as many as 64 KiB of the stack hold, at least 1 and at most 128. */
#ifndef DYAD_BLOCK
#define DYAD_BLOCK (ROW_NUMBERS <= 64 ? 128 : ROW_NUMBERS <= 8192 ? 8192 / ROW_NUMBERS : 1)
#endif
enum { BLOCK = DYAD_BLOCK };

static double limited(double value, double limit) {
  return value < -limit ? -limit : value > limit ? limit : value;
}

/* ---- features ---- */

/* The code of a level; that of all further ones, or NAN as for a missing value, if it has none of its own. */
DYAD_API double dyad_level(int feature, const char *text) {
  const struct feature *f = &features[feature];
  for (int code = 0; code < f->n_levels; ++code)
    if (strcmp(level_names[f->first_level + code], text) == 0) return code;
  return f->has_others ? f->n_levels : (double)NAN;
}

static double coordinate(const struct feature *f, double x) {
  if (f->curve == AS_IT_IS || x != x) return x;
  double t;
  if (f->curve == LOGARITHM) {
    t = log(x > f->lowest ? x : f->lowest);
  } else {
    t = limited(x / f->spread, 1e100) - limited(f->centre / f->spread, 1e100);
    if (f->curve == ASINH) t = asinh(t);
  }
  const double distance = t - f->mean;
  const double size = fabs(f->mean) > f->deviation ? fabs(f->mean) : f->deviation;
  return fabs(distance) <= 1e-12 * size ? 0 : limited(distance / f->deviation, 1e100);
}

/* ---- densities ---- */

/* exp x for -700 <= x <= 0: 2^k exp(r), r within +-log(2) / 2. */
static inline double exponential(double x) {
  const double shifter = 6755399441055744.0; /* 1.5 2^52: adding it rounds to a whole number */
  const double shifted = x * 1.4426950408889634 + shifter;
  const double r = x - (shifted - shifter) * 0.6931471805599453;
  double sum = 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  uint64_t bits;
  double power;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52;
  memcpy(&power, &bits, sizeof power);
  return sum * power;
}

/* log(1 + x) for 0 <= x <= 1: 2 atanh(x / (2 + x)), from the logarithm of 1 or 1.5. */
static inline double logarithm_of_one_and(double x) {
  const int is_high = x > 0.25;
  const double base = is_high ? 1.5 : 1.0;
  const double s = (1 + x - base) / (1 + x + base);
  const double z = s * s;
  double sum = 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  sum = sum * z + 1;
  return (is_high ? 0.40546510810816438 : 0.0) + 2 * s * sum;
}

/* to = log(exp(to) + exp(from)). */
static void add_in_logarithms(const double *from, double *to, int n) {
  for (int i = 0; i < n; ++i) {
    const double larger = from[i] > to[i] ? from[i] : to[i];
    const double smaller = from[i] > to[i] ? to[i] : from[i];
    const double below = smaller - larger;
    to[i] = larger + logarithm_of_one_and(exponential(below > -700 ? below : -700));
  }
}

/* Values among the nodes of an axis. */
struct located {
  int cell[BLOCK];         /* the node before */
  double fraction[BLOCK];  /* of the way to the next */
  double beyond[BLOCK];    /* bandwidths before (negative) or behind the axis */
  double steps;            /* of the axis in a bandwidth */
  int any_beyond;
};

static void locate(const struct axis *axis, const double *t, struct located *at, int n) {
  const double origin = axis->origin, step = axis->step, end = axis->size - 1;
  const double steps = axis->bandwidth / step;
  const int last = axis->size - 2;
  for (int i = 0; i < n; ++i) {
    const double position = (t[i] - origin) / step;
    const double inside = position < 0 ? 0 : position > end ? end : position;
    const int below = (int)inside;
    const int cell = below < last ? below : last;
    at->cell[i] = cell;
    at->fraction[i] = inside - cell;
    at->beyond[i] = (position - inside) / steps;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += fabs(at->beyond[i]);
  at->any_beyond = sum != 0;
  at->steps = steps;
}

/* The fall of the log density beyond the end of an axis, `depth` below the top; `rise` is that of the last cell. */
static double fall(double beyond, double steps, double depth, double rise) {
  const double outward = (beyond > 0 ? rise : -rise) * steps - 0.5 / steps;
  const double kernel = -sqrt(2 * depth);
  const double steepest = depth < 63 || outward < kernel ? outward : kernel;
  const double distance = fabs(beyond) < 1e18 ? fabs(beyond) : 1e18;
  return distance * ((steepest < -3.5 ? steepest : -3.5) - 0.5 * distance);
}

static void look_up_one(const struct density *d, const double *u, double *out, int n) {
  struct located at;
  const uint16_t *const nodes = depths + d->first;
  const double height = d->height, unit = d->unit;
  locate(&d->u, u, &at, n);
  for (int i = 0; i < n; ++i) {
    const double low = nodes[at.cell[i]], high = nodes[at.cell[i] + 1];
    out[i] = height - unit * (low + at.fraction[i] * (high - low));
  }
  for (int i = 0; at.any_beyond && i < n; ++i) {
    const double low = nodes[at.cell[i]], high = nodes[at.cell[i] + 1];
    if (at.beyond[i] != 0) out[i] += fall(at.beyond[i], at.steps, height - out[i], unit * (low - high));
  }
}

static void look_up_two(const struct density *d, const double *u, const double *v, double *out, int n) {
  struct located x, y;
  const int n_v = d->v.size;
  const double height = d->height, unit = d->unit;
  const uint16_t *const nodes = depths + d->first;
  locate(&d->u, u, &x, n);
  locate(&d->v, v, &y, n);
  for (int i = 0; i < n; ++i) {
    const uint16_t *const node = nodes + x.cell[i] * n_v + y.cell[i];
    const double low_low = node[0], low_high = node[1], high_low = node[n_v], high_high = node[n_v + 1];
    const double low = low_low + y.fraction[i] * (low_high - low_low);
    const double high = high_low + y.fraction[i] * (high_high - high_low);
    out[i] = height - unit * (low + x.fraction[i] * (high - low));
  }
  if (!x.any_beyond && !y.any_beyond) return;
  for (int i = 0; i < n; ++i) {
    const uint16_t *const node = nodes + x.cell[i] * n_v + y.cell[i];
    const double low_low = node[0], low_high = node[1], high_low = node[n_v], high_high = node[n_v + 1];
    const double depth = height - out[i], f = x.fraction[i], g = y.fraction[i];
    if (x.beyond[i] != 0) {
      const double low = low_low + g * (low_high - low_low), high = high_low + g * (high_high - high_low);
      out[i] += fall(x.beyond[i], x.steps, depth, unit * (low - high));
    }
    if (y.beyond[i] != 0) {
      const double low = low_low - low_high, high = high_low - high_high;
      out[i] += fall(y.beyond[i], y.steps, depth, unit * (low + f * (high - low)));
    }
  }
}

/* height + log sum_i exp(-r_i^2 / 2), r_i the distance from point i. */
static void sum_over_points(const struct density *d, const double *u, const double *v, double *out, int n) {
  for (int i = 0; i < n; ++i) {
    double nearest = INFINITY, sum = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (int k = d->first; k < d->first + d->count; ++k) {
        const double a = u[i] - points_u[k], b = d->is_pair ? v[i] - points_v[k] : 0;
        const double squared = a * a + b * b;
        if (pass == 0 && squared < nearest) nearest = squared;
        if (pass == 1) sum += exp((nearest - squared) / 2);
      }
    out[i] = d->height + log(sum) - nearest / 2;
  }
}

static void density_values(const struct density *d, const double *x, const double *y, double *out, int n) {
  double u[BLOCK], v[BLOCK];
  for (int i = 0; i < n; ++i) u[i] = limited((x[i] - d->centre_x) / d->scale_x, d->limit);
  for (int i = 0; d->is_pair && i < n; ++i)
    v[i] = limited((y[i] - d->centre_y) / d->scale_y, d->limit) - d->shear * u[i];
  if (d->unit == 0 && d->count == 1 && points_u[d->first] == 0 && points_v[d->first] == 0)
    for (int i = 0; i < n; ++i) out[i] = d->height - 0.5 * (u[i] * u[i] + (d->is_pair ? v[i] * v[i] : 0));
  else if (d->unit == 0)
    sum_over_points(d, u, v, out, n);
  else if (d->is_pair)
    look_up_two(d, u, v, out, n);
  else
    look_up_one(d, u, out, n);
}

/* ---- terms ---- */

/* Rows in coordinates, by feature. */
typedef double block_of_rows[N_FEATURES][BLOCK];

/* The level of a number by its cuts, of a code or a missing value; -1 if it was never met. */
static int level_of(const struct levels *levels, double value) {
  const int n_codes = levels->count - levels->has_missing;
  int level = 0;
  if (value != value) return levels->has_missing ? levels->count - 1 : -1;
  if (levels->is_number) {
    while (level < levels->n_cuts && cuts[levels->first_cut + level] <= value) ++level;
    return level;
  }
  return value >= 0 && value < n_codes ? (int)value : -1;
}

static int cell_of(const struct term *term, double x, double y) {
  const int a = level_of(&term->levels_x, x);
  const int b = term->levels_y.count == 1 && !term->levels_y.is_number ? 0 : level_of(&term->levels_y, y);
  return a < 0 || b < 0 ? -1 : a * term->levels_y.count + b;
}

/* The node before a number, with the share of the next, or the level of a value. */
static int place_of(const struct levels *levels, double value, double *share) {
  const double *const nodes = cuts + levels->first_cut;
  const int above = level_of(levels, value);
  *share = 0;
  if (!levels->has_nodes || value != value || above == 0) return above;
  if (above < levels->n_cuts)
    *share = (value / 2 - nodes[above - 1] / 2) / (nodes[above] / 2 - nodes[above - 1] / 2);
  return above - 1;
}

/* The value of a table with nodes in one row: linear between them. */
static double interpolated(const struct term *term, double x, double y) {
  const int is_pair = term->x != term->y;
  double share_x, share_y = 0, value[2] = {0, 0};
  const int a = place_of(&term->levels_x, x, &share_x);
  const int b = is_pair ? place_of(&term->levels_y, y, &share_y) : 0;
  for (int k = 0; k < (share_x > 0 ? 2 : 1); ++k) {
    const struct cell *const c = &cells[term->first_cell + (a + k) * term->levels_y.count + b];
    value[k] = c[0].log_share;
    if (share_y > 0) value[k] += share_y * (c[1].log_share - c[0].log_share);
  }
  return share_x > 0 ? value[0] + share_x * (value[1] - value[0]) : value[0];
}

/* z of some rows, or of all n: those of all need no copy. */
static const double *picked(const double *z, const int *rows, int n, double *copy) {
  if (rows == NULL) return z;
  for (int i = 0; i < n; ++i) copy[i] = z[rows[i]];
  return copy;
}

/* The log density of a cell at some of the rows, or at all n. */
static void cell_values(const struct term *term, int cell, const block_of_rows z, const int *rows, int n,
                        double *out) {
  const struct cell *c = &cells[term->first_cell + cell];
  double x[BLOCK], y[BLOCK], value[BLOCK], sum[BLOCK];
  for (int i = 0; i < n; ++i) out[i] = c->log_share;
  for (int m = 0; m < c->n_mixtures; ++m) {
    for (int p = 0; p < c->count[m]; ++p) {
      const struct part *part = &parts[c->first[m] + p];
      const struct density *d = &densities[part->density];
      double *const to = p == 0 ? sum : value;
      density_values(d, picked(z[d->x], rows, n, x), picked(z[d->y], rows, n, y), to, n);
      for (int i = 0; i < n; ++i) to[i] += part->log_weight;
      if (p > 0) add_in_logarithms(value, sum, n);
    }
    for (int i = 0; i < n; ++i) out[i] += sum[i];
  }
}

/* The deviation of a term from its centre in one row. */
static double deviation_of_row(const struct term *term, const block_of_rows z, int row) {
  const int cell = cell_of(term, z[term->x][row], z[term->y][row]);
  double value = 0;
  if (cell < 0) return 0;
  cell_values(term, cell, z, &row, 1, &value);
  return (value > term->floor ? value : term->floor) - term->centre;
}

/* The deviation of a pair where a level was never met: those of its features alone. */
static double deviation_unmet(const struct term *term, const block_of_rows z, int row) {
  const double x = term->own_x < 0 ? 0 : deviation_of_row(&terms[term->own_x], z, row);
  return x + (term->own_y < 0 ? 0 : deviation_of_row(&terms[term->own_y], z, row));
}

/* The deviations of a term from its centre in n rows. */
static void deviations(const struct term *term, const block_of_rows z, int n, double *out) {
  enum { UNMET = -1, DONE = -2 };
  int cell[BLOCK], rows[BLOCK];
  double value[BLOCK];
  int first = 1; /* row of another cell than that of row 0 */
  const double *x = z[term->x], *y = z[term->y];
  for (int i = 0; i < n; ++i) out[i] = x[i] == x[i] ? x[i] - term->centre : 0;
  if (term->is_linear || n < 1) return;
  if (term->levels_x.has_nodes || term->levels_y.has_nodes) {
    for (int i = 0; i < n; ++i) out[i] = interpolated(term, x[i], y[i]) - term->centre;
    return;
  }
  for (int i = 0; i < n; ++i) cell[i] = cell_of(term, x[i], y[i]);
  while (first < n && cell[first] == cell[0]) ++first;
  if (first == n && cell[0] != UNMET) {
    cell_values(term, cell[0], z, NULL, n, value);
    for (int i = 0; i < n; ++i) out[i] = (value[i] > term->floor ? value[i] : term->floor) - term->centre;
    return;
  }
  for (int i = 0; i < n; ++i) {
    const int current = cell[i];
    int count = 0;
    if (current == DONE) continue; /* with an earlier row of its cell */
    if (current == UNMET) out[i] = deviation_unmet(term, z, i);
    for (int k = i; current != UNMET && k < n; ++k) {
      if (cell[k] != current) continue;
      rows[count++] = k;
      cell[k] = DONE;
    }
    if (count > 0) cell_values(term, current, z, rows, count, value);
    for (int k = 0; k < count; ++k)
      out[rows[k]] = (value[k] > term->floor ? value[k] : term->floor) - term->centre;
  }
}

/* ---- scores, probabilities, classes ---- */

/* Scores of n rows of N_FEATURES values: n rows of DYAD_SCORES; of two classes that of the second. */
DYAD_API void dyad_scores(const double *values, size_t n, double *scores) {
  for (size_t first = 0; first < n; first += BLOCK) {
    const int count = n - first < BLOCK ? (int)(n - first) : BLOCK;
    block_of_rows z;
    double deviation[BLOCK];
    double sum[DYAD_SCORES][BLOCK];
    for (int j = 0; j < N_FEATURES; ++j)
      for (int i = 0; i < count; ++i)
        z[j][i] = coordinate(&features[j], values[(first + (size_t)i) * N_FEATURES + (size_t)j]);
    for (int k = 0; k < DYAD_SCORES; ++k)
      for (int i = 0; i < count; ++i) sum[k][i] = intercepts[k];
    for (int t = 0; t < N_TERMS; ++t) {
      deviations(&terms[t], z, count, deviation);
      for (int k = 0; k < DYAD_SCORES; ++k) {
        const double weight = weights[t * DYAD_SCORES + k];
        for (int i = 0; i < count; ++i) sum[k][i] += limited(weight * deviation[i], 1e200);
      }
    }
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < DYAD_SCORES; ++k) scores[(first + (size_t)i) * DYAD_SCORES + (size_t)k] = sum[k][i];
  }
}

static int winner(const double *score) {
  if (DYAD_SCORES == 1) return score[0] > 0;
  int best = 0;
  for (int k = 1; k < DYAD_SCORES; ++k)
    if (score[k] > score[best]) best = k;
  return best;
}

/* The calibrated probability of one score: a logistic function, or straight lines between steps. */
static double calibrated(const struct calibration *c, double score) {
  if (c->n_steps == 0) return 1 / (1 + exp(-(c->slope * score + c->offset)));
  const struct step *s = steps + c->first_step;
  int above = 0;
  while (above < c->n_steps && s[above].score <= score) ++above;
  if (above == 0) return s[0].probability;
  if (above == c->n_steps) return s[above - 1].probability;
  const double share =
      (score / 2 - s[above - 1].score / 2) / (s[above].score / 2 - s[above - 1].score / 2);
  return s[above - 1].probability + share * (s[above].probability - s[above - 1].probability);
}

static void softmax(const double *score, double *p) {
  double highest = -INFINITY, sum = 0;
  for (int k = 0; k < DYAD_SCORES; ++k) {
    p[k] = limited(calibrations[k].slope * score[k] + calibrations[k].offset, 1e300);
    if (p[k] > highest) highest = p[k];
  }
  for (int k = 0; k < DYAD_SCORES; ++k) sum += p[k] = exp(p[k] - highest);
  for (int k = 0; k < DYAD_SCORES; ++k) p[k] /= sum;
}

/* s_k - log sum of exp(s_l) over the others. */
static double log_odds(const double *score, int k) {
  double highest = -INFINITY, sum = 0;
  for (int l = 0; l < DYAD_SCORES; ++l)
    if (l != k && score[l] > highest) highest = score[l];
  for (int l = 0; l < DYAD_SCORES; ++l)
    if (l != k) sum += exp(score[l] - highest);
  return score[k] - highest - log(sum);
}

static void one_against_rest(const double *score, double *p) {
  double sum = 0;
  for (int k = 0; k < DYAD_SCORES; ++k)
    sum += p[k] = calibrated(&calibrations[k], LOG_ODDS ? log_odds(score, k) : score[k]);
  for (int k = 0; k < DYAD_SCORES; ++k) p[k] = sum > 0 ? p[k] / sum : 1.0 / DYAD_SCORES;
}

/* Raises the probability of the winner to the largest, unless it is so already. */
static void let_win(int best, double *p) {
  double largest = 0, sum = 0;
  int wins = 1;
  for (int k = 0; k < DYAD_CLASSES; ++k) {
    if (p[k] > largest) largest = p[k];
    if (k < best ? p[k] >= p[best] : p[k] > p[best]) wins = 0;
  }
  if (wins) return;
  p[best] = largest * (1 + 1e-12);
  for (int k = 0; k < DYAD_CLASSES; ++k) sum += p[k];
  for (int k = 0; k < DYAD_CLASSES; ++k) p[k] /= sum;
}

/* Probabilities of n rows of scores: n rows of DYAD_CLASSES, which add up to 1. */
DYAD_API void dyad_probabilities(const double *scores, size_t n, double *probabilities) {
  for (size_t i = 0; i < n; ++i) {
    const double *score = scores + i * DYAD_SCORES;
    double *p = probabilities + i * DYAD_CLASSES;
    if (DYAD_SCORES == 1) {
      p[1] = calibrated(&calibrations[0], score[0]);
      p[0] = 1 - p[1];
    } else if (HAS_STEPS) {
      one_against_rest(score, p);
    } else {
      softmax(score, p);
    }
    if (!HAS_COSTS) let_win(winner(score), p);
  }
}

/* The predicted class of a row of scores: that of the largest score or, with costs, of the least expected cost. */
DYAD_API int dyad_class(const double *score) {
  int best = winner(score);
  if (!HAS_COSTS) return best;
  double p[DYAD_CLASSES], cost[DYAD_CLASSES];
  dyad_probabilities(score, 1, p);
  for (int b = 0; b < DYAD_CLASSES; ++b) {
    cost[b] = 0;
    for (int a = 0; a < DYAD_CLASSES; ++a) cost[b] += p[a] * costs[a * DYAD_CLASSES + b];
  }
  const int first = best;
  double least = cost[first];
  for (int b = 0; b < DYAD_CLASSES; ++b)
    if (cost[b] < least) {
      least = cost[b];
      best = b;
    }
  return best;
}
