/// Vectors: the instructions of a lane loop that differ between AVX2 and AVX-512.
#pragma once

#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include <functional>
#include <memory>

#include "tessera/ir/opcode.h"
#include "tessera/layout/dtype.h"

namespace tessera::lanes {

using Vector = Xbyak::Xmm;  // of 128, 256 or 512 bits

/// General registers of a lane loop: the current lane and the number of lanes; rax is for temporaries.
inline const Xbyak::Reg64 lane_register(Xbyak::Operand::R11), count_register(Xbyak::Operand::RSI);

/// Predicates of vcmpps and vcmppd: quiet, with NaN unequal to everything.
enum class Compare : uint8_t {
  equal = 0x00,
  unordered = 0x03,
  not_equal = 0x04,
  less = 0x11,
  less_equal = 0x12,
  greater_equal = 0x1D,
  greater = 0x1E
};
/// Immediates of the rounding instructions, with exceptions suppressed.
enum class Round : uint8_t { to_even = 0x8, down = 0x9, up = 0xA, to_zero = 0xB };

/// Vector instructions of one CPU level. Booleans are masks: whole vectors whose elements, as wide as the loop's widest
/// values, are all ones or all zeros.
class Vectors {
 public:
  virtual ~Vectors() = default;

  /// The number of registers for values; after these come three scratch registers and the register of the alarms.
  int registers() const { return registers_; }
  int width() const { return bytes_ / lane_bytes_; }  // lanes of a vector
  Vector whole(int index) const { return of_bytes(bytes_, index); }
  /// The part of the register that holds a vector of this type.
  Vector as(DType dtype, int index) const;
  Vector scratch(DType dtype, int k) const { return as(dtype, registers_ + k); }
  Vector whole_scratch(int k) const { return whole(registers_ + k); }
  Vector alarms() const { return whole(registers_ + 3); }

  virtual void all_ones(Vector r) = 0;
  virtual void bit_and(Vector r, Vector x, Vector y) = 0;
  virtual void bit_or(Vector r, Vector x, Vector y) = 0;
  virtual void bit_xor(Vector r, Vector x, Vector y) = 0;
  /// y and not x.
  virtual void bit_without(Vector r, Vector x, Vector y) = 0;
  void zero(Vector r) { bit_xor(r, r, r); }

  virtual void round(Round how, DType dtype, Vector r, Vector x) = 0;
  virtual void compare_floats(Compare how, DType dtype, Vector mask, Vector x, Vector y) = 0;
  virtual void compare_integers(ir::Opcode op, DType dtype, Vector mask, Vector x, Vector y) = 0;
  /// x where the mask is set, else y.
  virtual void choose(DType dtype, Vector r, Vector mask, Vector x, Vector y) = 0;
  /// `sum` where x or y is NaN, else `other`; may overwrite the second scratch register.
  virtual void choose_unordered(DType dtype, Vector r, Vector x, Vector y, Vector sum, Vector other) = 0;
  /// x where the mask is set, else 0.
  virtual void keep(DType dtype, Vector r, Vector mask, Vector x) = 0;
  /// The lower halves of 8-byte elements, packed.
  virtual void narrow(Vector r, Vector x) = 0;

  virtual void load(DType dtype, Vector r, const Xbyak::RegExp& from) = 0;
  virtual void store(DType dtype, const Xbyak::RegExp& to, Vector r) = 0;
  virtual void load_mask(Vector mask, const Xbyak::RegExp& from) = 0;
  virtual void store_mask(const Xbyak::RegExp& to, Vector mask) = 0;
  /// Broadcasts one byte as the mask of all lanes.
  virtual void broadcast_mask(Vector mask, const Xbyak::RegExp& from) = 0;

  /// Raises the alarm if r, of elements of this size, has a bit set in an active lane.
  virtual void raise(Vector r, int64_t size) = 0;
  void raise_mask(Vector mask) { raise(mask, lane_bytes_); }
  /// Clears the zero flag when an alarm has been raised.
  virtual void test_alarms() = 0;
  /// Runs the body for lanes [lane_register, count_register), at least one and fewer than a vector has.
  virtual void write_tail(const std::function<void()>& body) = 0;

 protected:
  Vectors(Xbyak::CodeGenerator& code, int bytes, int registers, int lane_bytes)
      : c_(code), bytes_(bytes), registers_(registers), lane_bytes_(lane_bytes) {}
  static Vector of_bytes(int64_t bytes, int index);
  /// Whether values of this type are half as wide as masks are.
  bool is_narrow(DType dtype) const { return lane_bytes_ == 8 && itemsize(dtype) == 4; }

  Xbyak::CodeGenerator& c_;
  const int bytes_;
  const int registers_;
  const int lane_bytes_;
  bool is_tail_ = false;
};

/// For x86-64-v3 and x86-64-v4; lanes are as wide as a loop's widest values.
std::unique_ptr<Vectors> make_avx2_vectors(Xbyak::CodeGenerator& code, int lane_bytes);
std::unique_ptr<Vectors> make_avx512_vectors(Xbyak::CodeGenerator& code, int lane_bytes);

}  // namespace tessera::lanes
