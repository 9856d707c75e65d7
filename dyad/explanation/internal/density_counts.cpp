// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/density_counts.h"

#include <set>

#include "dyad/explanation/shapes.h"

namespace dyad::internal {
namespace {

/// Counts add up to about this number.
constexpr double total_count = 1e12;

/// Values of a feature as tables have them, NaN last if some were missing.
struct DrawnAxis {
  std::vector<double> points;
  std::vector<double> log_widths;  ///< of the cells about them; 0 where shares are not those of a length
};

/// Numbers are apart in the model's coordinate.
DrawnAxis drawn_axis(const Model& model, std::size_t j, FeatureCounts& axis) {
  DrawnAxis drawn;
  auto points = points_of(model, j, most_count_nodes);
  axis.has_missing = !points.empty() && std::isnan(points.back());
  if (axis.has_missing) points.pop_back();
  for (const double point : points) {
    double z = point;
    if (is_number(model, j)) {
      if (!model.coordinates.empty()) apply(model.coordinates[j], {&point, 1}, {&z, 1});
      if (!axis.nodes.empty() && z <= axis.nodes.back()) continue;
      axis.nodes.push_back(z);
    }
    drawn.points.push_back(point);
  }
  const double width = axis.nodes.size() > 1
                           ? (axis.nodes.back() - axis.nodes[0]) / static_cast<double>(axis.nodes.size() - 1)
                           : 1;
  drawn.log_widths.assign(drawn.points.size(), is_number(model, j) ? std::log(width) : 0.0);
  if (axis.has_missing) {
    drawn.points.push_back(std::numeric_limits<double>::quiet_NaN());
    drawn.log_widths.push_back(0);
  }
  return drawn;
}

/// Mixes classes in proportion to their rows. Places that no density is known of have equal shares.
std::vector<std::uint64_t> counts_of(const Model& model, const Matrix& log_densities,
                                     const std::function<double(std::size_t)>& log_width) {
  std::vector<double> logs(log_densities.n_rows, -std::numeric_limits<double>::infinity());
  double top = logs.empty() ? 0 : logs[0];
  std::vector<double> shares(logs.size());
  for (std::size_t k = 0; k < logs.size(); ++k)
    for (std::size_t c = 0; c < log_densities.n_cols; ++c)
      if (const double value = log_densities(k, c) + log_width(k); value > top) top = value;
  double total = 0;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    for (std::size_t c = 0; c < log_densities.n_cols; ++c)
      if (const double value = log_densities(k, c) + log_width(k); !std::isnan(value))
        shares[k] += static_cast<double>(model.class_rows[c]) * std::exp(value - top);
    total += shares[k];
  }
  std::vector<std::uint64_t> counts(shares.size(), 1);
  for (std::size_t k = 0; total > 0 && k < shares.size(); ++k)
    counts[k] = static_cast<std::uint64_t>(std::llround(total_count * shares[k] / total));
  return counts;
}

}  // namespace

RowCounts counts_of_densities(const Model& model, const Execution& execution) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  std::set<std::size_t> features;
  for (const Term& term : model.terms) {
    features.insert({term.i, term.j});
    if (term.is_pair()) pairs.insert({term.i, term.j});
  }
  RowCounts result{.unit = 1 / total_count};
  result.features.resize(model.n_features);
  std::vector<DrawnAxis> axes(model.n_features);
  for (const std::size_t j : features) {
    axes[j] = drawn_axis(model, j, result.features[j]);
    const DrawnAxis& x = axes[j];
    result.features[j].rows =
        counts_of(model, log_densities(model, j, x.points), [&](std::size_t k) { return x.log_widths[k]; });
  }
  for (const auto& [i, j] : pairs) result.pairs.push_back({i, j, {}});
  parallel_for(result.pairs.size(), execution, {}, [&](std::size_t k) {
    PairRows& pair = result.pairs[k];
    const DrawnAxis& x = axes[pair.i];
    const DrawnAxis& y = axes[pair.j];
    pair.rows =
        counts_of(model, log_densities(model, pair.i, pair.j, x.points, y.points), [&](std::size_t cell) {
          return x.log_widths[cell / y.points.size()] + y.log_widths[cell % y.points.size()];
        });
  });
  return result;
}

}  // namespace dyad::internal
