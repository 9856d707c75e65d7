// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/state_file.h"

#include <set>

#include "dyad/fit/term_counts.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/internal/binned_bytes.h"
#include "dyad/io/internal/sections.h"
#include "dyad/io/internal/shared_bytes.h"
#include "dyad/io/output_file.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

using namespace internal;

constexpr std::string_view state_magic = "DYADST\r\n\x1a\n";
/// Sums of the same weights differ by no more than this factor.
constexpr double weight_rounding = 1 + 1e-6;

// --- the survey ---

constexpr std::string_view damaged_state = "is damaged";

/// A number of rows and the sum of their weights.
void exchange_rows(auto& ar, Is<std::uint64_t> auto& n_rows, Is<double> auto& weight) {
  ar.count(n_rows);
  ar.number(weight);
  ar.require((n_rows > 0) == (weight > 0) && weight >= 0, "has rows without a weight");
}

/// Names, each with its rows and the sum of their weights.
void exchange_rows(auto& ar, auto& names, auto& n_rows, auto& weights) {
  const std::size_t n = ar.size(9 + sizeof(double), names, n_rows, weights);
  for (std::size_t k = 0; k < n; ++k) {
    ar.text(names[k]);
    exchange_rows(ar, n_rows[k], weights[k]);
  }
}

/// The content of a column: 1 for numbers, else 0 for levels of an unknown type, or their type beyond 1.
void exchange_content(auto& ar, auto& feature) {
  constexpr std::size_t numbers = 1;
  const auto type = static_cast<std::size_t>(feature.level_type);
  std::size_t content = feature.has_numbers ? numbers : type + (type > 0 ? numbers : 0);
  ar.count_below(content, numbers + value_type_names.size(), damaged_state);
  ar.restore(feature.has_numbers, content == numbers);
  ar.restore(feature.level_type, static_cast<ValueType>(content > numbers ? content - numbers : 0));
}

void exchange(auto& ar, Is<SurveyedFeature> auto& feature) {
  ar.text(feature.name);
  exchange_content(ar, feature);
  exchange_rows(ar, feature.n_missing, feature.missing_weight);
  exchange_rows(ar, feature.levels, feature.level_rows, feature.level_weights);
  std::unordered_map<std::string, std::size_t> codes;
  for (const std::string& level : feature.levels)
    ar.require(codes.emplace(level, codes.size()).second, "has a level twice");
  ar.restore(feature.code_of_level, std::move(codes));
  ar.require(std::ranges::is_sorted(feature.levels), "has levels in no order");
  ar.require(!feature.has_numbers || !feature.is_categorical(), "has text and numbers in one column");
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
  in.require(
      survey.is_weighted ? added.weight <= n * survey.largest_weight * weight_rounding : added.weight == n,
      "has a weight out of range");
  in.require(added.n <= most && (all.n += added.n) <= most, "has a number of rows that no table has");
  all.weight += added.weight;
}

