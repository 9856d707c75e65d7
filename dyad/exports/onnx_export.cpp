// A model as a graph of standard operators, all terms at once: its size in nodes does not grow with the
// terms.
// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "dyad/exports/internal/formats.h"
#include "dyad/exports/internal/onnx_operators.h"

namespace dyad::internal {
namespace {

constexpr double itself = -1e300;  // added to a score that a sum leaves out

/// Scores, probabilities and classes. Matrices have a row for each row of the table.
class ScoreGraph {
 public:
  ScoreGraph(Operators& o, const Model& model, const OnnxDeviations& deviations)
      : o_(o), model_(model), deviations_(deviations) {}

  void run(bool with_contributions) {
    add_outputs(add_scores());
    if (with_contributions) add_contributions();
  }

 private:
  /// Weights by score, then by term in the order of the deviations.
  [[nodiscard]] std::vector<double> ordered_weights() const {
    std::vector<double> weights;
    for (std::size_t k = 0; k < model_.n_scores(); ++k)
      for (const std::size_t t : deviations_.order) weights.push_back(model_.weights(k, t));
    if (deviations_.order.empty()) weights.resize(model_.n_scores());
    return weights;
  }

  Value add_scores() {
    const auto n_terms = static_cast<std::int64_t>(std::max<std::size_t>(deviations_.order.size(), 1));
    const Value weights = o_.graph.reals(ordered_weights(), {n_scores(), n_terms});
    return o_.add(o_.op("Transpose", o_.op("MatMul", weights, deviations_.values)),
                  o_.graph.reals(model_.intercepts));
  }

  /// By term in the model's order; with several scores by score, then term.
  void add_contributions() {
    const auto n_terms = static_cast<std::int64_t>(deviations_.order.size());
    std::vector<std::size_t> place(deviations_.order.size());
    for (std::size_t k = 0; k < deviations_.order.size(); ++k) place[deviations_.order[k]] = k;
    const Value ordered = o_.op("Transpose", o_.rows(deviations_.values, place));
    if (n_scores() == 1)
      return o_.graph.output("contributions", o_.multiply(ordered, o_.graph.reals(model_.weights.data)),
                             TensorType::real, {n_table_rows, n_terms});
    std::vector<double> by_score;
    for (std::size_t k = 0; k < model_.n_scores(); ++k)
      for (std::size_t t = 0; t < model_.terms.size(); ++t) by_score.push_back(model_.weights(k, t));
    const Value all = o_.multiply(o_.graph.node("Unsqueeze", {ordered, o_.graph.integer(1)}),
                                  o_.graph.reals(by_score, {1, n_scores(), n_terms}));
    o_.graph.output("contributions", all, TensorType::real, {n_table_rows, n_scores(), n_terms});
  }

  void add_outputs(const Value& scores) {
    const Value winner = winner_of(scores);
    const Value given = given_probabilities(scores);
    const bool has_costs = !model_.costs.data.empty();
    const Value probabilities = has_costs ? given : with_winner(given, winner);
    const Value place = has_costs ? cheapest(probabilities, winner) : winner;
    const Value label = o_.op("Gather", o_.graph.texts(model_.classes),
                              o_.graph.node("Squeeze", {place, o_.graph.integer(1)}));
    o_.graph.output("label", label, TensorType::text, {n_table_rows});
    o_.graph.output("probabilities", probabilities, TensorType::real, {n_table_rows, n_classes()});
    o_.graph.output("scores", scores, TensorType::real, {n_table_rows, n_scores()});
  }

  Value winner_of(const Value& scores) {
    if (n_scores() == 1) return o_.cast(o_.op("Greater", scores, o_.zero()), TensorType::int64);
    return o_.graph.node("ArgMax", {scores}, {attribute("axis", 1)});
  }

  /// Probabilities of the classes before that of the winner is raised.
  Value given_probabilities(const Value& scores) {
    if (n_scores() == 1) {
      const Value second = calibrated(scores);
      return o_.beside({o_.subtract(o_.graph.real(1), second), second});
    }
    if (!is_one_against_rest(model_))
      return o_.graph.node("Softmax", {calibration_arguments(scores)}, {attribute("axis", 1)});
    const Value p = calibrated(model_.has_likelihoods ? log_odds(scores) : scores);
    const Value sum = o_.sum_of_row(p);
    const Value is_positive = o_.op("Greater", sum, o_.zero());
    return o_.where(is_positive, o_.op("Div", p, o_.where(is_positive, sum, o_.graph.real(1))),
                    o_.graph.real(1 / static_cast<double>(model_.n_classes())));
  }

  /// s_k - log sum of exp(s_l) over the others.
  Value log_odds(const Value& scores) {
    std::vector<double> own(model_.n_scores() * model_.n_scores());
    for (std::size_t k = 0; k < model_.n_scores(); ++k) own[k * model_.n_scores() + k] = itself;
    const Value others = o_.add(o_.graph.node("Unsqueeze", {scores, o_.graph.integer(1)}),
                                o_.graph.reals(own, {1, n_scores(), n_scores()}));
    return o_.subtract(scores, o_.graph.node("ReduceLogSumExp", {others, o_.graph.integer(2)},
                                             {attribute("keepdims", std::int64_t{0})}));
  }

  /// slope score + offset.
  Value calibration_arguments(const Value& scores) {
    constexpr double largest = 1e300;
    const auto calibrations = calibrations_of(model_);
    const std::span<const Calibration> of = calibrations;
    const Value slope = o_.graph.reals(each(of, [](const auto& c) { return c.slope; }));
    const Value offset = o_.graph.reals(each(of, [](const auto& c) { return c.offset; }));
    return o_.clip(o_.add(o_.multiply(scores, slope), offset), largest);
  }

