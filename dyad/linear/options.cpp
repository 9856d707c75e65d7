// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/options.h"

namespace dyad {

void require_valid(const SvmOptions& options) {
  validate(options);
  if (options.penalty == Penalty::l2 || options.loss != Loss::hinge) return;
  std::string smooth;
  for (std::size_t k = 1; k < loss_names.size(); ++k)
    smooth += (k == 1 ? "" : " or ") + std::string(loss_names[k]);
  throw std::invalid_argument("penalty " +
                              std::string(penalty_names[static_cast<std::size_t>(options.penalty)]) +
                              " needs loss " + smooth + ", not hinge");
}

}  // namespace dyad
