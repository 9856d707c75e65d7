// Log densities of a graph: tables of one feature and of two, sums over points.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/internal/formats.h"
#include "dyad/exports/internal/onnx_operators.h"

namespace dyad::internal {
namespace {

constexpr double farthest_beyond_axis = 1e18;

class DensityGraph {
 public:
  DensityGraph(Operators& o, const Lookups& lookups, const Value& z)
      : o_(o), lookups_(lookups), z_(z), place_(lookups.densities.size()) {}

  /// The values of all densities: tables of one feature, of two, points, and single points at 0.
  OnnxDensities run() {
    std::array<std::vector<DensityLookup>, 4> kinds;
    std::array<std::vector<std::size_t>, 4> members;
    for (std::size_t d = 0; d < lookups_.densities.size(); ++d) {
      const DensityLookup& density = lookups_.densities[d];
      const std::size_t kind = !density.has_points()             ? (density.is_pair() ? 1 : 0)
                               : is_at_origin(lookups_, density) ? 3
                                                                 : 2;
      kinds[kind].push_back(density);
      members[kind].push_back(d);
    }
    std::size_t next = 0;
    for (const auto& kind : members)
      for (const std::size_t d : kind) place_[d] = next++;
    std::vector<Value> values;
    if (!kinds[0].empty()) values.push_back(tables_of_one(kinds[0]));
    if (!kinds[1].empty()) values.push_back(tables_of_two(kinds[1]));
    if (!kinds[2].empty()) values.push_back(sums_over_points(kinds[2]));
    if (!kinds[3].empty()) values.push_back(origins(kinds[3]));
    return {values.empty() ? Value() : o_.below(values), place_};
  }

 private:
  using Densities = std::span<const DensityLookup>;

  Value of_each(Densities densities, const auto& of) { return o_.of_rows(each(densities, of)); }

  Value coordinates_of(Densities densities, std::size_t DensityLookup::*feature) {
    std::vector<std::size_t> which;
    for (const DensityLookup& density : densities) which.push_back(density.*feature);
    return o_.rows(z_, which);
  }

  /// Values within the bounds of each density. Without these, a value far away would be infinite, and the
  /// difference of two of them no number.
  Value within(Densities densities, const Value& values, const auto& least, const auto& largest) {
    return o_.op("Min", o_.op("Max", values, of_each(densities, least)), of_each(densities, largest));
  }

  /// (z_x - centre_x) / scale_x, within +-limit.
  Value scaled_x(Densities densities) {
    const Value x = o_.subtract(coordinates_of(densities, &DensityLookup::x),
                                of_each(densities, [](const auto& d) { return d.centre_x; }));
    return limited(densities, o_.op("Div", x, of_each(densities, [](const auto& d) { return d.scale_x; })));
  }

  /// (z_y - centre_y) / scale_y, within +-limit, less shear u.
  Value sheared_y(Densities densities, const Value& u) {
    const Value y = o_.subtract(coordinates_of(densities, &DensityLookup::y),
                                of_each(densities, [](const auto& d) { return d.centre_y; }));
    const Value v =
        limited(densities, o_.op("Div", y, of_each(densities, [](const auto& d) { return d.scale_y; })));
    return o_.subtract(v, o_.multiply(u, of_each(densities, [](const auto& d) { return d.shear; })));
  }

  Value limited(Densities densities, const Value& quotients) {
    return within(
        densities, quotients, [](const auto& d) { return -d.limit; }, [](const auto& d) { return d.limit; });
  }

  /// (z_x - origin) / step, with the origin and the step of the axis in coordinates, for u within +-limit.
  Value place_u(Densities densities) {
    const Value x = o_.subtract(
        coordinates_of(densities, &DensityLookup::x),
        of_each(densities, [](const auto& d) { return d.centre_x + d.scale_x * d.axis_u.origin; }));
    const Value place =
        o_.multiply(x, of_each(densities, [](const auto& d) { return 1 / d.scale_x / d.axis_u.step; }));
    return within(
        densities, place, [](const auto& d) { return d.axis_u.position(-d.limit); },
        [](const auto& d) { return d.axis_u.position(d.limit); });
  }

