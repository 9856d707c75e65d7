// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/state_file.h"

#include <set>

#include "dyad/fit/term_counts.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/internal/binned_bytes.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/io/internal/density_bytes.h"
#include "dyad/io/internal/fit_bytes.h"
#include "dyad/io/internal/sections.h"
#include "dyad/io/output_file.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

using namespace internal;

constexpr std::string_view magic = "DYADST\r\n\x1a\n";
/// Sums of the same weights differ by no more than this factor.
constexpr double weight_rounding = 1 + 1e-6;

// --- the survey ---

std::string survey_section(const Survey& survey) {
  Writer out;
  out.put_count(survey.most_rows);
  out.put_count(survey.features.size());
  for (const SurveyedFeature& feature : survey.features) {
    out.put_text(feature.name);
    out.put_count(feature.has_numbers ? 1 : 0);
    out.put_count(feature.n_missing);
    out.put(feature.missing_weight);
    out.put(static_cast<std::uint64_t>(feature.levels.size()));
    for (std::size_t k = 0; k < feature.levels.size(); ++k) {
      out.put_text(feature.levels[k]);
      out.put_count(feature.level_rows[k]);
      out.put(feature.level_weights[k]);
    }
  }
  out.put(static_cast<std::uint64_t>(survey.classes.size()));
  for (std::size_t c = 0; c < survey.classes.size(); ++c) {
    out.put_text(survey.classes[c]);
    out.put_count(survey.class_rows[c]);
    out.put(survey.class_weights[c]);
  }
  out.put_count(survey.is_weighted ? 1 : 0);
  out.put_count(survey.has_whole_weights ? 1 : 0);
  out.put_count(survey.has_text_labels ? 1 : 0);
  out.put(survey.largest_weight);
  const SurveyedRows& rows = survey.sample;
  out.put(static_cast<std::uint64_t>(rows.size()));
  for (const std::uint64_t number : rows.numbers) out.put(number);
  for (const std::int32_t c : rows.y) out.put_count(static_cast<std::uint64_t>(c));
  if (survey.is_weighted) out.put_numbers(rows.weights);
  out.put_numbers(rows.values);
  return out.bytes();
}

bool take_truth(Reader& in) {
  const std::int64_t value = in.take_count();
  if (value > 1) in.refuse("is damaged");
  return value == 1;
}

SurveyedFeature take_feature(Reader& in) {
  SurveyedFeature feature;
  feature.name = in.take_text();
  feature.has_numbers = take_truth(in);
  const auto take_weight = [&](std::uint64_t n_rows) {
    const double weight = in.take_number();
    if ((n_rows > 0) != (weight > 0) || weight < 0) in.refuse("has rows without a weight");
    return weight;
  };
  feature.n_missing = static_cast<std::uint64_t>(in.take_count());
  feature.missing_weight = take_weight(feature.n_missing);
  for (std::size_t left = in.take_size(9 + sizeof(double)); left > 0; --left) {
    feature.levels.push_back(in.take_text());
    feature.level_rows.push_back(static_cast<std::uint64_t>(in.take_count()));
    feature.level_weights.push_back(take_weight(feature.level_rows.back()));
    if (!feature.code_of_level.emplace(feature.levels.back(), feature.levels.size() - 1).second)
      in.refuse("has a level twice");
  }
  if (!std::ranges::is_sorted(feature.levels)) in.refuse("has levels in no order");
  if (feature.has_numbers && feature.is_categorical()) in.refuse("has text and numbers in one column");
  return feature;
}

void take_classes(Reader& in, Survey& survey) {
  for (std::size_t left = in.take_size(17); left > 0; --left) {
    survey.classes.push_back(in.take_text());
    survey.class_rows.push_back(static_cast<std::uint64_t>(in.take_count()));
    survey.class_weights.push_back(in.take_number());
    const bool has_rows = survey.class_rows.back() > 0;
    if (has_rows != (survey.class_weights.back() > 0) || survey.class_weights.back() < 0)
      in.refuse("has rows without a weight");
  }
  if (std::set<std::string>(survey.classes.begin(), survey.classes.end()).size() != survey.classes.size())
    in.refuse("has a class twice");
}

/// Rows and the sum of their weights.
struct Rows {
  std::uint64_t n = 0;
  double weight = 0;
};

/// Adds rows to others; fails unless the weight can be theirs.
void add_rows(const Reader& in, const Survey& survey, const Rows& added, Rows& all) {
  constexpr auto most = std::uint64_t{1} << 50U;
  const auto n = static_cast<double>(added.n);
  if (survey.is_weighted ? added.weight > n * survey.largest_weight * weight_rounding : added.weight != n)
    in.refuse("has a weight out of range");
  if (added.n > most || (all.n += added.n) > most) in.refuse("has a number of rows that no table has");
  all.weight += added.weight;
}