/// Fails unless the rows of each feature are those of all classes.
void require_sums(const Reader& in, const Survey& survey) {
  Rows all;
  for (std::size_t c = 0; c < survey.classes.size(); ++c)
    add_rows(in, survey, {survey.class_rows[c], survey.class_weights[c]}, all);
  in.require(survey.largest_weight <= largest_weight &&
                 survey.largest_weight >= (all.n > 0 ? smallest_largest_weight : 0),
             "has a weight out of range");
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

/// True if a column has this value, a code or NaN, among its rows.
bool has_value(const SurveyedFeature& feature, double value) {
  if (std::isnan(value)) return feature.n_missing > 0;
  if (!feature.is_categorical()) return feature.has_numbers;
  return value >= 0 && value < static_cast<double>(feature.levels.size()) && value == std::floor(value) &&
         feature.level_rows[static_cast<std::size_t>(value)] > 0;
}

/// Fails unless the sample can be one of the rows that the survey has.
void require_sample(const Reader& in, const Survey& survey) {
  const SurveyedRows& rows = survey.sample;
  std::vector<std::uint64_t> of_class(survey.classes.size());
  for (const std::int32_t c : rows.y) ++of_class[static_cast<std::size_t>(c)];
  for (std::size_t c = 0; c < of_class.size(); ++c)
    in.require(of_class[c] <= survey.class_rows[c] && (of_class[c] > 0 || survey.class_rows[c] == 0),
               "has a sample that its rows do not have");
  in.require(!survey.is_whole() || rows.size() == survey.n_rows(), "has a sample without some of its rows");
  for (const double weight : rows.weights)
    in.require(weight > 0 && weight <= survey.largest_weight, "has a weight out of range");
  for (std::size_t k = 0; k < rows.values.size(); ++k)
    in.require(has_value(survey.features[k % survey.features.size()], rows.values[k]),
               "has a value that its column does not have");
}

void exchange_sample(auto& ar, auto& survey) {
  auto& rows = survey.sample;
  const std::size_t n = ar.size(9, rows.numbers, rows.y);
  ar.require(n <= survey.most_rows || n <= survey.classes.size(),
             "has more rows in its sample than it may have");
  ar.values(rows.numbers, n);
  for (auto& c : rows.y) ar.count_below(c, survey.classes.size());
  if (survey.is_weighted)
    ar.numbers(rows.weights, n);
  else
    ar.restore(rows.weights, std::vector<double>(n, 1));
  ar.values(rows.values, n, survey.features.size());
  ar.require(std::ranges::none_of(rows.values, [](double value) { return std::isinf(value); }),
             "holds a number that is not finite");
}

/// All but the sample.
void exchange_sums(auto& ar, auto& survey) {
  std::size_t n_features = survey.features.size();
  std::set<std::string> names;
  ar.count(survey.most_rows);
  ar.count(n_features);
  ar.resize(n_features, 3 * sizeof(double), survey.features);
  for (auto& feature : survey.features) {
    exchange(ar, feature);
    ar.require(names.insert(feature.name).second, "has a name twice");
  }
  exchange_rows(ar, survey.classes, survey.class_rows, survey.class_weights);
  ar.require(are_distinct(survey.classes), "has a class twice");
  for (auto* truth : {&survey.is_weighted, &survey.has_whole_weights})
    ar.count_below(*truth, 2, damaged_state);
  ar.count_below(survey.label_type, value_type_names.size(), damaged_state);
  ar.require(are_of_type(survey.classes, survey.label_type), "has classes of another type than its labels");
  ar.number(survey.largest_weight);
  // Rows of weight 0 leave features without classes.
  ar.require(survey.classes.empty() || !survey.features.empty(), damaged_state);
  ar.require(survey.features.empty() || survey.most_rows > 0, damaged_state);
}

/// The rows that were added. Files of versions that did not keep them lack the section.
constexpr std::string_view rows_tag = "rows";

void exchange_rows(auto& ar, Is<std::vector<RowRun>> auto& runs) {
  ar.size(2 + sizeof(std::uint64_t), runs);
  for (auto& run : runs) {
    ar.count(run.first);
    ar.count(run.end);
    ar.require(run.first < run.end && run.end <= most_row_numbers, "has row numbers out of range");
    const std::size_t n_blocks = block_count(run.first, run.end);
    ar.values(run.sums, n_blocks);
  }
  ar.require(std::ranges::is_sorted(runs), "has row numbers in no order");
}

std::string rows_section(const AddedRows& added) {
  Writer out;
  const auto runs = added.runs();
  exchange_rows(out, runs);
  return out.bytes();
}

std::string survey_section(const Survey& survey) {
  Writer out;
  exchange_sums(out, survey);
  exchange_sample(out, survey);
  return out.bytes();
}

Survey read_survey(Reader& in) {
  Survey survey;
  exchange_sums(in, survey);
  require_sums(in, survey);
  exchange_sample(in, survey);
  require_sample(in, survey);
  return survey;
}

// --- the plan ---

/// The options that have no text.
void exchange_options(auto& ar, auto& options, std::size_t n_classes) {
  ar.count_below(options.feature_mode, feature_mode_names.size(), damaged_state);
  const std::size_t n_weights = ar.size(sizeof(double), options.class_weight_values);
  ar.numbers(options.class_weight_values, n_weights);
  exchange_costs(ar, options.costs, n_classes);
}

/// A regression of a path with some terms.
void exchange_member(auto& ar, auto& member, std::size_t n_terms) {
  ar.count_below(member.is_linear, 2);
  ar.count_below(member.shares_weights, 2);
  ar.size(1, member.pairs);
  for (auto& term : member.pairs) ar.count_below(term, n_terms);
  ar.require(std::ranges::adjacent_find(member.pairs, std::greater_equal<>()) == member.pairs.end(),
             "has a member with terms in no order");
  ar.require(!member.is_linear || (member.pairs.empty() && !member.shares_weights),
             "has a linear member with other terms");
  ar.positive(member.cost);
  ar.positive(member.share);
}

/// A regression of a path on free tables.
void exchange_table_member(auto& ar, auto& member, std::size_t n_features) {
  ar.size(2, member.pairs);
  for (auto& pair : member.pairs) {
    ar.count_below(pair.i, n_features);
    ar.count_below(pair.j, n_features);
    ar.require(pair.i < pair.j, "has a table of features in no order");
  }
  ar.positive(member.variance);
  ar.positive(member.share);
}

/// The members of a path. What was tried on the way is among the settings.
void exchange_path(auto& ar, auto& path, std::size_t n_terms, std::size_t n_classes, std::size_t n_features) {
  constexpr std::size_t most_members = 64;  // each is a regression
  ar.size(3 + 2 * sizeof(double), path.members);
  ar.size(1 + 2 * sizeof(double), path.tables);
  const std::size_t n_members = path.members.size() + path.tables.size();
  ar.require(n_members > 0 && n_members <= most_members, "has no likely number of members");
  double sum = 0;
  for (auto& member : path.members) {
    exchange_member(ar, member, n_terms);
    sum += member.share;
  }
  for (auto& member : path.tables) {
    exchange_table_member(ar, member, n_features);
    sum += member.share;
  }
  ar.require(std::abs(sum - 1) < 1e-9, "has members whose shares do not add up to 1");
  auto& [scores, y, weights] = path.held_out;
  const std::size_t n_rows = ar.size(1 + sizeof(double), y);
  for (auto& code : y) ar.count_below(code, n_classes);
  ar.resize(n_rows, sizeof(double), weights);
  for (auto& weight : weights) ar.positive(weight);
  ar.restore(scores, Matrix(n_rows, n_classes));
  ar.numbers(scores.data, n_rows, n_classes);
}

/// The features and terms that were chosen.
void exchange_chosen(auto& ar, auto& plan) {
  const std::size_t n_classes = plan.survey.classes.size();
  ar.size(1, plan.kept);
  for (auto& j : plan.kept) ar.count_below(j, plan.survey.features.size());
  ar.require(std::ranges::adjacent_find(plan.kept, std::greater_equal<>()) == plan.kept.end(),
             Reader::unknown);
  ar.require(!plan.kept.empty(), "has no features");
  auto& chosen = plan.chosen;
  const std::size_t n_terms = ar.size(3 + sizeof(double), chosen.terms.keys);
  for (auto& key : chosen.terms.keys) {
    // A linear term has the place behind the last class.
    std::size_t c = key.is_linear() ? n_classes : static_cast<std::size_t>(key.class_code);
    ar.count_below(c, n_classes + 1);
    ar.restore(key.class_code, c == n_classes ? no_class : static_cast<std::int32_t>(c));
    ar.count_below(key.i, plan.kept.size());
    ar.count_below(key.j, plan.kept.size());
  }
  ar.numbers(chosen.hsic, n_terms);
  ar.size(9, chosen.terms.sets);
  for (auto& set : chosen.terms.sets) {
    ar.text(set.name);
    ar.count(set.n_terms);
  }
  ar.positive(chosen.C);
  exchange(ar, chosen.tried);
  if (!keeps_by(plan.recipe().term_rule, PairRule::path)) return;
  ar.restore(chosen.path, PairPath{});
  exchange_path(ar, *chosen.path, n_terms, n_classes, plan.kept.size());
}

void exchange_scalings(auto& ar, auto& plan) {
  ar.resize(plan.survey.classes.size(), 1, plan.scalings);
  for (auto& of_class : plan.scalings) {
    ar.resize(plan.kept.size(), 2 * sizeof(double), of_class);
    for (auto& scaling : of_class) exchange(ar, scaling);
  }
}

std::string plan_section(const Plan& plan) {
  Writer out;
  FitOptions settled = plan.options;
  settled.feature_mode = settled_feature_mode(plan.options.feature_mode, plan.survey.classes.size(),
                                              plan.survey.sample.size(), true);
  Provenance texts = provenance(settled);
  texts.insert(texts.end(), plan.reduced.begin(), plan.reduced.end());
  exchange(out, std::as_const(texts));
  exchange_options(out, plan.options, plan.survey.classes.size());
  exchange(out, plan.encoding.coordinates, plan.survey.features.size());
  exchange_chosen(out, plan);
  exchange_scalings(out, plan);
  for (const BinnedTerm& frame : plan.frames) put_frame(out, frame);
  return out.bytes();
}

/// Options whose values are in their ranges, and what was reduced; fails if a value is not.
FitOptions take_fit_options(Reader& in, const Survey& survey, Provenance& reduced) {
  Provenance texts;
  exchange(in, texts);
  std::ranges::copy_if(texts, std::back_inserter(reduced), [](const auto& text) {
    return std::ranges::find(Plan::names_of_reduced, text.first) != Plan::names_of_reduced.end();
  });
  return in.checked("an option in the " + in.what(), [&] {
    FitOptions options = options_from(texts);
    validate(options);
    std::vector<std::string> names;
    for (const SurveyedFeature& feature : survey.features) names.push_back(feature.name);
    set_structure(options, named_structure(texts), names);
    return options;
  });
}

/// Fails unless terms are in the order that weights are fitted in: those of one feature, then pairs, each
/// once.
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
  if (plan.chosen.path)
    for (const PathMember& member : plan.chosen.path->members)
      if (!member.pairs.empty() && member.pairs.front() < singles.size())
        in.refuse("has a member with terms in no order");
  std::size_t before = 0;
  for (const NestedTerms::Set& set : plan.chosen.terms.sets) {
    if (set.n_terms <= before || set.n_terms > keys.size()) in.refuse("has sets of terms in no order");
    before = set.n_terms;
  }
  if (plan.recipe().averages() && !plan.chosen.path && before != keys.size())
    in.refuse("has terms of no set");
}

