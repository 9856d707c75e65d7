// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/novelty.h"

#include <numeric>

#include "dyad/base/gather.h"

namespace dyad {
namespace {

/// The most surprised term of each class, for some rows.
class Surprises {
 public:
  Surprises(std::size_t n_rows, std::size_t n_classes)
      : of_classes_(n_classes, std::vector<Novelty>(n_rows)) {}

  /// Adds the values of term t, NaN where they were never met.
  void add(const Term& term, std::size_t t, std::span<const double> values) {
    auto& own = of_classes_[static_cast<std::size_t>(term.class_code)];
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double surprise = (term.typical - values[i]) / term.spread;
      if (!std::isnan(surprise) && (own[i].term == Novelty::no_term || surprise > own[i].score))
        own[i] = {surprise, t};
    }
  }

  /// The surprise of the class that is surprised the least.
  [[nodiscard]] Novelty least(std::size_t row) const {
    Novelty least;
    for (const auto& own : of_classes_)
      if (own[row].term != Novelty::no_term &&
          (least.term == Novelty::no_term || own[row].score < least.score))
        least = own[row];
    return least;
  }

 private:
  std::vector<std::vector<Novelty>> of_classes_;
};

bool tells_novelty(const Term& term) { return term.is_density() && term.spread > 0; }

constexpr double steps_per_decade = 16;

/// 10^(-k / 16), for any part of a step.
double probability_at(double k) { return std::pow(10, -k / steps_per_decade); }

}  // namespace

void set_typical_values(std::span<Term> terms, const LeftOutRows& rows) {
  std::vector<std::size_t> own;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    Term& term = terms[t];
    if (!term.is_density()) continue;
    const auto is_own = [&](std::size_t i) { return rows.y[i] == term.class_code; };
    if (own.empty() || !is_own(own.front())) own = rows_where(rows.y.size(), is_own);
    const auto values = gather(rows.values.column(t), own);
    const auto weights = gather(rows.weights, own);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    term.typical = std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) / total;
    const auto [least, largest] = std::ranges::minmax(values);
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      squares += weights[i] * (values[i] - term.typical) * (values[i] - term.typical);
    const auto n = static_cast<double>(values.size());
    // A constant has no spread, even where rounding puts its mean beside it.
    term.spread = least == largest ? 0 : std::sqrt(squares / total * n / (n - 1));
  }
}

std::vector<double> novelty_scores_of(std::span<const Term> terms, const LeftOutRows& rows,
                                      std::size_t n_classes) {
  Surprises surprises(rows.y.size(), n_classes);
  for (std::size_t t = 0; t < terms.size(); ++t)
    if (tells_novelty(terms[t])) surprises.add(terms[t], t, rows.values.column(t));
  std::vector<std::pair<double, double>> found;  // score and weight
  for (std::size_t i = 0; i < rows.y.size(); ++i)
    if (const Novelty of_row = surprises.least(i); of_row.term != Novelty::no_term)
      found.emplace_back(of_row.score, rows.weights[i]);
  if (found.empty()) return {};
  std::ranges::sort(found, std::greater<>());
  double total = 0;
  for (const auto& row : found) total += row.second;
  total *= 1 + 1 / static_cast<double>(found.size());
  std::vector<double> probabilities;  // of larger scores
  for (double sum = 0; const auto& row : found) probabilities.push_back((sum += row.second) / total);
  std::vector<double> scores{found.back().first};
  for (double k = 1; probability_at(k) >= probabilities.front(); ++k) {
    const double p = probability_at(k);
    const auto next =
        static_cast<std::size_t>(std::ranges::lower_bound(probabilities, p) - probabilities.begin());
    if (next == 0 || next == probabilities.size()) {
      scores.push_back(found[next == 0 ? 0 : next - 1].first);
      continue;
    }
    const double part = (p - probabilities[next - 1]) / (probabilities[next] - probabilities[next - 1]);
    scores.push_back(std::lerp(found[next - 1].first, found[next].first, part));
  }
  return scores;
}

double novelty_p_value(std::span<const double> scores, double score) {
  if (scores.empty()) return std::numeric_limits<double>::quiet_NaN();
  // Values of training rows have single precision; levels make equal scores.
  const double rounding = 1e-4 * (1 + std::abs(score));
  const auto first = std::lower_bound(scores.begin(), scores.end(), score - rounding);
  const auto last = std::upper_bound(first, scores.end(), score + rounding);
  const auto begin = static_cast<double>(first - scores.begin());
  const auto end = static_cast<double>(last - scores.begin());
  if (begin < end) return begin == 0 ? 1 : (probability_at(begin) + probability_at(end - 1)) / 2;
  if (first == scores.begin()) return 1;
  if (first == scores.end()) return probability_at(begin - 1);
  const double before = *std::prev(first);
  return probability_at(begin - 1 + (score - before) / (*first - before));
}

std::vector<Novelty> novelty(const Model& model, const MatrixView& X, const Execution& execution) {
  std::vector<Novelty> result(X.n_rows);
  for_blocks_in_coordinates(model, X, execution, "novelty", [&](std::size_t first, const Matrix& rows) {
    Surprises surprises(rows.n_rows, model.n_classes());
    std::vector<double> values(rows.n_rows);
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      if (!tells_novelty(model.terms[t])) continue;
      evaluate_met(model.terms[t], rows, values);
      surprises.add(model.terms[t], t, values);
    }
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
      Novelty& of_row = result[first + i];
      of_row = surprises.least(i);
      if (of_row.term != Novelty::no_term)
        of_row.p_value = novelty_p_value(model.novelty_scores, of_row.score);
    }
  });
  return result;
}

}  // namespace dyad
