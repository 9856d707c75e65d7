// The SVMs that an average is made of: which rows, terms, costs and blends they see.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/data/folds.h"
#include "dyad/data/row_weights.h"
#include "dyad/linear/cholesky_rows.h"
#include "dyad/linear/hinge_newton.h"
#include "dyad/linear/standardisation.h"
#include "dyad/model/fit_options.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/weights/likelihood_forms.h"

namespace dyad::internal {

/// A setting, by its numbers.
struct Trial {
  std::size_t set = 0;
  double C = 1;
  double blend = 0;
  double loss = 0;
  std::vector<double> size{};  ///< by score, the root mean square of the scores of rows held out
};

/// Values as the SVMs of one set of terms see them.
struct Design {
  std::size_t n_terms = 0;
  double squared_norm = 1;               ///< mean of the rows
  std::optional<CholeskyRows> rotation;  ///< if there are more terms than rows

  [[nodiscard]] const FloatRows& rows(const FloatRows& values) const {
    return rotation ? rotation->rows : values;
  }
  [[nodiscard]] std::size_t n_cols() const { return rotation ? rotation->rows.n_cols() : n_terms; }
};

/// A form of the values, centred and scaled to be a column of a design.
struct FormColumn {
  std::vector<double> values;
  double mean = 0;  ///< of the form
  double factor = 0;
};

constexpr std::size_t n_forms = std::tuple_size_v<GenerativeForms>;
using FormColumns = std::array<FormColumn, n_forms>;

/// The rows of a design with forms behind its columns.
struct BlendedRows {
  FloatRows rows;
  FormColumns columns;

  void set_blend(double blend, std::size_t n_cols);
};

/// A sum of weights of scaled terms, for each score.
struct WeightSum {
  Matrix weights;
  std::vector<double> intercepts;
  double gap = 0;
  std::int64_t iterations = 0;
};

/// What all SVMs share.
struct Averaging {
  const NestedTerms& terms;
  std::size_t n_classes;
  const FitOptions& options;
  const Execution& execution;
  Standardisation standardisation;  ///< of the values
  std::vector<double> deviations;   ///< of the terms, before they are scaled

  [[nodiscard]] std::size_t n_scores() const { return score_count(n_classes); }
};

/// Centres and scales the values of rows in place.
[[nodiscard]] Averaging scale_in_place(FloatRows& values, const WeightsView& weights,
                                       const NestedTerms& terms, std::size_t n_classes,
                                       const FitOptions& options, const Execution& execution);

/// Rows with all that SVMs on them, or on parts of them, need.
class AveragingProblem {
 public:
  /// `values` are scaled. SVMs can be fitted to the rows outside each of `splits`, and to all. What is given must live as long as this.
  AveragingProblem(const FloatRows& values, std::span<const std::int32_t> y, const WeightsView& weights,
                   std::span<const Split> splits, const Averaging& averaging);

  [[nodiscard]] const std::vector<double>& signs(std::size_t k) const { return signs_[k]; }
  /// How much a row counts in losses and log odds.
  [[nodiscard]] const std::vector<double>& ratings(std::size_t k) const { return ratings_[k]; }
  [[nodiscard]] std::size_t all_rows() const { return train_.size() - 1; }

  /// An SVM with the rows that it was fitted to; `forms` is null without a blend.
  struct Solved {
    const Trial& trial;
    const FloatRows& rows;
    const FormColumns* forms;
    const LinearSolution& svm;
  };

  /// Solves trials of one set, those of a blend together, for score k on the rows outside split f (or `all_rows`), each from the one before.
  void solve(std::span<const Trial* const> trials, std::size_t f, std::size_t k,
             const std::function<void(const Solved&)>& visit) const;

  /// Adds share times an SVM of all rows for score k to `sum`.
  void add(double share, const Solved& solved, std::size_t k, WeightSum& sum) const;

 private:
  [[nodiscard]] double scale(std::size_t t) const { return averaging_.standardisation.scale[t]; }
  void find_forms(std::span<const std::int32_t> y);
  void make_designs();
  [[nodiscard]] FormColumn form_column(const LinearForm& form, const Design& design,
                                       std::span<const std::uint32_t> rows) const;
  [[nodiscard]] BlendedRows blended(const Design& design, std::size_t f, std::size_t k) const;

  const FloatRows& values_;
  WeightsView weights_;
  const Averaging& averaging_;
  std::vector<std::vector<std::uint32_t>> train_;    ///< of the splits, then all rows
  std::vector<std::vector<double>> signs_;           ///< by score
  std::vector<std::vector<double>> costs_;           ///< by score
  std::vector<std::vector<double>> ratings_;         ///< by score
  std::vector<std::vector<GenerativeForms>> forms_;  ///< by element of train_, then score
  std::vector<Design> designs_;                      ///< by set of terms
};

}  // namespace dyad::internal