/// Fails unless the rows of each feature are those of all classes.
void require_sums(const Reader& in, const Survey& survey) {
  Rows all;
  for (std::size_t c = 0; c < survey.classes.size(); ++c)
    add_rows(in, survey, {survey.class_rows[c], survey.class_weights[c]}, all);
  if (!(survey.largest_weight <= largest_weight) ||
      survey.largest_weight < (all.n > 0 ? smallest_largest_weight : 0))
    in.refuse("has a weight out of range");
  for (const SurveyedFeature& feature : survey.features) {
    Rows here;
    add_rows(in, survey, {feature.n_missing, feature.missing_weight}, here);
    for (std::size_t k = 0; k < feature.levels.size(); ++k)
      add_rows(in, survey, {feature.level_rows[k], feature.level_weights[k]}, here);
    const bool are_too_many = here.n > all.n || here.weight > all.weight * weight_rounding;
    const bool are_too_few = here.n < all.n || all.weight > here.weight * weight_rounding;
    if (are_too_many || (are_too_few && !feature.has_numbers))
      in.refuse("has features of other rows than its classes");
  }
}

void take_sample(Reader& in, Survey& survey) {
  const std::size_t d = survey.features.size();
  const std::size_t n = in.take_size(9);
  if (n > survey.most_rows && n > survey.classes.size())
    in.refuse("has more rows in its sample than it may have");
  SurveyedRows& rows = survey.sample;
  for (std::size_t i = 0; i < n; ++i) rows.numbers.push_back(in.take<std::uint64_t>());
  std::vector<std::uint64_t> of_class(survey.classes.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<std::size_t>(in.take_count());
    if (c >= of_class.size()) in.refuse("refers to something it does not hold");
    ++of_class[c];
    rows.y.push_back(static_cast<std::int32_t>(c));
  }
  for (std::size_t c = 0; c < of_class.size(); ++c)
    if (of_class[c] > survey.class_rows[c] || (of_class[c] == 0 && survey.class_rows[c] > 0))
      in.refuse("has a sample that its rows do not have");
  if (survey.is_whole() && n != survey.n_rows()) in.refuse("has a sample without some of its rows");
  rows.weights = survey.is_weighted ? in.take_numbers(n) : std::vector<double>(n, 1);
  if (std::ranges::any_of(rows.weights,
                          [&](double weight) { return !(weight > 0 && weight <= survey.largest_weight); }))
    in.refuse("has a weight out of range");
  rows.values = in.take_numbers_or_gaps(n, d);
  for (std::size_t k = 0; k < rows.values.size(); ++k) {
    const SurveyedFeature& feature = survey.features[k % d];
    const double value = rows.values[k];
    if (std::isnan(value)
            ? feature.n_missing == 0
            : (feature.is_categorical()
                   ? !(value >= 0 && value < static_cast<double>(feature.levels.size()) &&
                       value == std::floor(value) && feature.level_rows[static_cast<std::size_t>(value)] > 0)
                   : !feature.has_numbers))
      in.refuse("has a value that its column does not have");
  }
}

Survey read_survey(Reader& in) {
  Survey survey;
  survey.most_rows = static_cast<std::size_t>(in.take_count());
  std::set<std::string> names;
  for (std::int64_t left = in.take_count(); left > 0; --left) {
    survey.features.push_back(take_feature(in));
    if (!names.insert(survey.features.back().name).second) in.refuse("has a name twice");
  }
  take_classes(in, survey);
  survey.is_weighted = take_truth(in);
  survey.has_whole_weights = take_truth(in);
  survey.has_text_labels = take_truth(in);
  survey.largest_weight = in.take_number();
  if (survey.features.empty() != survey.classes.empty()) in.refuse("is damaged");
  if (!survey.features.empty() && survey.most_rows == 0) in.refuse("is damaged");
  require_sums(in, survey);
  take_sample(in, survey);
  return survey;
}

// --- the plan ---

