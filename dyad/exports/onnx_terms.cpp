// Terms of a graph: mixtures of log densities by cell, and deviations from centres.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/internal/onnx_operators.h"

namespace dyad::internal {
namespace {

constexpr double no_part = -1e300;  // logarithm of 0 in sums

class TermGraph {
 public:
  TermGraph(Operators& o, const Lookups& lookups, const OnnxFeatures& features,
            const OnnxDensities& densities)
      : o_(o), lookups_(lookups), features_(features), densities_(densities) {}

  using Terms = std::span<const TermLookup>;

  OnnxDeviations run() {
    std::vector<TermLookup> plain;
    std::vector<TermLookup> celled;
    std::vector<TermLookup> linear;
    std::array<std::vector<std::size_t>, 3> members;
    for (std::size_t t = 0; t < lookups_.terms.size(); ++t) {
      const TermLookup& term = lookups_.terms[t];
      const std::size_t kind = term.key.is_linear() ? 2 : is_plain(term) ? 0 : 1;
      (kind == 0 ? plain : kind == 1 ? celled : linear).push_back(term);
      members[kind].push_back(t);
    }
    for (const auto& kind : members) order_.insert(order_.end(), kind.begin(), kind.end());
    std::vector<Value> deviations;
    std::vector<Value> unmet;
    if (!plain.empty()) {
      unmet.push_back(o_.op("Or", of_feature(features_.missing, plain, &TermKey::i),
                            of_feature(features_.missing, plain, &TermKey::j)));
      deviations.push_back(from_centre(plain, unmet.back(), plain_values(plain)));
    }
    if (!celled.empty()) {
      const Value cell = cells_of(celled, unmet);
      deviations.push_back(from_centre(celled, unmet.back(), celled_values(cell)));
    }
    if (!linear.empty()) {
      unmet.push_back(of_feature(features_.missing, linear, &TermKey::i));
      const Value centre = of_each_term(linear, [](const auto& t) { return t.centre; });
      deviations.push_back(o_.where(unmet.back(), o_.zero(),
                                    o_.subtract(of_feature(features_.z, linear, &TermKey::i), centre)));
    }
    // A model without terms has one that is always 0.
    if (deviations.empty())
      return {o_.multiply(o_.rows(features_.z, std::array<std::size_t, 1>{}), o_.zero()), order_};
    return {with_own(o_.below(deviations), o_.below(unmet)), order_};
  }

 private:
  /// True if numbers are the only level, and their density the only part of the value.
  [[nodiscard]] bool is_plain(const TermLookup& term) const {
    const CellLookup& cell = lookups_.cells[term.first_cell];
    return term.levels_x.is_plain() && (!term.key.is_pair() || term.levels_y.is_plain()) &&
           cell.log_share == 0 && cell.mixtures.size() == 1;
  }

  Value of_feature(const Value& matrix, Terms terms, std::size_t TermKey::*feature) {
    std::vector<std::size_t> which;
    for (const TermLookup& term : terms) which.push_back(term.key.*feature);
    return o_.rows(matrix, which);
  }

  Value of_each_term(Terms terms, const auto& of) { return o_.of_rows(each(terms, of)); }

  /// max(value, floor) - centre, 0 where a level was never met.
  Value from_centre(Terms terms, const Value& unmet, const Value& values) {
    const Value floor = of_each_term(terms, [](const auto& t) { return t.floor; });
    const Value centre = of_each_term(terms, [](const auto& t) { return t.centre; });
    return o_.where(unmet, o_.zero(), o_.subtract(o_.op("Max", values, floor), centre));
  }

  /// log(exp(a) + exp(b)).
  Value sum_in_logarithms(const Value& a, const Value& b) {
    const Value ratio = o_.op("Exp", o_.op("Neg", o_.op("Abs", o_.subtract(a, b))));
    return o_.add(o_.op("Max", a, b), o_.op("Log", o_.add(ratio, o_.graph.real(1))));
  }

  /// Part p of mixture m of a cell; a part of weight 0 where there are fewer.
  [[nodiscard]] MixturePart part_of(const CellLookup& cell, std::size_t m, std::size_t p) const {
    if (m >= cell.mixtures.size() || p >= cell.mixtures[m].count) return {no_part, 0};
    const MixturePart& part = lookups_.parts[cell.mixtures[m].first + p];
    return {part.log_weight, densities_.place[part.density]};
  }

  /// The most parts that mixture m of some cells has.
  [[nodiscard]] std::size_t most_parts(std::span<const CellLookup> cells, std::size_t m) const {
    std::size_t most = 0;
    for (const CellLookup& cell : cells)
      if (m < cell.mixtures.size()) most = std::max(most, cell.mixtures[m].count);
    return most;
  }

  /// Values of terms with one cell and one mixture.
  Value plain_values(Terms terms) {
    std::vector<CellLookup> cells;
    for (const TermLookup& term : terms) cells.push_back(lookups_.cells[term.first_cell]);
    Value sum;
    for (std::size_t p = 0; p < most_parts(cells, 0); ++p) {
      std::vector<std::size_t> which;
      std::vector<double> log_weights;
      for (const CellLookup& cell : cells) {
        const MixturePart part = part_of(cell, 0, p);
        which.push_back(part.density);
        log_weights.push_back(part.log_weight);
      }
      const Value value = o_.add(o_.rows(densities_.values, which), o_.of_rows(log_weights));
      sum = p == 0 ? value : sum_in_logarithms(sum, value);
    }
    return sum;
  }

