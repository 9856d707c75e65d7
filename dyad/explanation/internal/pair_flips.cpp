// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/pair_flips.h"

#include <map>
#include <set>

#include "dyad/base/gather.h"
#include "dyad/explanation/internal/flip_candidates.h"
#include "dyad/explanation/shapes.h"
#include "dyad/model/prediction.h"

namespace dyad::internal {
namespace {

constexpr std::size_t most_term_pairs = 400;
constexpr std::size_t most_close_features = 24;
constexpr std::size_t most_pair_flips = 5;  ///< a row
constexpr std::size_t most_refined = 4;     ///< pairs of features a row
constexpr int n_refinements = 3;
constexpr std::size_t refined_steps = 9;
constexpr std::size_t rows_at_once = 16;

using FeatureKey = std::pair<std::size_t, std::size_t>;

/// Changes of one feature of a row.
struct Changes {
  Matrix scores;                  ///< at the candidates
  std::vector<double> distances;  ///< of the candidates from the row's value
  double closest = 0;             ///< the largest margin for another class
};

/// A change of two features at candidates a and b.
struct Cell {
  FeatureKey features;
  std::size_t a = 0;
  std::size_t b = 0;
  double distance = 0;
  double margin = 0;  ///< for another class than the row's own
};

/// By how much another class is ahead of the row's own, by scores alone.
double margin_of(const Matrix& scores, std::size_t row, std::int32_t own) {
  if (scores.n_cols == 1) return own == 1 ? -scores(row, 0) : scores(row, 0);
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < scores.n_cols; ++k)
    if (k != static_cast<std::size_t>(own)) best = std::max(best, scores(row, k));
  return best - scores(row, static_cast<std::size_t>(own));
}

/// The pairs of features of terms, those of the largest sums of absolute weights.
std::set<FeatureKey> heaviest_pairs(const Model& model) {
  std::map<FeatureKey, double> weights;
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    if (const Term& term = model.terms[t]; term.is_pair())
      for (std::size_t k = 0; k < model.n_scores(); ++k)
        weights[{term.i, term.j}] += std::abs(model.weights(k, t));
  std::vector<std::pair<double, FeatureKey>> order;
  for (const auto& [key, weight] : weights) order.emplace_back(-weight, key);
  std::ranges::sort(order);
  order.resize(std::min(order.size(), most_term_pairs));
  std::set<FeatureKey> result;
  for (const auto& [weight, key] : order) result.insert(key);
  return result;
}

/// Searches some rows together.
class PairSearch {
 public:
  PairSearch(const Model& model, const MatrixView& X, const Matrix& all_scores,
             std::span<const std::size_t> immutable, const Execution& execution)
      : model_(model),
        X_(X),
        all_scores_(all_scores),
        execution_(execution),
        term_pairs_(heaviest_pairs(model)) {
    std::vector<bool> is_used(model.n_features);
    for (const Term& term : model.terms) is_used[term.i] = is_used[term.j] = true;
    for (const std::size_t j : immutable) is_used[j] = false;
    candidates_.resize(model.n_features);
    for (std::size_t j = 0; j < model.n_features; ++j) {
      if (is_used[j]) candidates_[j] = flip_candidates(model, j);
      if (!candidates_[j].values.empty()) features_.push_back(j);
    }
  }

  std::vector<std::vector<Flip>> flips_of(std::span<const std::size_t> rows) {
    rows_ = rows;
    own_.clear();
    for (const std::size_t row : rows) own_.push_back(classify(model_, row_scores(row))[0]);
    change_each();
    std::vector<std::vector<Cell>> flipped(rows.size());
    std::vector<std::vector<Cell>> closest(rows.size());
    const auto pairs = pairs_searched();
    std::vector<std::vector<std::pair<Cell, bool>>> found(pairs.size());  // by pair, then row
    parallel_for(pairs.size(), execution_, {}, [&](std::size_t p) {
      throw_if_stopped(execution_);
      found[p] = search(pairs[p]);
    });
    for (const auto& of_rows : found)
      for (std::size_t r = 0; r < of_rows.size(); ++r)
        (of_rows[r].second ? flipped : closest)[r].push_back(of_rows[r].first);
    std::vector<std::vector<Flip>> result(rows.size());
    parallel_for(rows.size(), execution_, {}, [&](std::size_t r) {
      result[r] =
          flipped[r].empty() ? refined(r, std::move(closest[r])) : shortened(r, std::move(flipped[r]));
    });
    return result;
  }