std::string plan_section(const Plan& plan) {
  Writer out;
  FitOptions settled = plan.options;
  settled.feature_mode = settled_feature_mode(plan.options.feature_mode, plan.survey.classes.size(),
                                              plan.survey.sample.size(), true);
  put_options(out, provenance(settled));
  out.put_count(static_cast<std::uint64_t>(plan.options.feature_mode));
  out.put(static_cast<std::uint64_t>(plan.options.class_weight_values.size()));
  out.put_numbers(plan.options.class_weight_values);
  put_costs(out, plan.options.costs);
  put_coordinates(out, plan.encoding.coordinates);
  out.put(static_cast<std::uint64_t>(plan.kept.size()));
  for (const std::size_t j : plan.kept) out.put_count(j);
  const ChosenTerms& chosen = plan.chosen;
  out.put(static_cast<std::uint64_t>(chosen.terms.keys.size()));
  for (const TermKey& key : chosen.terms.keys) {
    // A linear term has the place behind the last class.
    out.put_count(key.is_linear() ? plan.survey.classes.size() : static_cast<std::uint64_t>(key.class_code));
    out.put_count(key.i);
    out.put_count(key.j);
  }
  out.put_numbers(chosen.hsic);
  out.put(static_cast<std::uint64_t>(chosen.terms.sets.size()));
  for (const NestedTerms::Set& set : chosen.terms.sets) {
    out.put_text(set.name);
    out.put_count(set.n_terms);
  }
  out.put(chosen.C);
  put_settings(out, chosen.tried);
  for (const auto& of_class : plan.scalings)
    for (const Scaling& scaling : of_class) put_scaling(out, scaling);
  for (const BinnedTerm& frame : plan.frames) put_frame(out, frame);
  return out.bytes();
}

void take_kept(Reader& in, Plan& plan) {
  for (std::size_t left = in.take_size(1); left > 0; --left) {
    plan.kept.push_back(static_cast<std::size_t>(in.take_count()));
    const std::size_t j = plan.kept.back();
    if (j >= plan.survey.features.size() || (plan.kept.size() > 1 && j <= plan.kept[plan.kept.size() - 2]))
      in.refuse("refers to something it does not hold");
  }
  if (plan.kept.empty()) in.refuse("has no features");
}

/// Fails unless terms are in the order that weights are fitted in: those of one feature, then pairs, each once.
void require_order(const Reader& in, const Plan& plan, const LabelledSample& sample) {
  const auto& keys = plan.chosen.terms.keys;
  const auto singles = single_keys(sample, plan.recipe().terms);
  const auto is_pair = [](const TermKey& key) { return !key.is_linear() && key.i < key.j; };
  std::set<std::array<std::size_t, 3>> pairs;
  for (std::size_t t = singles.size(); t < keys.size(); ++t)
    pairs.insert({static_cast<std::size_t>(keys[t].class_code), keys[t].i, keys[t].j});
  if (keys.size() < singles.size() || !std::equal(singles.begin(), singles.end(), keys.begin()) ||
      !std::all_of(keys.begin() + static_cast<std::ptrdiff_t>(singles.size()), keys.end(), is_pair) ||
      pairs.size() != keys.size() - singles.size())
    in.refuse("has terms in no order");
  std::size_t before = 0;
  for (const NestedTerms::Set& set : plan.chosen.terms.sets) {
    if (set.n_terms <= before || set.n_terms > keys.size()) in.refuse("has sets of terms in no order");
    before = set.n_terms;
  }
  if (plan.recipe().averages() && before != keys.size()) in.refuse("has terms of no set");
}

void take_terms(Reader& in, Plan& plan) {
  const std::size_t n_classes = plan.survey.classes.size();
  NestedTerms& terms = plan.chosen.terms;
  for (std::size_t left = in.take_size(3 + sizeof(double)); left > 0; --left) {
    const auto c = static_cast<std::size_t>(in.take_count());
    const auto i = static_cast<std::size_t>(in.take_count());
    const auto j = static_cast<std::size_t>(in.take_count());
    if (c > n_classes || i >= plan.kept.size() || j >= plan.kept.size())
      in.refuse("refers to something it does not hold");
    terms.keys.push_back({c == n_classes ? no_class : static_cast<std::int32_t>(c), i, j});
    if (c < n_classes) plan.keys.push_back(terms.keys.back());
  }
  plan.chosen.hsic = in.take_numbers(terms.keys.size());
  for (std::size_t left = in.take_size(9); left > 0; --left) {
    std::string name = in.take_text();
    terms.sets.push_back({std::move(name), static_cast<std::size_t>(in.take_count())});
  }
  plan.chosen.C = in.take_positive();
  plan.chosen.tried = take_settings(in);
}

