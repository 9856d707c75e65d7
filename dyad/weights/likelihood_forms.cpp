// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/likelihood_forms.h"

#include <map>

#include "dyad/base/gather.h"
#include "dyad/base/pairs.h"
#include "dyad/dependence/spanning_tree.h"
#include "dyad/model/model.h"

namespace dyad {

std::vector<double> likelihood_weights(std::span<const TermKey> keys) {
  std::map<std::pair<std::int32_t, std::size_t>, double> degrees;
  for (const TermKey& key : keys)
    if (key.is_pair())
      for (const std::size_t end : {key.i, key.j}) ++degrees[{key.class_code, end}];
  std::vector<double> weights;
  for (const TermKey& key : keys) weights.push_back(key.is_pair() ? 1 : 1 - degrees[{key.class_code, key.i}]);
  return weights;
}

Matrix class_means(const FloatRows& values, std::span<const std::uint32_t> rows,
                   std::span<const std::int32_t> y, const WeightsView& weights, std::size_t n_classes) {
  Matrix means(values.n_cols(), n_classes);
  std::vector<double> totals(n_classes);
  for (const std::uint32_t i : rows) {
    const auto c = static_cast<std::size_t>(y[i]);
    const auto row = values.row(i);
    const auto sums = means.column(c);
    for (std::size_t t = 0; t < row.size(); ++t) sums[t] += weights[i] * static_cast<double>(row[t]);
    totals[c] += weights[i];
  }
  for (std::size_t c = 0; c < n_classes; ++c)
    for (double& mean : means.column(c)) mean /= std::max(totals[c], std::numeric_limits<double>::min());
  return means;
}

std::vector<GenerativeForms> generative_forms(const NestedTerms& terms, const Matrix& means,
                                              std::size_t n_classes) {
  const std::size_t first = terms.first_univariate();
  const auto first_pair =
      static_cast<std::size_t>(std::ranges::find_if(terms.keys, &TermKey::is_pair) - terms.keys.begin());
  const std::size_t d = (first_pair - first) / n_classes;
  Matrix information(pair_count(d), n_classes);  // pairs that are no terms have none
  std::vector<std::vector<std::size_t>> column_of(n_classes, std::vector<std::size_t>(pair_count(d)));
  for (std::size_t t = first_pair; t < terms.keys.size(); ++t) {
    const TermKey& key = terms.keys[t];
    const auto c = static_cast<std::size_t>(key.class_code);
    const std::size_t pair = pair_index(key.i, key.j, d);
    const std::size_t own = first + c * d;
    information(pair, c) = means(t, c) - means(own + key.i, c) - means(own + key.j, c);
    column_of[c][pair] = t;
  }

  const LinearForm nb{all_rows(first_pair - first, first), {}};
  LinearForm tan = nb;
  for (std::size_t c = 0; c < n_classes; ++c)
    for (const Edge& edge : remove_weak_edges(maximum_spanning_tree(information.column(c), d), 0))
      tan.columns.push_back(column_of[c][pair_index(edge.i, edge.j, d)]);

  const std::size_t n_scores = score_count(n_classes);
  std::vector<GenerativeForms> result;
  for (std::size_t k = 0; k < n_scores; ++k) {
    const std::size_t own_class = n_scores == 1 ? 1 : k;
    GenerativeForms forms{nb, tan};
    for (LinearForm& form : forms) {
      const auto keys = gather(terms.keys, form.columns);
      form.weights = likelihood_weights(keys);
      for (std::size_t m = 0; m < keys.size(); ++m)
        if (static_cast<std::size_t>(keys[m].class_code) != own_class)
          form.weights[m] /= -static_cast<double>(n_classes - 1);
    }
    result.push_back(std::move(forms));
  }
  return result;
}

}  // namespace dyad
