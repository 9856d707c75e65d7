// Functions that R calls.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cpp11.hpp>
#include <string>

#include "values.h"

namespace dyad::r {

using List = cpp11::writable::list;
using NewNumbers = cpp11::writable::doubles;
using NewMatrix = cpp11::writable::doubles_matrix<>;

// options.cpp
List fit_options_described(const cpp11::list& given);
List screen_options_described();

// fitting.cpp: a model as an external pointer, its bytes, and how the fit went.
List fit_rows(const Columns& X, const cpp11::integers& y, const cpp11::list& options, const Numbers& weights,
              const Numbers& class_weights, const Columns& costs, const cpp11::strings& features,
              const cpp11::strings& classes, const std::string& label_type, const cpp11::list& levels,
              const cpp11::list& orders, const cpp11::list& structure, int threads, SEXP progress);
List cross_validated(const Columns& X, const cpp11::integers& y, const cpp11::list& options,
                     const Numbers& weights, const cpp11::strings& features, const cpp11::strings& classes,
                     const cpp11::list& levels, const cpp11::list& structure, int folds, int repeats,
                     int threads, SEXP progress);

// model.cpp
bool is_lost(SEXP pointer);
SEXP model_from_raw(const cpp11::raws& bytes, const std::string& name);
cpp11::writable::raws file_bytes(const std::string& path);
SEXP write_bytes(const std::string& path, const cpp11::raws& bytes);
List model_parts(SEXP model);
std::string model_description(SEXP model);
NewMatrix row_scores(SEXP model, const Columns& X, int threads);
NewMatrix row_probabilities(SEXP model, const Columns& scores);
cpp11::writable::integers predicted_classes(SEXP model, const Columns& scores);
NewMatrix row_term_values(SEXP model, const Columns& X, int threads);
NewMatrix row_contributions(SEXP model, const Columns& values, int score);
List row_novelty(SEXP model, const Columns& X, int threads);
cpp11::writable::raws exported(SEXP model, const std::string& format, bool contributions);

// labels.cpp
cpp11::writable::strings normal_forms(const Numbers& values);
cpp11::writable::integers ordered_classes(const cpp11::strings& classes, const std::string& type);
NewNumbers level_codes(const cpp11::strings& names, bool has_others, const cpp11::strings& texts);
std::string note_on_levels(const std::string& feature, const cpp11::strings& names, int n_values,
                           const std::string& unknown);

// explanation.cpp
List effect_places(SEXP model);
List part_importances(SEXP model, const Columns& X, double seed, int threads);
NewNumbers drawn_points(SEXP model, int feature, int n_numbers);
NewMatrix curve(SEXP model, int feature, const Numbers& points);
NewMatrix surface(SEXP model, int i, int j, const Numbers& x, const Numbers& y);
NewMatrix densities_along(SEXP model, int feature, const Numbers& points);
List row_flips(SEXP model, const Columns& X, int threads);
List class_dependence(SEXP model, const Columns& X, const cpp11::integers& y, int threads);
std::string report_json(SEXP model, const Columns& X, const cpp11::integers& y, const std::string& title,
                        const cpp11::integers& rows, const cpp11::list& options, const Numbers& seconds,
                        int threads, SEXP progress);
std::string page_html(const std::string& document, const std::string& title, const std::string& plotly);

// pieces.cpp
NewMatrix bandwidth_matrix(const Columns& x, const std::string& rule, const std::string& engine);
SEXP density(const Columns& x, const Columns& bandwidth, const std::string& rule, const std::string& engine,
             int grid);
NewMatrix density_bandwidth(SEXP density);
NewNumbers log_densities_at(SEXP density, const Columns& x);
NewNumbers hsic_of(const Numbers& x, const Numbers& y, const std::string& engine);
double hsic_permuted(const Numbers& x, const Numbers& y, int permutations, double seed);
NewMatrix hsic_of_columns(const Columns& X, const std::string& engine, const cpp11::list& levels,
                          int threads);
NewNumbers information(const Numbers& x, const Numbers& y, const Numbers& bandwidths);
List screened(const Columns& X, const cpp11::integers& y, const cpp11::strings& features,
              const cpp11::strings& classes, const cpp11::list& levels, const cpp11::list& options,
              int threads, SEXP progress);
List simulated(const std::string& scenario, int n, double imbalance, int draw, double seed,
               const cpp11::list& options);

}  // namespace dyad::r