 private:
  [[nodiscard]] Matrix row_scores(std::size_t row) const {
    Matrix scores(1, model_.n_scores());
    for (std::size_t k = 0; k < scores.n_cols; ++k) scores(0, k) = all_scores_(row, k);
    return scores;
  }

  void change_each() {
    changes_.assign(model_.n_features, {});
    parallel_for(features_.size(), execution_, {}, [&](std::size_t f) {
      const std::size_t j = features_[f];
      const PartialModel part =
          partial_model(model_, [&](const Term& term) { return term.i == j || term.j == j; });
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const Along along(model_, part, j, X_, rows_[r], all_scores_);
        Changes changes{.scores = along.scores_at(candidates_[j].values), .distances = distances(r, j)};
        changes.closest = -std::numeric_limits<double>::infinity();
        for (std::size_t a = 0; a < changes.scores.n_rows; ++a)
          changes.closest = std::max(changes.closest, margin_of(changes.scores, a, own_[r]));
        changes_[j].push_back(std::move(changes));
      }
    });
  }

  [[nodiscard]] double distance(std::size_t r, std::size_t j, double value) const {
    const double own = X_.column(j)[rows_[r]];
    if (candidates_[j].positions.empty() || std::isnan(own)) return value == own ? 0 : 1;
    return std::abs(position_of(model_, j, candidates_[j], value) -
                    position_of(model_, j, candidates_[j], own));
  }

  [[nodiscard]] std::vector<double> distances(std::size_t r, std::size_t j) const {
    std::vector<double> result;
    for (const double value : candidates_[j].values) result.push_back(distance(r, j, value));
    return result;
  }