Plan read_plan(Reader& in, Survey survey, std::size_t bytes_of_counts) {
  Plan plan{.survey = std::move(survey)};
  const std::size_t n_classes = plan.survey.classes.size();
  if (n_classes < 2 || std::ranges::find(plan.survey.class_rows, 0U) != plan.survey.class_rows.end())
    in.refuse("has a plan for fewer than two classes");
  plan.options = take_fit_options(in, plan.survey, plan.reduced);
  if (plan.options.engine == Engine::exact) in.refuse("has a plan for the exact engine");
  exchange_options(in, plan.options, n_classes);
  plan.encoding = encoding_of_levels(plan.survey, plan.options);
  exchange(in, plan.encoding.coordinates, plan.survey.features.size());
  if (plan.encoding.coordinates.empty() != (plan.options.transform == Transform::none))
    in.refuse("has the wrong number of coordinates");
  exchange_chosen(in, plan);
  std::ranges::copy_if(plan.chosen.terms.keys, std::back_inserter(plan.keys),
                       std::not_fn(&TermKey::is_linear));
  const LabelledSample sample = plan.sample();
  constexpr double farthest = 1e30;  // coordinates are in units of their spread
  if (!plan.encoding.coordinates.empty() &&
      std::ranges::any_of(sample.X.data, [](double x) { return std::abs(x) > farthest; }))
    in.refuse("has coordinates that its rows do not have");
  in.checked("the " + in.what() + " is damaged", [&] {
    // Options without effect do no harm: the plan was made with them.
    require_valid(plan.options, [](std::string_view) { return false; });
    check(sample, plan.options);
  });
  require_order(in, plan, sample);
  exchange_scalings(in, plan);
  for (const TermKey& key : plan.keys) plan.frames.push_back(take_frame(in, plan, key, bytes_of_counts));
  return plan;
}