  /// The probability of each score on its own: a logistic function, or straight lines between steps.
  Value calibrated(const Value& scores) {
    const auto calibrations = calibrations_of(model_);
    const Value logistic = o_.op("Sigmoid", calibration_arguments(scores));
    std::vector<bool> has_steps;
    std::size_t most = 0;
    for (const Calibration& of : calibrations) {
      has_steps.push_back(!of.steps.empty());
      most = std::max(most, of.steps.size());
    }
    return most == 0
               ? logistic
               : o_.where(o_.graph.truths(has_steps), interpolated(scores, calibrations, most), logistic);
  }

  /// Lines by the number of steps that are not above the score: p + rate (score - low), level at both ends.
  Value interpolated(const Value& scores, const std::vector<Calibration>& calibrations, std::size_t most) {
    constexpr double never = std::numeric_limits<double>::max();
    std::vector<double> bounds;
    std::vector<double> low;
    std::vector<double> p;
    std::vector<double> rate;
    std::vector<double> first;
    for (const auto& [slope, offset, steps] : calibrations) {
      first.push_back(static_cast<double>(low.size()));
      for (std::size_t s = 0; s <= most; ++s) {
        if (s < most) bounds.push_back(s < steps.size() ? steps[s].score : never);
        const bool is_between = s > 0 && s < steps.size();
        low.push_back(is_between ? steps[s - 1].score : 0);
        p.push_back(steps.empty() ? 0 : steps[s == 0 ? 0 : std::min(s, steps.size()) - 1].probability);
        rate.push_back(is_between ? (steps[s].probability - steps[s - 1].probability) /
                                        (steps[s].score - steps[s - 1].score)
                                  : 0);
      }
    }
    const Value each_score = o_.graph.node("Unsqueeze", {scores, o_.graph.integer(2)});
    const Value is_reached = o_.op("GreaterOrEqual", each_score,
                                   o_.graph.reals(bounds, {1, n_scores(), static_cast<std::int64_t>(most)}));
    const Value n_reached =
        o_.graph.node("ReduceSum", {o_.cast(is_reached, TensorType::real), o_.graph.integer(2)},
                      {attribute("keepdims", std::int64_t{0})});
    const Value line = o_.cast(o_.add(n_reached, o_.graph.reals(first)), TensorType::int64);
    const auto of_line = [&](const std::vector<double>& values) {
      return o_.op("Gather", o_.graph.reals(values), line);
    };
    return o_.add(of_line(p), o_.multiply(of_line(rate), o_.subtract(scores, of_line(low))));
  }

  /// Raises the probability of the winner to the largest, unless it is so already.
  Value with_winner(const Value& p, const Value& winner) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t k = 0; k < n_classes(); ++k) numbers.push_back(k);
    const Value classes = o_.graph.integers(numbers);
    const Value own = o_.graph.node("GatherElements", {p, winner}, {attribute("axis", 1)});
    const Value beats = o_.op("Or", o_.op("Greater", p, own),
                              o_.op("And", o_.op("GreaterOrEqual", p, own), o_.op("Less", classes, winner)));
    const Value is_beaten = o_.op("Greater", o_.sum_of_row(o_.cast(beats, TensorType::real)), o_.zero());
    const Value largest = o_.graph.node("ReduceMax", {p, o_.graph.integer(1)});
    const Value raised = o_.where(o_.op("And", o_.op("Equal", classes, winner), is_beaten),
                                  o_.multiply(largest, o_.graph.real(1 + 1e-12)), p);
    return o_.op("Div", raised, o_.sum_of_row(raised));
  }

  /// The class of the least expected cost, the winner among equals.
  Value cheapest(const Value& p, const Value& winner) {
    std::vector<double> costs;
    for (std::size_t a = 0; a < model_.n_classes(); ++a)
      for (std::size_t b = 0; b < model_.n_classes(); ++b) costs.push_back(model_.costs(a, b));
    const Value expected = o_.op("MatMul", p, o_.graph.reals(costs, {n_classes(), n_classes()}));
    const Value own = o_.graph.node("GatherElements", {expected, winner}, {attribute("axis", 1)});
    const Value least = o_.graph.node("ReduceMin", {expected, o_.graph.integer(1)});
    return o_.where(o_.op("LessOrEqual", own, least), winner,
                    o_.graph.node("ArgMin", {expected}, {attribute("axis", 1)}));
  }

  [[nodiscard]] std::int64_t n_scores() const { return static_cast<std::int64_t>(model_.n_scores()); }
  [[nodiscard]] std::int64_t n_classes() const { return static_cast<std::int64_t>(model_.n_classes()); }

  Operators& o_;
  const Model& model_;
  const OnnxDeviations& deviations_;
};

/// Names of the features that are numbers, or of those that are not, as a JSON list.
std::string names_of_input(const Model& model, bool numbers) {
  nlohmann::json names = nlohmann::json::array();
  for (std::size_t j = 0; j < model.n_features; ++j)
    if (is_number(model, j) == numbers) names.push_back(model.features[j]);
  return names.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string onnx_export(const Lookups& lookups, bool with_contributions) {
  const Model& model = *lookups.model;
  Operators o;
  const OnnxFeatures features = add_features(o, model);
  const OnnxDensities densities = add_densities(o, lookups, features.z);
  const OnnxDeviations deviations = add_terms(o, lookups, features, densities);
  ScoreGraph(o, model, deviations).run(with_contributions);
  return o.graph.model({{"numbers", names_of_input(model, true)}, {"levels", names_of_input(model, false)}});
}

}  // namespace dyad::internal
