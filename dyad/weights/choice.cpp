// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/choice.h"

#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

std::size_t kept_count(double share, std::size_t n_pairs) {
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(n_pairs)));
}

/// The settings to choose from, given the pairs that may be kept.
Candidates candidates_of(std::size_t n_ranked, const TermRule& rule, const SingleSvm& svm) {
  Candidates candidates;
  if (chooses_pairs(rule))
    for (const double share : kept_shares) {
      const std::size_t count = kept_count(share, n_ranked);
      if (candidates.n_pairs.empty() || candidates.n_pairs.back() < count)
        candidates.n_pairs.push_back(count);
    }
  else
    candidates.n_pairs.push_back(n_ranked);
  if (svm.cost == CostRule::cv)
    candidates.costs.assign(cost_candidates.begin(), cost_candidates.end());
  else
    candidates.costs.push_back(svm.svm.C);
  return candidates;
}

/// Adds the settings that are not there yet, with their errors.
void add_tried(const Candidates& candidates, const Matrix& errors, std::vector<Setting>& tried) {
  for (std::size_t s = 0; s < candidates.n_pairs.size() && !is_left_out(errors, s); ++s)
    for (std::size_t c = 0; c < candidates.costs.size(); ++c) {
      const Setting setting{
          .terms = pairs_name(candidates.n_pairs[s]), .C = candidates.costs[c], .loss = errors(s, c)};
      const auto is_same = [&](const Setting& other) {
        return other.terms == setting.terms && other.C == setting.C;
      };
      if (std::ranges::none_of(tried, is_same)) tried.push_back(setting);
    }
}

/// Marks the chosen one of the settings tried and sorts them by their errors, the chosen one first of equals.
void mark_chosen(Choice& choice) {
  for (Setting& setting : choice.tried)
    setting.averaged = setting.terms == pairs_name(choice.n_pairs) && setting.C == choice.cost;
  std::ranges::stable_sort(choice.tried, {},
                           [](const Setting& setting) { return std::pair(setting.loss, !setting.averaged); });
}

}  // namespace

Choice choose(const Candidates& candidates, double C,
              const std::function<Matrix(const Candidates&)>& errors_of) {
  Choice choice{candidates.n_pairs.front(), candidates.costs.front(), {}};
  const auto place_of_least = [&](const Candidates& some) {
    const Matrix errors = errors_of(some);
    add_tried(some, errors, choice.tried);
    const double least =
        std::ranges::min(errors.data) + 1e-9;  // sums of the same errors may round differently
    return static_cast<std::size_t>(
        std::ranges::find_if(errors.data, [&](double error) { return error <= least; }) -
        errors.data.begin());
  };
  if (candidates.n_pairs.size() > 1)
    choice.n_pairs = candidates.n_pairs[place_of_least({candidates.n_pairs, {C}})];
  if (candidates.costs.size() > 1)
    choice.cost = candidates.costs[place_of_least({{choice.n_pairs}, candidates.costs})];
  mark_chosen(choice);
  return choice;
}

void leave_out(Matrix& errors, std::size_t first) {
  for (std::size_t c = 0; c < errors.n_cols; ++c)
    std::ranges::fill(errors.column(c).subspan(first), std::numeric_limits<double>::infinity());
}

bool is_left_out(const Matrix& errors, std::size_t s) { return std::isinf(errors(s, 0)); }

std::vector<double> error_weights(const LabelledSample& sample) {
  std::vector<double> weights;
  for (const double count : class_counts(sample)) weights.push_back(balance(1, sample.n_classes, count));
  return weights;
}

Selection select(const LabelledSample& sample, const TermRule& rule, const SingleFit& fit,
                 const Execution& execution, FitReport& report) {
  const auto ranked = pairs_to_keep(sample, rule, fit.terms, execution, report);
  const Candidates candidates = candidates_of(ranked.size(), rule, fit.svm);
  Choice choice{candidates.n_pairs.front(), candidates.costs.front(), {}};
  if (candidates.n_pairs.size() > 1 || candidates.costs.size() > 1)
    choice = fit.terms.engine == Engine::exact ? choose_exact(sample, candidates, fit, execution, report)
                                               : choose_by_counts(sample, candidates, fit, execution, report);
  Selection selection{.C = choice.cost, .tried = std::move(choice.tried)};
  for (std::size_t k = 0; k < choice.n_pairs; ++k) {
    selection.pairs.push_back(ranked[k].key);
    selection.hsic.push_back(ranked[k].hsic);
  }
  return selection;
}

}  // namespace dyad
