// AVX2: sixteen registers of 32 bytes; the remaining lanes are computed one by one.
#include "tessera/lanes/baseline/vectors.h"

namespace tessera::lanes {

using ir::Opcode;

namespace {

class Avx2Vectors final : public Vectors {
 public:
  Avx2Vectors(Xbyak::CodeGenerator& code, int lane_bytes) : Vectors(code, 32, 12, lane_bytes) {}

  void all_ones(Vector r) override { c_.vpcmpeqd(r, r, r); }
  void bit_and(Vector r, Vector x, Vector y) override { c_.vpand(r, x, y); }
  void bit_or(Vector r, Vector x, Vector y) override { c_.vpor(r, x, y); }
  void bit_xor(Vector r, Vector x, Vector y) override { c_.vpxor(r, x, y); }
  void bit_without(Vector r, Vector x, Vector y) override { c_.vpandn(r, x, y); }

  void round(Round how, DType dtype, Vector r, Vector x) override {
    const auto immediate = static_cast<uint8_t>(how);
    dtype == DType::float64 ? c_.vroundpd(r, x, immediate) : c_.vroundps(r, x, immediate);
  }

  void compare_floats(Compare how, DType dtype, Vector mask, Vector x, Vector y) override {
    const Vector r = as(dtype, mask.getIdx());
    const auto predicate = static_cast<uint8_t>(how);
    dtype == DType::float64 ? c_.vcmppd(r, x, y, predicate) : c_.vcmpps(r, x, y, predicate);
    widen_mask(r, dtype);
  }

  void compare_integers(Opcode op, DType dtype, Vector mask, Vector x, Vector y) override {
    const Vector r = as(dtype, mask.getIdx());
    const bool is_wide = itemsize(dtype) == 8;
    const bool swapped = op == Opcode::lt || op == Opcode::ge;
    if (op == Opcode::eq || op == Opcode::ne) {
      is_wide ? c_.vpcmpeqq(r, x, y) : c_.vpcmpeqd(r, x, y);
    } else {
      const Vector larger = swapped ? y : x, smaller = swapped ? x : y;
      is_wide ? c_.vpcmpgtq(r, larger, smaller) : c_.vpcmpgtd(r, larger, smaller);
    }
    if (op == Opcode::ne || op == Opcode::le || op == Opcode::ge) invert(r, scratch(dtype, 2));
    widen_mask(r, dtype);
  }

  void choose(DType dtype, Vector r, Vector mask, Vector x, Vector y) override {
    c_.vpblendvb(r, y, x, mask_for(dtype, mask));
  }

  void choose_unordered(DType dtype, Vector r, Vector x, Vector y, Vector sum, Vector other) override {
    const Vector mask = scratch(dtype, 1);
    constexpr auto predicate = static_cast<uint8_t>(Compare::unordered);
    dtype == DType::float64 ? c_.vcmppd(mask, x, y, predicate) : c_.vcmpps(mask, x, y, predicate);
    c_.vpblendvb(r, other, sum, mask);
  }

  void keep(DType dtype, Vector r, Vector mask, Vector x) override { c_.vpand(r, mask_for(dtype, mask), x); }

  void narrow(Vector r, Vector x) override {
    const Vector low(x.getIdx()), high(registers_ + 2);
    c_.vextracti128(high, Xbyak::Ymm(x.getIdx()), 1);
    c_.vshufps(Vector(r.getIdx()), low, high, 0x88);
  }

  void load(DType dtype, Vector r, const Xbyak::RegExp& from) override {
    if (!is_tail_) return c_.vmovups(r, c_.ptr[from]);
    const Vector low(r.getIdx());
    itemsize(dtype) == 8 ? c_.vmovsd(low, c_.ptr[from]) : c_.vmovss(low, c_.ptr[from]);
  }

  void store(DType dtype, const Xbyak::RegExp& to, Vector r) override {
    if (!is_tail_) return c_.vmovups(c_.ptr[to], r);
    const Vector low(r.getIdx());
    itemsize(dtype) == 8 ? c_.vmovsd(c_.ptr[to], low) : c_.vmovss(c_.ptr[to], low);
  }

  void load_mask(Vector mask, const Xbyak::RegExp& from) override {
    const Vector bytes(mask.getIdx()), none = whole_scratch(0);
    if (is_tail_) {
      c_.movzx(c_.eax, c_.byte[from]);
      c_.vmovd(bytes, c_.eax);
    } else if (width() == 8) {
      c_.vmovq(bytes, c_.ptr[from]);
    } else {
      c_.vmovd(bytes, c_.ptr[from]);
    }
    zero(none);
    c_.vpcmpeqb(bytes, bytes, Vector(none.getIdx()));
    width() == 8 ? c_.vpmovsxbd(mask, bytes) : c_.vpmovsxbq(mask, bytes);
    invert(mask, none);
  }

  void store_mask(const Xbyak::RegExp& to, Vector mask) override {
    const Vector low(mask.getIdx()), packed(registers_);
    if (is_tail_) {
      c_.vpabsb(packed, low);
      return c_.vpextrb(c_.ptr[to], packed, 0);
    }
    c_.vextracti128(packed, Xbyak::Ymm(mask.getIdx()), 1);
    c_.vpackssdw(packed, low, packed);
    if (width() == 4) c_.vpackssdw(packed, packed, packed);
    c_.vpacksswb(packed, packed, packed);
    c_.vpabsb(packed, packed);
    width() == 8 ? c_.vmovq(c_.ptr[to], packed) : c_.vmovd(c_.ptr[to], packed);
  }

  void broadcast_mask(Vector mask, const Xbyak::RegExp& from) override {
    const Vector none = whole_scratch(0);
    c_.vpbroadcastb(mask, c_.ptr[from]);
    zero(none);
    c_.vpcmpeqb(mask, mask, none);
    invert(mask, none);
  }

  void raise(Vector r, int64_t size) override {
    const Vector low(r.getIdx());
    // In the code of a single lane only lane 0 is active.
    if (is_tail_ && size == 8) c_.vmovq(low, low);
    if (is_tail_ && size == 4) c_.vinsertps(low, low, low, 0x0E);
    c_.vpor(alarms(), alarms(), whole(r.getIdx()));
  }

  void test_alarms() override { c_.vptest(alarms(), alarms()); }

  void write_tail(const std::function<void()>& body) override {
    Xbyak::Label next;
    is_tail_ = true;
    c_.L(next);
    body();
    c_.inc(lane_register);
    c_.cmp(lane_register, count_register);
    c_.jl(next, Xbyak::CodeGenerator::T_NEAR);
    is_tail_ = false;
  }

 private:
  void invert(Vector r, Vector ones) {
    all_ones(ones);
    c_.vpxor(r, r, ones);
  }

  void widen_mask(Vector mask, DType dtype) {
    if (is_narrow(dtype)) c_.vpmovsxdq(Xbyak::Ymm(mask.getIdx()), Vector(mask.getIdx()));
  }

  /// The mask narrowed to elements as wide as those of this type.
  Vector mask_for(DType dtype, Vector mask) {
    if (!is_narrow(dtype)) return mask;
    narrow(Vector(registers_), mask);
    return Vector(registers_);
  }
};

}  // namespace

std::unique_ptr<Vectors> make_avx2_vectors(Xbyak::CodeGenerator& code, int lane_bytes) {
  return std::make_unique<Avx2Vectors>(code, lane_bytes);
}

}  // namespace tessera::lanes
