// Densities in model files (docs/model_file.md, section TERM), and their axes in state files, too.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/levels.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/model/model.h"

namespace dyad::internal {

void exchange(auto& ar, Is<Scaling> auto& scaling) {
  ar.number(scaling.centre);
  ar.positive(scaling.scale);
}

/// An axis with the bandwidth of the kernel that it is made for.
void exchange(auto& ar, Is<Axis> auto& axis, auto& bandwidth) {
  ar.number(axis.origin);
  ar.positive(axis.step, bandwidth);
  ar.value(axis.size);
  ar.require(axis.size >= 2, "has an axis without cells");
  ar.require(axis.size <= 65536 && bandwidth / axis.step > 0.1 && bandwidth / axis.step < 1e6,
             "has an axis that no fit makes");
}

void exchange(auto& ar, Is<Frame2d> auto& frame) {
  exchange(ar, frame.x);
  exchange(ar, frame.y);
  ar.number(frame.kernel.shear);
  exchange(ar, frame.u, frame.kernel.h_u);
  exchange(ar, frame.v, frame.kernel.h_v);
}

void exchange_row_count(auto& ar, Is<double> auto& n_rows) {
  ar.number(n_rows);
  ar.require(n_rows >= 0, "has a negative number of rows");
}

/// Indices of the densities of cells and margins, each of as many numbers as its place has.
///
/// `exchange_index` exchanges the index of a part, or n_parts for none; `is_pair` tells which parts are of two numbers.
void exchange_cells(auto& ar, Is<LevelDensity> auto& density, std::size_t n_parts, const auto& exchange_index,
                    const auto& is_pair) {
  const auto exchange_part = [&](auto& part, std::size_t n_numbers) {
    std::size_t index = part == LevelDensity::none ? n_parts : part;
    exchange_index(index);
    ar.require(index >= n_parts || n_numbers == (is_pair(index) ? 2U : 1U),
               "has the density of something else for a level");
    ar.restore(part, index == n_parts ? LevelDensity::none : index);
  };
  ar.resize(density.n_cells(), 1, density.cells);
  for (std::size_t cell = 0; cell < density.cells.size(); ++cell) {
    const bool has_x = density.x.has_numbers(cell / density.y.n_levels);
    const bool has_y = density.y.has_numbers(cell % density.y.n_levels);
    exchange_part(density.cells[cell], (has_x ? 1U : 0U) + (has_y ? 1U : 0U));
  }
  exchange_part(density.margin_x, density.x.is_number ? 1 : 0);
  exchange_part(density.margin_y, density.y.is_number ? 1 : 0);
}

/// Fails unless a logarithm is so small that what predictions make of it is finite, too, as all of a fit are.
void require_moderate(const auto& ar, double value) {
  ar.require(std::abs(value) <= 1e100, "has a logarithm that no fit makes");
}

/// The density of a term of the exact engine: a bandwidth, which the rows of the class belong to.
void exchange_bandwidth(Writer& out, const Term& term, const Matrix& sample);
void exchange_bandwidth(Reader& in, Term& term, const Matrix& sample);

/// The density of a term of the counts engine: axes and a table, points, or shares of levels with such densities within them.
///
/// `levels` are those of the model's features. Reading fails if they do not go together with the density.
void exchange_counts(Writer& out, const Term& term, std::span<const Levels> levels);
void exchange_counts(Reader& in, Term& term, std::span<const Levels> levels);

}  // namespace dyad::internal
