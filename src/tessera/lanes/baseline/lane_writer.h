/// LaneWriter: writes a LaneLoop as machine code for x86-64-v3, once for a vector of lanes and once for a single one.
#pragma once

#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include <map>

#include "tessera/lanes/baseline/lane_loop.h"
#include "tessera/lanes/baseline/registers.h"

namespace tessera::lanes {

class LaneWriter {
 public:
  LaneWriter(const ir::Kernel& kernel, const LaneLoop& loop, Xbyak::CodeGenerator& code);
  void write();

 private:
  using Vector = Xbyak::Xmm;  // of 128 or 256 bits

  // lane_writer.cpp
  int find_width() const;
  void note_uses();
  void write_body();
  void write_op(const LaneOp& op);
  void write_load(const LaneOp& op);
  void write_store(const LaneOp& op);
  void write_check(ir::Value check);
  void write_compute(ir::Value v);
  DType type_of(ir::Value v) const { return kernel_.instructions[v].type; }
  /// The register's part that holds a vector of this type.
  Vector as(DType dtype, int index) const;
  int take(std::optional<ir::Value> v);
  /// The operand in a register.
  Vector get(ir::Value v);
  Vector get_uniform(ir::Value v, uint32_t at);
  Xbyak::RegExp element(DType dtype, uint32_t place);

  // Scratch registers of one instruction's code.
  Vector scratch(DType dtype, int k) const { return as(dtype, Registers::count + k); }
  Vector whole_scratch(int k) const { return Xbyak::Ymm(Registers::count + k); }
  Xbyak::Ymm alarms() const { return Xbyak::Ymm(15); }
  /// Raises the alarm where r has a bit set; of a single lane's code only lane 0 counts.
  void raise(Vector r, int64_t size);

  // Masks have the width of the loop's widest values.
  bool is_narrow(DType dtype) const { return lane_bytes_ == 8 && itemsize(dtype) == 4; }
  void widen_mask(Vector mask, DType dtype);
  Vector narrow(Vector wide, int into);
  void all_ones(Vector r);
  void invert(Vector r, Vector ones);
  /// Every element `length` ones from bit `low` on.
  void set_bits(Vector r, DType dtype, int low, int length);
  void load_mask(Vector r, uint32_t place);
  void store_mask(Vector r, uint32_t place);

  // write_float.cpp, write_integer.cpp, write_cast.cpp
  void write_float(ir::Opcode op, DType dtype, Vector r, const std::vector<Vector>& x);
  void write_extreme(bool largest, DType dtype, Vector r, Vector x, Vector y);
  void write_predicate(ir::Opcode op, DType dtype, Vector r, Vector x);
  void compare_floats(int predicate, DType dtype, Vector mask, Vector x, Vector y);
  void set_infinity(Vector r, DType dtype);
  void set_one(Vector r, DType dtype);
  void write_integer(ir::Opcode op, DType dtype, Vector r, const std::vector<Vector>& x);
  void compare_integers(ir::Opcode op, DType dtype, Vector mask, Vector x, Vector y);
  void write_boolean(ir::Opcode op, Vector r, const std::vector<Vector>& x);
  void write_select(DType dtype, Vector r, Vector mask, Vector x, Vector y);
  void write_cast(DType from, DType to, Vector r, Vector x);
  void cast_from_boolean(DType to, Vector r, Vector mask);
  void cast_to_boolean(DType from, Vector r, Vector x);

  const ir::Kernel& kernel_;
  const LaneLoop& loop_;
  Xbyak::CodeGenerator& c_;
  int width_;       // lanes of a vector
  int lane_bytes_;  // 32 / width_
  bool single_ = false;
  Registers registers_;
  std::map<uint32_t, Xbyak::Reg64> pointers_;  // of places, as far as there are registers
};

}  // namespace tessera::lanes
