// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/weigh.h"

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/explanation/edits.h"
#include "dyad/fit/kept_effects.h"
#include "dyad/model/novelty.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/likelihood_weights.h"
#include "dyad/weights/path_weights.h"
#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

/// Weights are fitted to a part of the rows where all their values would take too much memory and time.
///
/// `weight_bytes` is that of FitOptions: of two classes a half of it is for the values, of more, whose
/// weights are found together, a quarter.
std::size_t most_weight_rows(std::size_t n_terms, std::size_t n_classes, std::size_t weight_bytes) {
  constexpr std::size_t most_values = 48'000'000;
  constexpr std::size_t fewest_rows = 2000;
  const std::size_t affordable =
      weight_bytes == 0 ? most_values : weight_bytes / (n_classes > 2 ? 4 : 2) / sizeof(float);
  return std::max(fewest_rows, std::min(most_values, affordable) / n_terms);
}

/// Threads, each of which may copy the values, as far as `weight_bytes` allows.
Execution within_bytes(Execution execution, const FloatRows& values, std::size_t weight_bytes) {
  const std::size_t bytes = sizeof(float) * values.n_rows() * values.stride();
  if (weight_bytes == 0 || bytes == 0) return execution;
  const std::size_t n_copies = std::max<std::size_t>(weight_bytes / bytes, 2) - 1;
  execution.threads = static_cast<int>(std::min(static_cast<std::size_t>(thread_count(execution)), n_copies));
  return execution;
}

/// Writes the values of terms for rows to those of a matrix from `first` on.
void write_values(std::span<const Term> terms, const LabelledSample& rows, const Execution& execution,
                  FloatRows& values, std::size_t first) {
  constexpr std::size_t block_rows = 1024;
  parallel_blocks(rows.n_rows(), block_rows, execution, {}, [&](std::size_t begin, std::size_t count) {
    const auto some = all_rows(count, begin);
    const Matrix found = term_values(terms, rows_of(rows, some).X, {.threads = 1});
    for (std::size_t t = 0; t < terms.size(); ++t)
      for (std::size_t i = 0; i < some.size(); ++i)
        values.row(first + some[i])[t] = static_cast<float>(found(i, t) - terms[t].centre);
  });
}

/// Finds weights for chosen terms of a table.
class Weigher {
 public:
  Weigher(const PreparedTable& table, const ChosenTerms& chosen, const Recipe& recipe, const RowSource& rows,
          std::size_t weight_bytes, const Execution& execution, FitReport& report)
      : sample_(table.sample),
        stats_(table.stats),
        terms_(chosen.terms),
        path_(chosen.path),
        recipe_(recipe),
        rows_(rows),
        weight_bytes_(weight_bytes),
        execution_(execution),
        report_(report) {}

  /// One way for each rule; `settings` gets what was tried.
  WeightedTerms operator()(const Likelihood& rule, std::vector<Setting>&) const {
    return fit_likelihood_weights(sample_, terms_.keys, stats_, recipe_.terms, rule,
                                  recipe_.weights.probability, execution_, report_);
  }

  WeightedTerms operator()(const SingleSvm& rule, std::vector<Setting>&) const {
    if (recipe_.terms.engine == Engine::exact) return by_exact_svm(rule);
    if (!stats_.is_part) return by_svm_of_all(rule);
    return rows_.visit && recipe_.terms.feature_mode == FeatureMode::resubstitution ? by_svm_of_source(rule)
                                                                                    : by_svm_of_part(rule);
  }

  WeightedTerms operator()(const Average& rule, std::vector<Setting>& settings) const {
    auto [terms, rows] = averaging_rows();
    const Stopwatch watch(report_.svm);
    if (path_)
      return {std::move(terms),
              fit_path_weights(rows, terms_.keys, *path_, sample_, recipe_.weights, execution_)};
    AveragedWeights averaged = fit_averaged_weights(rows, terms_, sample_.n_classes, rule, recipe_.weights,
                                                    within_bytes(execution_, rows.values, weight_bytes_));
    report_.ended_early = report_.ended_early || averaged.ended_early;
    settings.insert(settings.end(), averaged.settings.begin(), averaged.settings.end());
    std::ranges::stable_sort(settings, {}, &Setting::loss);
    return {std::move(terms), std::move(averaged.weights)};
  }

