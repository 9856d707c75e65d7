// Counting the rows of a table for chosen terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/chunk.h"
#include "dyad/fit/plan.h"

namespace dyad {

/// The rows of a chunk in the form of the plan's sample. Throws std::invalid_argument as State::update does.
[[nodiscard]] LabelledSample prepared_rows(const Plan& plan, const Chunk& chunk, const Execution& execution);

/// The rows counted by a plan.
class TermCounts {
 public:
  explicit TermCounts(const Plan& plan);

  /// Adds the rows of a chunk; throws as `State::update` does.
  void add(const Plan& plan, const Chunk& chunk, std::uint64_t first_row, const Execution& execution);
  void add(const TermCounts& other);

  /// Throws std::invalid_argument if an addition did not come to its end.
  void require_whole() const;

  [[nodiscard]] const std::vector<BinnedTerm>& terms() const { return terms_; }
  [[nodiscard]] const std::vector<std::uint64_t>& class_rows() const { return class_rows_; }

  // For reading states.
  std::vector<BinnedTerm>& terms() { return terms_; }
  std::vector<std::uint64_t>& class_rows() { return class_rows_; }

 private:
  std::vector<BinnedTerm> terms_;
  std::vector<std::uint64_t> class_rows_;
  bool is_whole_ = true;
};

}  // namespace dyad