  /// The place on the axis of v = (z_y - centre_y) / scale_y - shear u, by that on the axis of u; the
  /// quotient is within +-limit.
  Value place_v(Densities densities, const Value& place_u) {
    const Value y =
        o_.subtract(coordinates_of(densities, &DensityLookup::y), of_each(densities, [](const auto& d) {
                      return d.centre_y + d.scale_y * (d.axis_v.origin + d.shear * d.axis_u.origin);
                    }));
    const Value straight =
        o_.multiply(y, of_each(densities, [](const auto& d) { return 1 / d.scale_y / d.axis_v.step; }));
    const auto position = [](const auto& d, double quotient) {
      return d.axis_v.position(quotient - d.shear * d.axis_u.origin);
    };
    const Value kept = within(
        densities, straight, [&](const auto& d) { return position(d, -d.limit); },
        [&](const auto& d) { return position(d, d.limit); });
    return o_.subtract(kept, o_.multiply(place_u, of_each(densities, [](const auto& d) {
                                           return d.shear * d.axis_u.step / d.axis_v.step;
                                         })));
  }

  /// Places on an axis of each density: the node before, the fraction of the way to the next, and bandwidths
  /// beyond the axis.
  struct Located {
    Value cell;
    Value fraction;
    Value beyond;
    Axis DensityLookup::*axis;
    double DensityLookup::*bandwidth;
  };

  Located locate(Densities densities, const Value& place, Axis DensityLookup::*axis,
                 double DensityLookup::*bandwidth) {
    const Value end =
        of_each(densities, [&](const auto& d) { return static_cast<double>((d.*axis).size - 1); });
    const Value last =
        of_each(densities, [&](const auto& d) { return static_cast<double>((d.*axis).size - 2); });
    const Value inside = o_.op("Min", o_.op("Relu", place), end);
    const Value cell = o_.op("Min", o_.op("Floor", inside), last);
    const Value per_step = of_each(densities, [&](const auto& d) { return (d.*axis).step / d.*bandwidth; });
    return {cell, o_.subtract(inside, cell), o_.multiply(o_.subtract(place, inside), per_step), axis,
            bandwidth};
  }

  /// Depths at nodes given by their places among those of all tables.
  Value depth_at(const Value& nodes) {
    if (depths_.empty()) depths_ = o_.graph.depths(lookups_.depths);
    return o_.cast(o_.op("Gather", depths_, nodes), TensorType::real);
  }

  /// Beyond an axis a log density falls by d (s - d / 2): s the outward slope in the last cell, at most -3.5.
  /// The depth rises from node to node by `rise`, in units of the table.
  Value fall(Densities densities, const Located& at, const Value& depth, const Value& rise) {
    constexpr double cut_off = 63;
    constexpr double margin = 3.5;
    const auto steps = [&](const auto& d) { return d.*at.bandwidth / (d.*at.axis).step; };
    const Value down = of_each(densities, [&](const auto& d) { return -d.unit * steps(d); });
    const Value half = of_each(densities, [&](const auto& d) { return 0.5 / steps(d); });
    const Value outward = o_.subtract(o_.multiply(o_.op("Sign", at.beyond), o_.multiply(rise, down)), half);
    const Value kernel = o_.op("Neg", o_.op("Sqrt", o_.add(depth, depth)));
    const Value steepest =
        o_.where(o_.op("Less", depth, o_.graph.real(cut_off)), o_.graph.real(-margin), kernel);
    const Value distance = o_.op("Min", o_.op("Abs", at.beyond), o_.graph.real(farthest_beyond_axis));
    return o_.multiply(
        distance, o_.subtract(o_.op("Min", outward, steepest), o_.multiply(distance, o_.graph.real(0.5))));
  }

  Value tables_of_one(Densities densities) {
    const Located u =
        locate(densities, place_u(densities), &DensityLookup::axis_u, &DensityLookup::bandwidth_u);
    const Value base = of_each(densities, [](const auto& d) { return d.first; });
    const Value node = o_.cast(o_.add(u.cell, base), TensorType::int64);
    const Value low = depth_at(node);
    const Value high = depth_at(o_.add(node, o_.graph.integer(1)));
    const Value unit = of_each(densities, [](const auto& d) { return d.unit; });
    const Value rise = o_.subtract(high, low);
    const Value depth = o_.multiply(o_.add(low, o_.multiply(u.fraction, rise)), unit);
    const Value height = of_each(densities, [](const auto& d) { return d.height; });
    return o_.add(o_.subtract(height, depth), fall(densities, u, depth, rise));
  }