 private:
  /// Terms, and the rows that averages of weights are fitted to with their values.
  struct AveragingRows {
    std::vector<Term> terms;
    TrainingRows rows;
  };

  WeightedTerms by_exact_svm(const SingleSvm& rule) const {
    TrainingFeatures features = training_features(sample_, terms_.keys, recipe_.terms, execution_, report_);
    // Only resubstitution lets a row's own kernel into its values.
    Matrix held_out_values = features.values;
    if (recipe_.terms.feature_mode == FeatureMode::resubstitution) {
      const Stopwatch watch(report_.features);
      held_out_values = leave_one_out_values(sample_, features.terms, std::move(held_out_values), execution_);
    }
    const Stopwatch watch(report_.svm);
    auto weights =
        fit_single_weights(features.values, held_out_values, gather(sample_.y, features.rows),
                           sample_.n_classes, rule, recipe_.weights, execution_, terms_.first_univariate());
    return {std::move(features.terms), std::move(weights)};
  }

  WeightedTerms by_svm_of_all(const SingleSvm& rule) const {
    CountsFeatures features =
        counts_training_features(sample_, terms_.keys, recipe_.terms, execution_, report_);
    return with_svm(features, gather(sample_.y, features.rows), gather(sample_.weights, features.rows), rule);
  }

  /// Each row of the sample counts as much as all those that it stands for.
  WeightedTerms by_svm_of_part(SingleSvm rule) const {
    const double n = std::accumulate(stats_.class_rows.begin(), stats_.class_rows.end(), 0.0);
    const std::size_t most = std::min(most_rows(), sample_.n_rows());
    // In parts by its weight and by C, both of which have limits.
    constexpr double largest_cost = 1e6;
    const double part = std::sqrt(std::max(n / static_cast<double>(most), 1.0));
    const SampledRows some = sampled_rows(sample_, most, stats_.numbers, stats_.class_rows, n / part);
    rule.svm.C = std::min(rule.svm.C * part, largest_cost);
    CountsFeatures features =
        counts_features_of_rows(sample_, terms_.keys, some.rows, stats_, recipe_.terms, execution_, report_);
    return with_svm(features, gather(sample_.y, some.rows), some.weights, rule);
  }

  /// Fits to all rows of the source, with the values that new rows would have.
  WeightedTerms by_svm_of_source(const SingleSvm& rule) const {
    CountsFeatures features =
        counts_features_of_rows(sample_, terms_.keys, {}, stats_, recipe_.terms, execution_, report_);
    features.values = FloatRows(rows_.n_rows, terms_.keys.size(), rows_.scratch_folder);
    std::vector<std::int32_t> y;
    RowWeights weights{{}, sample_.weights.unit};
    {
      const Stopwatch watch(report_.features);
      rows_.visit([&](const LabelledSample& rows) {
        const std::size_t first = y.size();
        if (rows.n_rows() > rows_.n_rows - first)
          throw std::invalid_argument("the table has more rows than before");
        write_values(features.terms, rows, execution_, features.values, first);
        y.insert(y.end(), rows.y.begin(), rows.y.end());
        weights.counts.insert(weights.counts.end(), rows.weights.counts.begin(), rows.weights.counts.end());
      });
      if (y.size() != rows_.n_rows) throw std::invalid_argument("the table has fewer rows than before");
    }
    return with_svm(features, y, weights, rule);
  }

