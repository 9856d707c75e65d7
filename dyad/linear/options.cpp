// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/options.h"

#include <stdexcept>
#include <string>

namespace dyad {

void require_valid(const SvmOptions& options) {
  validate(options);
  if (options.penalty != Penalty::l2 && options.loss == Loss::hinge)
    throw std::invalid_argument("penalty " +
                                std::string(penalty_names[static_cast<std::size_t>(options.penalty)]) +
                                " needs loss squared_hinge or logistic, not hinge");
}

}  // namespace dyad
