// Pairs that terms have, and features and pairs that they have not, as a caller gives them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dyad/base/pairs.h"
#include "dyad/model/model.h"

namespace dyad {

/// A structure by the names of features.
struct NamedStructure {
  using Names = std::vector<std::string>;
  std::optional<std::vector<Names>> pairs;  ///< two names each; none for pairs that a rule chooses
  std::vector<Names> exclude;               ///< one name for a feature, two for a pair
};

/// A structure by the numbers of features.
struct Structure {
  std::optional<std::vector<FeaturePair>> pairs;  ///< of every class, ascending; none for those of a rule
  std::vector<FeaturePair> excluded_pairs;        ///< ascending
  std::vector<std::size_t> excluded;              ///< features of no term, ascending
  Provenance texts;                               ///< by names; empty if nothing is given

  /// True if a term may have the pair i < j.
  [[nodiscard]] bool allows(std::size_t i, std::size_t j) const;
};

/// The structure of a table with these features.
///
/// Throws std::invalid_argument naming `pairs` or `exclude` for an unknown feature, a pair of a feature with
/// itself, a pair that is given and excluded, and if every feature is excluded.
[[nodiscard]] Structure structure_of(const NamedStructure& named, std::span<const std::string> features);

/// The pairs of a structure with features numbered by their places in `kept`, which is ascending; pairs of
/// other features are left out.
[[nodiscard]] Structure among(const Structure& structure, std::span<const std::size_t> kept);

/// The structure that options of a fit tell by `Structure::texts`.
[[nodiscard]] NamedStructure named_structure(const Provenance& fitted_with);

/// The features of a model that its fit was told to ignore, ascending.
[[nodiscard]] std::vector<std::size_t> excluded_features(const Model& model);

/// The names in "age,income". A name with a comma, semicolon or quote is put in double quotes, "" inside for
/// a quote. Throws std::invalid_argument if a quote is not closed.
[[nodiscard]] std::vector<std::string> names_in(std::string_view text);

}  // namespace dyad
