// A model and the settings it was chosen from, in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"

namespace dyad {

/// Name of the loss in `Setting::loss`.
[[nodiscard]] std::string_view measure_of_settings(const Model& model);

/// A sentence on the class frequencies that probabilities refer to; empty for those of the table.
[[nodiscard]] std::string_view note_on_probabilities(ClassFrequencies frequencies);

/// Lines on features, classes, terms, categories, missing values, coordinates and probabilities.
[[nodiscard]] std::string description(const Model& model);

/// The quality that cross-validation measured when the model was fitted, in words; empty if it did not.
[[nodiscard]] std::string held_out_text(const Model& model);

/// A line for each option of the fit.
[[nodiscard]] std::string options_text(const Model& model);

/// The settings taken, and the best of the others, with the loss that they were chosen by.
[[nodiscard]] std::string settings_text(const Model& model);

}  // namespace dyad