  /// Pairs of terms, and any two features that come closest alone in one of the rows.
  [[nodiscard]] std::vector<FeatureKey> pairs_searched() const {
    std::set<FeatureKey> result;
    for (const FeatureKey& key : term_pairs_)
      if (!candidates_[key.first].values.empty() && !candidates_[key.second].values.empty())
        result.insert(key);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      auto order = features_;
      std::ranges::stable_sort(order, std::greater<>(),
                               [&](std::size_t j) { return changes_[j][r].closest; });
      order.resize(std::min(order.size(), most_close_features));
      for (const std::size_t i : order)
        for (const std::size_t j : order)
          if (i < j) result.insert({i, j});
    }
    return {result.begin(), result.end()};
  }

  /// The sum of the terms of a pair at candidates, then at the values of the rows; empty without terms.
  [[nodiscard]] Matrix joint_terms(const FeatureKey& key) const {
    if (!term_pairs_.contains(key)) return {};
    auto x = candidates_[key.first].values;
    auto y = candidates_[key.second].values;
    for (const std::size_t row : rows_) {
      x.push_back(X_.column(key.first)[row]);
      y.push_back(X_.column(key.second)[row]);
    }
    return effect_surface(model_, key.first, key.second, x, y);
  }

  /// The nearest cell that flips each row, or the closest to it.
  [[nodiscard]] std::vector<std::pair<Cell, bool>> search(const FeatureKey& key) const {
    const std::size_t n_x = candidates_[key.first].values.size();
    const std::size_t n_y = candidates_[key.second].values.size();
    const Matrix joint = joint_terms(key);
    const std::size_t width = n_y + rows_.size();
    Matrix sums(n_x * n_y, model_.n_scores());
    std::vector<std::pair<Cell, bool>> result;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Changes& of_x = changes_[key.first][r];
      const Changes& of_y = changes_[key.second][r];
      for (std::size_t k = 0; k < sums.n_cols; ++k) {
        const double own = all_scores_(rows_[r], k);
        const auto of_pair = joint.data.empty() ? std::span<const double>{} : joint.column(k);
        for (std::size_t a = 0; a < n_x; ++a)
          for (std::size_t b = 0; b < n_y; ++b) {
            double& sum = sums(a * n_y + b, k);
            sum = of_x.scores(a, k) + of_y.scores(b, k) - own;
            if (!of_pair.empty())
              sum += of_pair[a * width + b] - of_pair[a * width + n_y + r] - of_pair[(n_x + r) * width + b] +
                     of_pair[(n_x + r) * width + n_y + r];
          }
      }
      result.push_back(nearest(key, r, sums));
    }
    return result;
  }

  [[nodiscard]] std::pair<Cell, bool> nearest(const FeatureKey& key, std::size_t r,
                                              const Matrix& sums) const {
    const auto predicted = classify(model_, sums);
    const auto& of_x = changes_[key.first][r].distances;
    const auto& of_y = changes_[key.second][r].distances;
    std::optional<Cell> flipped;
    Cell closest{.features = key, .margin = -std::numeric_limits<double>::infinity()};
    for (std::size_t cell = 0; cell < sums.n_rows; ++cell) {
      const std::size_t a = cell / of_y.size();
      const std::size_t b = cell % of_y.size();
      const double distance = of_x[a] + of_y[b];
      if (predicted[cell] != own_[r]) {
        if (!flipped || distance < flipped->distance) flipped = Cell{key, a, b, distance, 0};
      } else if (!flipped) {
        if (const double margin = margin_of(sums, cell, own_[r]); margin > closest.margin)
          closest = {key, a, b, distance, margin};
      }
    }
    return flipped ? std::pair(*flipped, true) : std::pair(closest, false);
  }

  [[nodiscard]] std::vector<double> row_values(std::size_t r) const {
    std::vector<double> values;
    for (std::size_t j = 0; j < X_.n_cols; ++j) values.push_back(X_.column(j)[rows_[r]]);
    return values;
  }

  /// The scores of row r with each of some values of two features.
  [[nodiscard]] Matrix scores_with(std::size_t r, const FeatureKey& key, std::span<const double> x,
                                   std::span<const double> y) const {
    const auto own = row_values(r);
    Matrix rows(x.size() * y.size(), own.size());
    for (std::size_t j = 0; j < own.size(); ++j) std::ranges::fill(rows.column(j), own[j]);
    for (std::size_t a = 0; a < x.size(); ++a)
      for (std::size_t b = 0; b < y.size(); ++b) {
        rows(a * y.size() + b, key.first) = x[a];
        rows(a * y.size() + b, key.second) = y[b];
      }
    return scores(model_, rows, {.threads = 1});
  }

  [[nodiscard]] std::int32_t class_with(std::size_t r, const FeatureKey& key, double x, double y) const {
    return classify(model_, scores_with(r, key, {&x, 1}, {&y, 1}))[0];
  }

  [[nodiscard]] bool is_ordered(std::size_t r, std::size_t j) const {
    return !candidates_[j].positions.empty() && !std::isnan(X_.column(j)[rows_[r]]);
  }

  /// The value next to the row's own, between it and `value`, for which `flips` still holds.
  template <class Flips>
  double halved(std::size_t r, std::size_t j, double value, const Flips& flips) const {
    if (!is_ordered(r, j)) return value;
    const FlipCandidates& candidates = candidates_[j];
    double before = std::clamp(X_.column(j)[rows_[r]], candidates.low, candidates.high);
    if (candidates.is_whole) before = value > before ? std::floor(before) : std::ceil(before);
    for (int k = 0; k < n_halvings; ++k) {
      double middle = std::midpoint(before, value);
      if (candidates.is_whole) middle = std::round(middle);
      if (middle == before || middle == value) break;
      (flips(middle) ? value : before) = middle;
    }
    return value;
  }

  /// A flip with both values as near as halving leads to; none if the sums were wrong by rounding.
  [[nodiscard]] std::optional<Flip> flip_at(std::size_t r, const FeatureKey& key, double x, double y) const {
    if (class_with(r, key, x, y) == own_[r]) return std::nullopt;
    x = halved(r, key.first, x, [&](double value) { return class_with(r, key, value, y) != own_[r]; });
    y = halved(r, key.second, y, [&](double value) { return class_with(r, key, x, value) != own_[r]; });
    return Flip{key.first, x, distance(r, key.first, x) + distance(r, key.second, y),
                class_with(r, key, x, y), FeatureValue{key.second, y}};
  }

  [[nodiscard]] std::vector<Flip> shortened(std::size_t r, std::vector<Cell> cells) const {
    std::ranges::stable_sort(cells, {}, &Cell::distance);
    cells.resize(std::min(cells.size(), most_pair_flips));
    std::vector<Flip> result;
    for (const Cell& cell : cells)
      if (const auto flip = flip_at(r, cell.features, candidates_[cell.features.first].values[cell.a],
                                    candidates_[cell.features.second].values[cell.b]))
        result.push_back(*flip);
    std::ranges::stable_sort(result, {}, &Flip::distance);
    return result;
  }

  /// Values between those of two candidates next to a value, a few steps each.
  [[nodiscard]] std::vector<double> around(std::size_t j, double value, double below, double above) const {
    const FlipCandidates& candidates = candidates_[j];
    if (candidates.positions.empty()) return {value};
    std::vector<double> result;
    for (std::size_t k = 0; k < refined_steps; ++k) {
      const double share = static_cast<double>(k) / (refined_steps - 1);
      const double at = std::lerp(below, above, share);
      result.push_back(
          std::clamp(candidates.is_whole ? std::round(at) : at, candidates.low, candidates.high));
    }
    result.push_back(value);
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  /// Looks between the candidates about the closest cells.
  [[nodiscard]] std::vector<Flip> refined(std::size_t r, std::vector<Cell> cells) const {
    std::ranges::stable_sort(cells, std::greater<>(), &Cell::margin);
    cells.resize(std::min(cells.size(), most_refined));
    for (const Cell& cell : cells) {
      const auto& [i, j] = cell.features;
      auto x = about(candidates_[i].values, cell.a);
      auto y = about(candidates_[j].values, cell.b);
      for (int round = 0; round < n_refinements; ++round) {
        const auto xs = around(i, x[1], x[0], x[2]);
        const auto ys = around(j, y[1], y[0], y[2]);
        const Matrix sums = scores_with(r, cell.features, xs, ys);
        const auto predicted = classify(model_, sums);
        std::size_t best = 0;
        for (std::size_t k = 0; k < sums.n_rows; ++k) {
          if (predicted[k] != own_[r])
            if (const auto flip = flip_at(r, cell.features, xs[k / ys.size()], ys[k % ys.size()]))
              return {*flip};
          if (margin_of(sums, k, own_[r]) > margin_of(sums, best, own_[r])) best = k;
        }
        x = about(xs, best / ys.size());
        y = about(ys, best % ys.size());
      }
    }
    return {};
  }

  /// The value at a place with its neighbours.
  [[nodiscard]] static std::array<double, 3> about(std::span<const double> values, std::size_t k) {
    return {values[k > 0 ? k - 1 : 0], values[k], values[std::min(k + 1, values.size() - 1)]};
  }

  const Model& model_;
  const MatrixView& X_;
  const Matrix& all_scores_;
  const Execution& execution_;
  std::set<FeatureKey> term_pairs_;
  std::vector<FlipCandidates> candidates_;  ///< by feature; empty for those that stay
  std::vector<std::size_t> features_;       ///< that may change
  std::span<const std::size_t> rows_;
  std::vector<std::int32_t> own_;              ///< classes of the rows
  std::vector<std::vector<Changes>> changes_;  ///< by feature, then row
};

}  // namespace

std::vector<std::vector<Flip>> pair_flips(const Model& model, const MatrixView& X, const Matrix& all_scores,
                                          std::span<const std::size_t> rows,
                                          std::span<const std::size_t> immutable,
                                          const Execution& execution) {
  std::vector<std::vector<Flip>> result;
  if (rows.empty()) return result;
  PairSearch search(model, X, all_scores, immutable, execution);
  for (std::size_t first = 0; first < rows.size(); first += rows_at_once) {
    throw_if_stopped(execution);
    auto found = search.flips_of(rows.subspan(first, std::min(rows_at_once, rows.size() - first)));
    std::ranges::move(found, std::back_inserter(result));
  }
  return result;
}

}  // namespace dyad::internal