  /// Values of training rows are held out where no others are: they leave their own kernels out, or have
  /// those of many rows.
  WeightedTerms with_svm(CountsFeatures& features, const std::vector<std::int32_t>& y,
                         const RowWeights& weights, const SingleSvm& rule) const {
    const Stopwatch watch(report_.svm);
    if (features.held_out_rows.empty()) {
      features.held_out_rows = rows_to_hold_out(y, terms_.keys.size());
      features.held_out = gather(features.values, features.held_out_rows);
    }
    auto fitted =
        fit_single_weights(features.values, features.held_out_rows, features.held_out, y, weights,
                           sample_.n_classes, rule, recipe_.weights, execution_, terms_.first_univariate());
    return {std::move(features.terms), std::move(fitted)};
  }

  [[nodiscard]] std::size_t most_rows() const {
    return most_weight_rows(terms_.keys.size(), sample_.n_classes, weight_bytes_);
  }

  AveragingRows exact_averaging_rows() const {
    TrainingFeatures features = training_features(sample_, terms_.keys, recipe_.terms, execution_, report_);
    for (std::size_t t = 0; t < terms_.keys.size(); ++t) {
      if (!terms_.keys[t].is_linear()) continue;
      features.terms[t].centre = linear_offset(sample_, terms_.keys[t].i, recipe_.terms);
      for (double& value : features.values.column(t)) value -= features.terms[t].centre;
    }
    auto y = gather(sample_.y, features.rows);
    return {std::move(features.terms),
            {std::move(features.rows), float_rows(features.values), std::move(y), {}}};
  }

  AveragingRows averaging_rows() const {
    if (recipe_.terms.engine == Engine::exact) return exact_averaging_rows();
    const std::size_t most = most_rows();
    const bool leaves_one_out = recipe_.terms.feature_mode == FeatureMode::leave_one_out;
    if (!stats_.is_part && !(leaves_one_out && sample_.n_rows() > most)) {
      CountsFeatures features =
          counts_training_features(sample_, terms_.keys, recipe_.terms, execution_, report_, false);
      RowWeights weights = gather(sample_.weights, features.rows);
      return rows_of_features(std::move(features), std::move(weights));
    }
    SampledRows some = sampled_rows(sample_, most, stats_.numbers, stats_.class_rows,
                                    static_cast<double>(std::min(most, sample_.n_rows())));
    CountsFeatures features =
        counts_features_of_rows(sample_, terms_.keys, some.rows, stats_, recipe_.terms, execution_, report_);
    return rows_of_features(std::move(features), std::move(some.weights));
  }

  AveragingRows rows_of_features(CountsFeatures features, RowWeights weights) const {
    auto y = gather(sample_.y, features.rows);
    return {std::move(features.terms),
            {std::move(features.rows), std::move(features.values), std::move(y), std::move(weights)}};
  }

  const LabelledSample& sample_;
  const TableStats& stats_;
  const NestedTerms& terms_;
  const std::optional<PairPath>& path_;
  const Recipe& recipe_;
  const RowSource& rows_;
  std::size_t weight_bytes_;
  const Execution& execution_;
  FitReport& report_;
};

/// Rows that weights are fitted to where `weight_bytes` makes them fewer; else 0.
std::size_t reduced_weight_rows(const PreparedTable& table, const NestedTerms& terms, const Recipe& recipe,
                                std::size_t weight_bytes) {
  const bool can_reduce =
      table.stats.is_part || (recipe.averages() && recipe.terms.feature_mode == FeatureMode::leave_one_out);
  if (!can_reduce || recipe.has_likelihoods() || recipe.terms.engine == Engine::exact) return 0;
  const auto rows_within = [&](std::size_t bytes) {
    return std::min(most_weight_rows(terms.keys.size(), table.sample.n_classes, bytes),
                    table.sample.n_rows());
  };
  const std::size_t n = rows_within(weight_bytes);
  return n < rows_within(0) ? n : 0;
}

/// True if all values of a feature are missing.
bool is_empty(const TableStats& stats, std::size_t feature) {
  const LevelAxis& axis = stats.axes[feature];
  return axis.is_number && axis.has_missing && stats.level_priors[feature].front() == 0;
}

