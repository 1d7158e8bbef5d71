/// Trigonometric functions and their inverses; conversion between degrees and radians.
#include <numbers>

#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/functions.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

Value to_degrees(Builder& b, Value x) { return b.mul(x, b.constant(b.type(x), 180.0 / std::numbers::pi)); }
Value to_radians(Builder& b, Value x) { return b.mul(x, b.constant(b.type(x), std::numbers::pi / 180.0)); }

template <Value (*convert)(Builder&, Value)>
void add_conversion(OpTable& table, std::string_view name, std::string_view doc) {
  table.add({.name = name,
             .doc = doc,
             .signatures = uniform_loops(floating_codes, 1),
             .body = body_of<convert, 1>,
             .errors = ErrorRule::arithmetic});
}

}  // namespace

void add_trigonometric(OpTable& table) {
  using enum ErrorRule;
  add_function<Opcode::sin>(table, "sin", "The sine of an angle in radians.", arithmetic, -8, 8);
  add_function<Opcode::cos>(table, "cos", "The cosine of an angle in radians.", arithmetic, -8, 8);
  add_function<Opcode::tan>(table, "tan", "The tangent of an angle in radians.", arithmetic, -1.5, 1.5);
  add_function<Opcode::asin>(table, "arcsin", "The angle from -pi/2 to pi/2 whose sine is x; NaN beyond -1 and 1.",
                             arithmetic, -1, 1);
  add_function<Opcode::acos>(table, "arccos", "The angle from 0 to pi whose cosine is x; NaN beyond -1 and 1.",
                             arithmetic, -1, 1);
  add_function<Opcode::atan>(table, "arctan", "The angle from -pi/2 to pi/2 whose tangent is x.", arithmetic, -4, 4);
  table.add({.name = "arctan2",
             .doc = "The angle from -pi to pi of the point with height x1 and abscissa x2.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = binary_body<Opcode::atan2>});
  add_conversion<to_degrees>(table, "degrees", "x * 180 / pi: radians as degrees.");
  add_conversion<to_degrees>(table, "rad2deg", "x * 180 / pi: radians as degrees.");
  add_conversion<to_radians>(table, "radians", "x * pi / 180: degrees as radians.");
  add_conversion<to_radians>(table, "deg2rad", "x * pi / 180: degrees as radians.");
}

}  // namespace tessera::ops
