/// Circular functions and their inverses; degrees and radians.
#include <numbers>

#include "tessera/ir/math/accuracy.h"
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

template <Opcode op>
void add_one(OpTable& table, std::string_view name, std::string_view doc, double low, double high) {
  table.add({.name = name,
             .doc = doc,
             .signatures = uniform_loops(inexact_codes, 1),
             .body = unary_body<op>,
             .errors = ErrorRule::arithmetic,
             .samples = {low, high},
             .ulp = math::max_ulp(op)});
}

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
  add_one<Opcode::sin>(table, "sin", "Trigonometric sine, element-wise.", -8, 8);
  add_one<Opcode::cos>(table, "cos", "Cosine element-wise.", -8, 8);
  add_one<Opcode::tan>(table, "tan", "Compute tangent element-wise.", -1.5, 1.5);
  add_one<Opcode::asin>(table, "arcsin", "Inverse sine, element-wise.", -1, 1);
  add_one<Opcode::acos>(table, "arccos", "Trigonometric inverse cosine, element-wise.", -1, 1);
  add_one<Opcode::atan>(table, "arctan", "Trigonometric inverse tangent, element-wise.", -4, 4);
  table.add({.name = "arctan2",
             .doc = "Element-wise arc tangent of x1/x2 choosing the quadrant correctly.",
             .signatures = uniform_loops(floating_codes, 2),
             .body = binary_body<Opcode::atan2>,
             .ulp = math::max_ulp(Opcode::atan2)});
  add_conversion<to_degrees>(table, "degrees", "Convert angles from radians to degrees.");
  add_conversion<to_degrees>(table, "rad2deg", "Convert angles from radians to degrees.");
  add_conversion<to_radians>(table, "radians", "Convert angles from degrees to radians.");
  add_conversion<to_radians>(table, "deg2rad", "Convert angles from degrees to radians.");
}

}  // namespace tessera::ops