/// The terms that scores use: those of features with values and, if `by_weight`, with a weight other than 0.
///
/// A feature without values has no type: any value of it in a new row counts as missing. If scores use free
/// tables alone, the densities of one feature stay for novelty.
std::vector<std::size_t> used_terms(const Model& model, const TableStats& stats, bool by_weight) {
  const auto has_weight = [&](std::size_t t) {
    return std::ranges::any_of(model.weights.column(t), [](double weight) { return weight != 0; });
  };
  const auto with_weight = rows_where(model.terms.size(), has_weight);
  const bool keeps_densities = !with_weight.empty() && std::ranges::all_of(with_weight, [&](std::size_t t) {
    return model.terms[t].is_table;
  });
  return rows_where(model.terms.size(), [&](std::size_t t) {
    const Term& term = model.terms[t];
    if (is_empty(stats, term.i) || is_empty(stats, term.j)) return false;
    return !by_weight || has_weight(t) || (keeps_densities && term.is_density() && !term.is_pair());
  });
}

/// Drops all terms but the given ones, which are ascending.
void keep_terms(Model& model, std::span<const std::size_t> used) {
  keep_columns(model.weights, used);
  std::vector<Term> terms;
  for (const std::size_t t : used) terms.push_back(std::move(model.terms[t]));
  model.terms = std::move(terms);
}

/// True if the rule can set weights to exactly 0.
bool leaves_terms_out(const WeightRule& rule) {
  const auto* const single = std::get_if<SingleSvm>(&rule);
  return std::holds_alternative<Average>(rule) || (single != nullptr && single->svm.penalty != Penalty::l2);
}

std::size_t rounded_rows(double weight) {
  return static_cast<std::size_t>(std::max(1LL, std::llround(weight)));
}

/// Rows of each class, evenly spaced, for typical values and quantiles of novelty.
std::vector<std::size_t> rows_of_classes(const LabelledSample& sample, std::span<const std::size_t> among) {
  constexpr std::size_t most_rows = 2000;
  constexpr std::size_t most_of_class = 500;
  constexpr std::size_t fewest_of_class = 100;
  const std::size_t most = std::clamp(most_rows / sample.n_classes, fewest_of_class, most_of_class);
  std::vector<std::vector<std::size_t>> classes(sample.n_classes);
  for (const std::size_t row : among) classes[static_cast<std::size_t>(sample.y[row])].push_back(row);
  std::vector<std::size_t> rows;
  for (const auto& own : classes)
    for (const std::size_t k : evenly_spaced(own.size(), most)) rows.push_back(own[k]);
  std::ranges::sort(rows);
  return rows;
}

/// Rows of the table that each of these stands for, by weight.
std::vector<double> weights_in_table(const PreparedTable& table, std::span<const std::size_t> rows) {
  const LabelledSample& sample = table.sample;
  std::vector<double> weights = weights_of(sample.weights, rows);
  const auto of_classes = table.stats.is_part ? table.stats.class_rows : class_counts(sample);
  std::vector<double> totals(sample.n_classes);
  for (std::size_t k = 0; k < rows.size(); ++k)
    totals[static_cast<std::size_t>(sample.y[rows[k]])] += weights[k];
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto c = static_cast<std::size_t>(sample.y[rows[k]]);
    weights[k] *= of_classes[c] / totals[c];
  }
  return weights;
}

