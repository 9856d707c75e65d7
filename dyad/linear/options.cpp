// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/options.h"

namespace dyad {

void require_valid(const SvmOptions& options) {
  validate(options);
  if (options.penalty == Penalty::l2 || options.loss != Loss::hinge) return;
  std::string smooth;
  for (std::size_t k = 1; k < loss_names.size(); ++k)
    smooth += (k == 1 ? "" : " or ") + std::string(loss_names[k]);
  throw std::invalid_argument("penalty=" + std::string(name_of(penalty_names, options.penalty)) +
                              " requires loss=" + smooth + ", got hinge");
}

}  // namespace dyad
