/// QuickDivisions: divisions of floats without branches, written into lanes over a grid. A hardware's division
/// contains a branch, which keeps the loads and values of later lanes from being issued, and takes its slow path for
/// numerators of 0. Operands outside the range of these few instructions are detected, and the lanes are then computed
/// again with the hardware's division.
#pragma once

#include <map>
#include <optional>

#include "tessera/mapping/grid_builder.h"

namespace tessera::mapping {

class QuickDivisions {
 public:
  QuickDivisions(GridBuilder& to, const ir::Kernel& kernel);

  /// The value of an instruction of the kernel that is such a division, of these operands in the grid's kernel; empty
  /// for others.
  std::optional<ir::Value> divide(ir::Value v, ir::Value x, ir::Value y);
  /// Begins the divisions of other lanes.
  void begin() { too_hard_ = none_divides_; }
  /// Whether some quotient since then may be wrong; no_value when none can be.
  ir::Value too_hard() const { return too_hard_; }

  /// Whether the instruction is a division that `divide` takes.
  static bool takes(const ir::Kernel& kernel, ir::Value v);
  /// Whether the kernel has some.
  static bool has_some(const ir::Kernel& kernel);

 private:
  /// A divisor's precomputed values.
  struct Divisor {
    ir::Value reciprocal;
    ir::Value divides;   // whether its magnitude is in range
    ir::Value exponent;  // biased
  };
  struct Whole {
    ir::Value quotient, remainder;  // of the magnitudes, rounded towards zero
  };
  void prepare();
  Divisor make_divisor(ir::Value x);
  ir::Value upper_magnitude(ir::Value x);
  ir::Value correct(ir::Value x, ir::Value y, ir::Value reciprocal, ir::Value product);
  ir::Value quotient(ir::Value x, ir::Value y, const Divisor* shared);
  Whole divide_magnitudes(ir::Value x, ir::Value y);
  ir::Value divide_with_rest(ir::Opcode op, ir::Value x, ir::Value y);
  void note(ir::Value is_right);
  ir::Value real(double x) { return to_.constant(DType::float64, x); }
  ir::Value signed_word(int64_t n) { return to_.constant(Scalar::of_int(DType::int32, n)); }

  GridBuilder& to_;
  const ir::Kernel& kernel_;
  std::map<ir::Value, Divisor> shared_;  // divisors that are the kernel's scalars or constants
  // The range of the upper halves of quotients that are right for all of these: the least one and their number.
  ir::Value least_quotient_ = ir::no_value, quotients_ = ir::no_value;
  ir::Value none_divides_ = ir::no_value;  // whether some of these is out of range
  ir::Value too_hard_ = ir::no_value;
};

}  // namespace tessera::mapping