/// Rows of a table with the values of a model's densities as if these had not seen them.
///
/// Shares of the levels of one feature have all rows: novelty ignores levels without rows, and a new row has
/// one of the few shares of a feature, as training rows have.
LeftOutRows left_out_rows(std::span<const Term> terms, const PreparedTable& table, const TermOptions& options,
                          const Execution& execution, FitReport& report) {
  const LabelledSample& sample = table.sample;
  // Half of the rows are in no density.
  const bool splits = options.feature_mode == FeatureMode::split && !table.stats.is_part;
  const auto rows =
      rows_of_classes(sample, splits ? row_split(sample, options).weight_rows : all_rows(sample.n_rows()));
  LeftOutRows result{Matrix(rows.size(), terms.size()), gather(sample.y, rows),
                     weights_in_table(table, rows)};
  const auto densities = rows_where(terms.size(), [&](std::size_t t) { return terms[t].is_density(); });
  if (densities.empty()) return result;
  if (splits || options.engine == Engine::exact) {
    result.values = splits ? term_values(terms, rows_of(sample, rows).X, execution)
                           : left_out_values(sample, terms, rows, execution);
    return result;
  }
  std::vector<TermKey> keys;
  for (const std::size_t t : densities) keys.push_back(terms[t]);
  const CountsFeatures features = counts_features_of_rows(sample, keys, rows, table.stats, options, execution,
                                                          report, LeftOut::row_of_pairs);
  for (std::size_t k = 0; k < densities.size(); ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      result.values(i, densities[k]) = static_cast<double>(features.values.row(i)[k]);
  return result;
}

/// Counts training rows for the terms of a model, which are numbered as the features of the sample.
///
/// Features that the sample does not have get their ranges alone.
RowCounts row_counts_of(const Model& model, const PreparedTable& table, const Execution& execution) {
  const LabelledSample& sample = table.sample;
  const SampledRows some =
      table.stats.is_part
          ? sampled_rows(sample, most_counted_rows, table.stats.numbers, table.stats.class_rows,
                         static_cast<double>(std::min(most_counted_rows, sample.n_rows())))
          : sampled_rows(sample, most_counted_rows);
  RowCounts counts = count_rows(model.terms, sample, some, execution);
  std::vector<FeatureCounts> features(table.encoding.n_features);
  for (std::size_t k = 0; k < table.kept.size(); ++k) features[table.kept[k]] = std::move(counts.features[k]);
  for (std::size_t j = 0; j < features.size(); ++j) features[j].range = table.encoding.ranges[j];
  counts.features = std::move(features);
  for (PairRows& pair : counts.pairs) {
    pair.i = table.kept[pair.i];
    pair.j = table.kept[pair.j];
  }
  return counts;
}

/// The columns of X at `places` of n columns, 0 in others.
Matrix with_columns_at(const Matrix& X, std::span<const std::size_t> places, std::size_t n) {
  if (places.size() == n) return X;
  Matrix result(X.n_rows, n);
  for (std::size_t k = 0; k < places.size(); ++k)
    std::ranges::copy(X.column(k), result.column(places[k]).begin());
  return result;
}

void set_weights(Model& model, WeightedTerms fitted, FitReport& report) {
  report.converged = fitted.weights.converged;
  report.gap = fitted.weights.gap;
  report.iterations = fitted.weights.iterations;
  model.terms = std::move(fitted.terms);
  // Values of linear terms may have been given without an offset.
  for (std::size_t t = 0; t < model.terms.size(); ++t) model.terms[t].centre += fitted.weights.centres[t];
  model.weights = std::move(fitted.weights.weights);
  model.intercepts = std::move(fitted.weights.intercepts);
  model.calibrations = std::move(fitted.weights.calibrations);
  append_tables(model, std::move(fitted.weights.tables));
}

/// The model of chosen terms.
Model with_weights(const PreparedTable& table, ChosenTerms chosen, Recipe recipe, FitOptions options,
                   const Execution& execution, FitReport& report, const RowSource& rows) {
  const LabelledSample& sample = table.sample;
  options.svm.C = chosen.C;
  if (auto* const single = std::get_if<SingleSvm>(&recipe.weight_rule)) single->svm.C = chosen.C;
  Model model = recipe.terms.feature_mode == FeatureMode::split && !table.stats.is_part
                    ? empty_model(rows_of(sample, row_split(sample, recipe.terms).density_rows), options)
                    : empty_model(sample, options);
  if (table.stats.is_part)
    std::ranges::transform(table.stats.class_rows, model.class_rows.begin(), rounded_rows);
  if (const std::size_t n = reduced_weight_rows(table, chosen.terms, recipe, options.weight_bytes); n > 0)
    model.fitted_with.emplace_back("weight_rows", std::to_string(n));
  if (chosen.path) std::ranges::copy(chosen.path->reduced, std::back_inserter(model.fitted_with));
  model.settings = std::move(chosen.tried);
  const Weigher weigher(table, chosen, recipe, rows, options.weight_bytes, execution, report);
  set_weights(model,
              std::visit([&](const auto& rule) { return weigher(rule, model.settings); }, recipe.weight_rule),
              report);

  if (report.ended_early) model.fitted_with.push_back(search_end(options, execution));

  const auto& keys = chosen.terms.keys;
  const auto used = used_terms(model, table.stats, leaves_terms_out(recipe.weight_rule));
  keep_terms(model, used);
  report.hsic.clear();
  for (const std::size_t t : used)
    if (t < keys.size() && keys[t].is_pair() && !recipe.has_likelihoods())
      report.hsic.push_back(chosen.hsic[t]);

  const LeftOutRows left_out = left_out_rows(model.terms, table, recipe.terms, execution, report);
  set_typical_values(model.terms, left_out);
  model.novelty_scores = novelty_scores_of(model.terms, left_out, sample.n_classes);
  model.row_counts = row_counts_of(model, table, execution);
  model.row_sketch = table.encoding.sketch;
  for (Term& term : model.terms) {
    term.i = table.kept[term.i];
    term.j = table.kept[term.j];
  }
  model.n_features = table.encoding.n_features;
  for (Matrix& of_class : model.samples) of_class = with_columns_at(of_class, table.kept, model.n_features);
  model.levels = table.encoding.levels;
  if (std::ranges::all_of(model.levels, &Levels::is_number)) model.levels.clear();
  model.coordinates = table.encoding.coordinates;
  return model;
}

/// The HSIC of the pairs that an edited model still has, which come in the order of the whole one.
std::vector<double> hsic_of_kept(const Model& whole, std::span<const double> hsic, const Model& edited) {
  std::vector<double> kept;
  std::size_t k = 0;
  for (const Term& term : whole.terms) {
    if (!term.is_pair() || !term.is_density() || k == hsic.size()) continue;
    const TermKey& key = term;
    if (std::ranges::find(edited.terms, key) != edited.terms.end()) kept.push_back(hsic[k]);
    ++k;
  }
  return kept;
}

}  // namespace

