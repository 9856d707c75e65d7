// The table of routines that R finds in the library.
// SPDX-License-Identifier: BSD-3-Clause
#include "module.h"

#include <R_ext/Visibility.h>

#include "entry.h"

namespace dyad::r {
namespace {

#define DYAD_ROUTINE(name) Routine<&name>::named(#name)

const R_CallMethodDef routines[] = {DYAD_ROUTINE(fit_options_described),
                                    DYAD_ROUTINE(screen_options_described),
                                    DYAD_ROUTINE(fit_rows),
                                    DYAD_ROUTINE(cross_validated),
                                    DYAD_ROUTINE(is_lost),
                                    DYAD_ROUTINE(model_from_raw),
                                    DYAD_ROUTINE(file_bytes),
                                    DYAD_ROUTINE(write_bytes),
                                    DYAD_ROUTINE(model_parts),
                                    DYAD_ROUTINE(model_description),
                                    DYAD_ROUTINE(row_scores),
                                    DYAD_ROUTINE(row_probabilities),
                                    DYAD_ROUTINE(predicted_classes),
                                    DYAD_ROUTINE(row_term_values),
                                    DYAD_ROUTINE(row_contributions),
                                    DYAD_ROUTINE(row_novelty),
                                    DYAD_ROUTINE(exported),
                                    DYAD_ROUTINE(normal_forms),
                                    DYAD_ROUTINE(ordered_classes),
                                    DYAD_ROUTINE(level_codes),
                                    DYAD_ROUTINE(note_on_levels),
                                    DYAD_ROUTINE(effect_places),
                                    DYAD_ROUTINE(part_importances),
                                    DYAD_ROUTINE(drawn_points),
                                    DYAD_ROUTINE(curve),
                                    DYAD_ROUTINE(surface),
                                    DYAD_ROUTINE(densities_along),
                                    DYAD_ROUTINE(row_flips),
                                    DYAD_ROUTINE(class_dependence),
                                    DYAD_ROUTINE(report_json),
                                    DYAD_ROUTINE(page_html),
                                    DYAD_ROUTINE(bandwidth_matrix),
                                    DYAD_ROUTINE(density),
                                    DYAD_ROUTINE(density_bandwidth),
                                    DYAD_ROUTINE(log_densities_at),
                                    DYAD_ROUTINE(hsic_of),
                                    DYAD_ROUTINE(hsic_permuted),
                                    DYAD_ROUTINE(hsic_of_columns),
                                    DYAD_ROUTINE(information),
                                    DYAD_ROUTINE(screened),
                                    DYAD_ROUTINE(simulated),
                                    {nullptr, nullptr, 0}};

#undef DYAD_ROUTINE

}  // namespace
}  // namespace dyad::r

extern "C" attribute_visible void R_init_dyad(DllInfo* dll) {
  R_registerRoutines(dll, nullptr, dyad::r::routines, nullptr, nullptr);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