// --- the counts ---

void exchange_counts(auto& ar, auto& term_counts) {
  for (auto& count : term_counts.class_rows()) ar.count(count);
  for (auto& term : term_counts.terms()) exchange_term_counts(ar, term);
}

}  // namespace

std::string state_bytes(const State& state) {
  std::string bytes = file_start(state_magic, state_file_version);
  const Plan* const plan = state.plan_of();
  append_section(bytes, "KIND", plan != nullptr ? "counts" : "survey");
  append_section(bytes, rows_tag, rows_section(state.added_rows()));
  append_section(bytes, "SURV", survey_section(plan != nullptr ? plan->survey : in_order(state.survey())));
  if (plan == nullptr) return bytes;
  state.term_counts()->require_whole();
  append_section(bytes, "PLAN", plan_section(*plan));
  Writer counts;
  exchange_counts(counts, *state.term_counts());
  append_section(bytes, "CNTS", counts.bytes());
  return bytes;
}

State state_from_bytes(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name, "state file");
  take_file_start(in, state_magic, state_file_version);
  const std::string_view kind = take_section(in, "KIND");
  in.require(kind == "survey" || kind == "counts", "is of a kind that this dyad does not know");
  AddedRows added;
  const auto read_rows = [&](std::string_view tag, std::string_view payload) {
    std::vector<RowRun> runs;
    if (tag != rows_tag) return false;
    read_whole(in, payload, tag, [&](Reader& section) { exchange_rows(section, runs); });
    added = AddedRows(std::move(runs));
    return true;
  };
  Survey survey;
  read_whole(in, take_section(in, "SURV", read_rows), "SURV",
             [&](Reader& section) { survey = read_survey(section); });
  if (kind == "survey") {
    in.require(in.empty(), "goes on behind its end");
    return State(std::move(survey), std::move(added));
  }
  const std::string_view planned = take_section(in, "PLAN");
  const std::string_view counted = take_section(in, "CNTS");
  in.require(in.empty(), "goes on behind its end");
  auto plan = std::make_shared<Plan>();
  read_whole(in, planned, "PLAN",
             [&](Reader& section) { *plan = read_plan(section, std::move(survey), counted.size()); });
  TermCounts term_counts(*plan);
  read_whole(in, counted, "CNTS", [&](Reader& section) { exchange_counts(section, term_counts); });
  return {std::move(plan), std::move(term_counts), std::move(added)};
}

void require_readable_state(std::string_view bytes, const std::string& name) {
  std::string reason = name + ": the state file changes when it is read back";
  try {
    if (state_bytes(state_from_bytes(bytes, name)) == bytes) return;
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  throw std::runtime_error(reason + "; it is not written");
}

void save_state(const State& state, const std::string& path) {
  const std::string bytes = state_bytes(state);
  require_readable_state(bytes, path);
  write_file(path, bytes);
}

State load_state(const std::string& path) {
  return state_from_bytes(read_all(path, state_magic), source_name(path));
}

}  // namespace dyad
