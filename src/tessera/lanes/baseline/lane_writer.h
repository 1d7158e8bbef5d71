/// LaneWriter: compiles a LaneLoop to machine code, for whole vectors of lanes and for the remaining lanes.
#pragma once

#include <map>

#include "tessera/lanes/baseline/lane_loop.h"
#include "tessera/lanes/baseline/registers.h"
#include "tessera/lanes/baseline/vectors.h"

namespace tessera::lanes {

/// Bytes of the widest values that the loop holds in registers.
int find_lane_bytes(const ir::Kernel& kernel, const LaneLoop& loop);

class LaneWriter {
 public:
  LaneWriter(const ir::Kernel& kernel, const LaneLoop& loop, Vectors& vectors, Xbyak::CodeGenerator& code);
  void write();

 private:
  // lane_writer.cpp
  void note_uses();
  void write_loop();
  void write_body();
  void write_op(const LaneOp& op);
  void write_check(ir::Value check);
  void write_compute(ir::Value v);
  DType type_of(ir::Value v) const { return kernel_.instructions[v].type; }
  int take(std::optional<ir::Value> v);
  /// The operand in a register, reloaded if it was spilled.
  Vector get(ir::Value v);
  Vector get_uniform(ir::Value v, uint32_t at);
  Xbyak::RegExp element(DType dtype, uint32_t place);
  /// Sets every element to `length` one bits from bit `low` on.
  void set_bits(Vector r, DType dtype, int low, int length);

  // write_float.cpp, write_integer.cpp, write_cast.cpp
  void write_float(ir::Opcode op, DType dtype, Vector r, const std::vector<Vector>& x);
  void write_extreme(bool largest, DType dtype, Vector r, Vector x, Vector y);
  void write_predicate(ir::Opcode op, DType dtype, Vector r, Vector x);
  void set_infinity(Vector r, DType dtype);
  void set_one(Vector r, DType dtype);
  void write_integer(ir::Opcode op, DType dtype, Vector r, const std::vector<Vector>& x);
  void write_boolean(ir::Opcode op, Vector r, const std::vector<Vector>& x);
  void write_cast(DType from, DType to, Vector r, Vector x);
  void cast_from_boolean(DType to, Vector r, Vector mask);
  void cast_to_boolean(DType from, Vector r, Vector x);

  const ir::Kernel& kernel_;
  const LaneLoop& loop_;
  Vectors& v_;
  Xbyak::CodeGenerator& c_;
  Registers registers_;
  std::map<uint32_t, Xbyak::Reg64> pointers_;  // of places, as many as there are registers
  Xbyak::Label stopped_;
};

}  // namespace tessera::lanes