  Value tables_of_two(Densities densities) {
    const Value place = place_u(densities);
    const Located u = locate(densities, place, &DensityLookup::axis_u, &DensityLookup::bandwidth_u);
    const Located v =
        locate(densities, place_v(densities, place), &DensityLookup::axis_v, &DensityLookup::bandwidth_v);
    const Value length = of_each(densities, [](const auto& d) { return d.axis_v.size; });
    const Value base = of_each(densities, [](const auto& d) { return d.first; });
    const Value node = o_.cast(o_.add(o_.add(o_.multiply(u.cell, length), base), v.cell), TensorType::int64);
    const Value next = o_.add(node, o_.cast(length, TensorType::int64));
    const Value one = o_.graph.integer(1);
    const Value low_low = depth_at(node);
    const Value high_low = depth_at(next);
    const Value low_rise = o_.subtract(depth_at(o_.add(node, one)), low_low);
    const Value high_rise = o_.subtract(depth_at(o_.add(next, one)), high_low);
    const Value low = o_.add(low_low, o_.multiply(v.fraction, low_rise));
    const Value high = o_.add(high_low, o_.multiply(v.fraction, high_rise));
    const Value rise = o_.subtract(high, low);
    const Value unit = of_each(densities, [](const auto& d) { return d.unit; });
    const Value depth = o_.multiply(o_.add(low, o_.multiply(u.fraction, rise)), unit);
    const Value rise_v = o_.add(low_rise, o_.multiply(u.fraction, o_.subtract(high_rise, low_rise)));
    const Value height = of_each(densities, [](const auto& d) { return d.height; });
    return o_.add(o_.subtract(height, depth),
                  o_.add(fall(densities, u, depth, rise), fall(densities, v, depth, rise_v)));
  }

  /// height + log sum_i exp(-r_i^2 / 2), r_i the distance from point i. Densities with fewer points than
  /// others have far ones besides.
  Value sums_over_points(Densities densities) {
    constexpr double far = 1e160;
    std::size_t most = 0;
    for (const DensityLookup& d : densities) most = std::max(most, d.n_nodes);
    std::vector<double> points_u(densities.size() * most, far);
    std::vector<double> points_v(densities.size() * most);
    for (std::size_t k = 0; k < densities.size(); ++k)
      for (std::size_t i = 0; i < densities[k].n_nodes; ++i) {
        points_u[k * most + i] = lookups_.points_u[densities[k].first + i];
        if (densities[k].is_pair()) points_v[k * most + i] = lookups_.points_v[densities[k].first + i];
      }
    const OnnxGraph::Shape shape{signed_size(densities), 1, static_cast<std::int64_t>(most)};
    const Value u = scaled_x(densities);
    const Value is_pair = of_each(densities, [](const auto& d) { return d.is_pair() ? 1 : 0; });
    const Value v = o_.multiply(sheared_y(densities, u), is_pair);
    const auto squared = [&](const Value& t, const std::vector<double>& points) {
      const Value difference =
          o_.subtract(o_.graph.node("Unsqueeze", {t, o_.graph.integer(2)}), o_.graph.reals(points, shape));
      return o_.multiply(difference, difference);
    };
    const Value exponents =
        o_.multiply(o_.add(squared(u, points_u), squared(v, points_v)), o_.graph.real(-0.5));
    const Value sum = o_.graph.node("ReduceLogSumExp", {exponents, o_.graph.integer(2)},
                                    {attribute("keepdims", std::int64_t{0})});
    return o_.add(sum, of_each(densities, [](const auto& d) { return d.height; }));
  }

  Value origins(Densities densities) {
    const Value u = scaled_x(densities);
    const Value y = coordinates_of(densities, &DensityLookup::y);
    const Value v = limited(
        densities,
        o_.multiply(y, of_each(densities, [](const auto& d) { return d.is_pair() ? 1 / d.scale_y : 0; })));
    const Value squares = o_.add(o_.multiply(u, u), o_.multiply(v, v));
    return o_.add(o_.multiply(squares, o_.graph.real(-0.5)),
                  of_each(densities, [](const auto& d) { return d.height; }));
  }

  Operators& o_;
  const Lookups& lookups_;
  const Value& z_;
  Value depths_;
  std::vector<std::size_t> place_;
};

}  // namespace

OnnxDensities add_densities(Operators& o, const Lookups& lookups, const Value& z) {
  return DensityGraph(o, lookups, z).run();
}

}  // namespace dyad::internal