Plan read_plan(Reader& in, Survey survey, std::size_t bytes_of_counts) {
  Plan plan{.survey = std::move(survey)};
  const std::size_t n_classes = plan.survey.classes.size();
  if (n_classes < 2 || std::ranges::find(plan.survey.class_rows, 0U) != plan.survey.class_rows.end())
    in.refuse("has a plan for fewer than two classes");
  plan.options = take_fit_options(in);
  if (plan.options.engine == Engine::exact) in.refuse("has a plan for the exact engine");
  const auto asked = static_cast<std::size_t>(in.take_count());
  if (asked >= feature_mode_names.size()) in.refuse("is damaged");
  plan.options.feature_mode = static_cast<FeatureMode>(asked);
  plan.options.class_weight_values = in.take_numbers(in.take_size(sizeof(double)));
  plan.options.costs = take_costs(in, n_classes);
  plan.encoding = encoding_of_levels(plan.survey, plan.options);
  plan.encoding.coordinates = take_coordinates(in, plan.survey.features.size());
  if (plan.encoding.coordinates.empty() != (plan.options.transform == Transform::none))
    in.refuse("has the wrong number of coordinates");
  take_kept(in, plan);
  take_terms(in, plan);
  const LabelledSample sample = plan.sample();
  constexpr double farthest = 1e30;  // coordinates are in units of their spread
  if (!plan.encoding.coordinates.empty() &&
      std::ranges::any_of(sample.X.data, [](double x) { return std::abs(x) > farthest; }))
    in.refuse("has coordinates that its rows do not have");
  try {
    // Options without effect do no harm: the plan was made with them.
    require_valid(plan.options, [](std::string_view) { return false; });
    check(sample, plan.options);
  } catch (const std::invalid_argument& error) {
    in.fail("the " + in.what() + " is damaged: " + error.what());
  }
  require_order(in, plan, sample);
  for (std::size_t c = 0; c < n_classes; ++c) {
    plan.scalings.emplace_back();
    for (std::size_t k = 0; k < plan.kept.size(); ++k) plan.scalings.back().push_back(take_scaling(in));
  }
  for (const TermKey& key : plan.keys) plan.frames.push_back(take_frame(in, plan, key, bytes_of_counts));
  return plan;
}

// --- the counts ---

std::string counts_section(const TermCounts& term_counts) {
  Writer out;
  for (const std::uint64_t count : term_counts.class_rows()) out.put_count(count);
  for (const BinnedTerm& term : term_counts.terms()) put_term_counts(out, term);
  return out.bytes();
}

void read_counts(Reader& in, TermCounts& term_counts) {
  for (std::uint64_t& count : term_counts.class_rows()) count = static_cast<std::uint64_t>(in.take_count());
  for (BinnedTerm& term : term_counts.terms()) take_term_counts(in, term);
}

/// What `read` makes of the payload of a section, all of which has to be read.
template <class Read>
auto read_whole(const Reader& in, std::string_view payload, std::string_view tag, const Read& read) {
  Reader section(payload, in.name(), in.what());
  auto result = read(section);
  if (!section.empty()) in.refuse("has more in section " + std::string(tag) + " than belongs there");
  return result;
}

}  // namespace

std::string state_bytes(const State& state) {
  std::string bytes = file_start(magic, state_file_version);
  const Plan* const plan = state.plan_of();
  append_section(bytes, "KIND", plan != nullptr ? "counts" : "survey");
  append_section(bytes, "SURV", survey_section(plan != nullptr ? plan->survey : in_order(state.survey())));
  if (plan == nullptr) return bytes;
  state.term_counts()->require_whole();
  append_section(bytes, "PLAN", plan_section(*plan));
  append_section(bytes, "CNTS", counts_section(*state.term_counts()));
  return bytes;
}

State state_from_bytes(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name, "state file");
  take_file_start(in, magic, state_file_version);
  const std::string_view kind = take_section(in, "KIND");
  if (kind != "survey" && kind != "counts") in.refuse("is of a kind that this dyad does not know");
  Survey survey = read_whole(in, take_section(in, "SURV"), "SURV", read_survey);
  if (kind == "survey") {
    if (!in.empty()) in.refuse("goes on behind its end");
    return State(std::move(survey));
  }
  const std::string_view planned = take_section(in, "PLAN");
  const std::string_view counted = take_section(in, "CNTS");
  if (!in.empty()) in.refuse("goes on behind its end");
  auto plan = std::make_shared<const Plan>(read_whole(in, planned, "PLAN", [&](Reader& section) {
    return read_plan(section, std::move(survey), counted.size());
  }));
  auto term_counts = read_whole(in, counted, "CNTS", [&](Reader& section) {
    auto result = std::make_unique<TermCounts>(*plan);
    read_counts(section, *result);
    return result;
  });
  return {std::move(plan), std::move(term_counts)};
}

void save_state(const State& state, const std::string& path) { write_file(path, state_bytes(state)); }

State load_state(const std::string& path) {
  return state_from_bytes(read_all(path, magic), source_name(path));
}

}  // namespace dyad