Model empty_model(const LabelledSample& rows, const FitOptions& options) {
  Model model{.engine = options.engine,
              .has_likelihoods = !has_svm(options.method),
              .fitted_with = provenance(options)};
  model.class_frequencies = class_frequencies(options);
  model.costs = options.costs;
  model.n_features = rows.n_features();
  for (const double count : class_counts(rows)) model.class_rows.push_back(rounded_rows(count));
  for (std::size_t c = 0; options.engine == Engine::exact && c < rows.n_classes; ++c)
    model.samples.push_back(rows_of_class(rows, static_cast<std::int32_t>(c)));
  return model;
}

Model weigh(const PreparedTable& table, ChosenTerms chosen, Recipe recipe, FitOptions options,
            const Execution& execution, FitReport& report, const RowSource& rows) {
  const auto most = static_cast<std::size_t>(options.max_effects);
  const std::vector<MonotoneFeature> monotone = options.monotone;
  Model model;
  if (most == 0) {
    model = with_weights(table, std::move(chosen), std::move(recipe), std::move(options), execution, report,
                         rows);
  } else {
    model = with_weights(table, chosen, recipe, options, execution, report, rows);
    if (const KeptEffects kept = largest_effects(model, most, execution); !kept.are_all) {
      const auto few = restricted(table, chosen, rows, kept);
      model = with_weights(few->table, std::move(few->chosen), std::move(recipe), std::move(options),
                           execution, report, few->rows);
    }
  }
  if (monotone.empty()) return model;
  Model result = with_monotone_features(model, monotone, execution);
  report.hsic = hsic_of_kept(model, report.hsic, result);
  return result;
}

}  // namespace dyad