  /// The number of cuts of each term that are not above its feature.
  Value cuts_below(Terms terms, const Value& z, CutLookup TermLookup::*cuts) {
    std::size_t most = 0;
    for (const TermLookup& term : terms) most = std::max(most, (term.*cuts).count);
    Value sum = o_.zero();
    for (std::size_t c = 0; c < most; ++c) {
      const auto has_cut = [&](const auto& t) { return c < (t.*cuts).count ? 1 : 0; };
      const Value cut = of_each_term(
          terms, [&](const auto& t) { return c < (t.*cuts).count ? lookups_.cuts[(t.*cuts).first + c] : 0; });
      const Value is_below = o_.cast(o_.op("GreaterOrEqual", z, cut), TensorType::real);
      sum = o_.add(sum, o_.multiply(is_below, of_each_term(terms, has_cut)));
    }
    return sum;
  }

  /// The cell of each term among all cells; adds where there is none to `unmet`.
  Value cells_of(Terms terms, std::vector<Value>& unmet) {
    const auto level = [&](std::size_t TermKey::*feature, LevelAxis TermLookup::*axis,
                           CutLookup TermLookup::*cuts) {
      const Value of_missing = of_each_term(terms, [&](const auto& t) {
        const LevelAxis& levels = t.*axis;
        if (levels.n_levels == 1 && !levels.is_number && axis == &TermLookup::levels_y) return 0.0;
        return levels.has_missing ? static_cast<double>(levels.n_levels - 1) : -1.0;
      });
      const Value has_codes = of_each_term(terms, [&](const auto& t) {
        return (t.*axis).is_number || (axis == &TermLookup::levels_y && !t.key.is_pair()) ? 0 : 1;
      });
      const Value z = of_feature(features_.z, terms, feature);
      return o_.where(of_feature(features_.missing, terms, feature), of_missing,
                      o_.add(o_.multiply(z, has_codes), cuts_below(terms, z, cuts)));
    };
    const Value x = level(&TermKey::i, &TermLookup::levels_x, &TermLookup::cuts_x);
    const Value y = level(&TermKey::j, &TermLookup::levels_y, &TermLookup::cuts_y);
    unmet.push_back(o_.op("Less", o_.op("Min", x, y), o_.zero()));
    const Value count_y = of_each_term(terms, [](const auto& t) { return t.levels_y.n_levels; });
    const Value first = of_each_term(terms, [](const auto& t) { return t.first_cell; });
    const Value cell = o_.where(unmet.back(), o_.zero(), o_.add(o_.multiply(x, count_y), y));
    return o_.cast(o_.add(cell, first), TensorType::int64);
  }

  /// Values of terms whose densities depend on their cells.
  Value celled_values(const Value& cell) {
    const std::span<const CellLookup> cells = lookups_.cells;
    const auto of_cell = [&](const Value& table) { return o_.op("Gather", table, cell); };
    Value value = of_cell(o_.graph.reals(each(cells, [](const auto& c) { return c.log_share; })));
    constexpr std::size_t most_mixtures = 2;
    for (std::size_t m = 0; m < most_mixtures; ++m) {
      Value sum;
      for (std::size_t p = 0; p < most_parts(cells, m); ++p) {
        std::vector<std::size_t> which;
        std::vector<double> log_weights;
        for (const CellLookup& of : cells) {
          const MixturePart part = part_of(of, m, p);
          which.push_back(part.density);
          log_weights.push_back(part.log_weight);
        }
        const Value density = o_.graph.node(
            "GatherElements", {densities_.values, of_cell(o_.graph.places(which))}, {attribute("axis", 0)});
        const Value part = o_.add(density, of_cell(o_.graph.reals(log_weights)));
        sum = p == 0 ? part : sum_in_logarithms(sum, part);
      }
      if (sum.empty()) continue;
      std::vector<bool> has_mixture;
      for (const CellLookup& of : cells) has_mixture.push_back(m < of.mixtures.size());
      value = o_.add(value, o_.where(of_cell(o_.graph.truths(has_mixture)), sum, o_.zero()));
    }
    return value;
  }

  /// Deviations with those of pairs where a level was never met: the sum of their features' own.
  Value with_own(const Value& deviations, const Value& unmet) {
    std::vector<std::size_t> place(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) place[order_[k]] = k;
    const std::size_t nothing = order_.size();  // a row of zeros behind the others
    std::vector<std::size_t> own_x;
    std::vector<std::size_t> own_y;
    for (const std::size_t t : order_) {
      const TermLookup& term = lookups_.terms[t];
      own_x.push_back(term.own_x == TermLookup::none ? nothing : place[term.own_x]);
      own_y.push_back(term.own_y == TermLookup::none ? nothing : place[term.own_y]);
    }
    const Value zeros = o_.multiply(o_.rows(deviations, std::array<std::size_t, 1>{}), o_.zero());
    const Value padded = o_.below({deviations, zeros});
    return o_.where(unmet, o_.add(o_.rows(padded, own_x), o_.rows(padded, own_y)), deviations);
  }

  Operators& o_;
  const Lookups& lookups_;
  const OnnxFeatures& features_;
  const OnnxDensities& densities_;
  std::vector<std::size_t> order_;
};

}  // namespace

OnnxDeviations add_terms(Operators& o, const Lookups& lookups, const OnnxFeatures& features,
                         const OnnxDensities& densities) {
  return TermGraph(o, lookups, features, densities).run();
}

}  // namespace dyad::internal
