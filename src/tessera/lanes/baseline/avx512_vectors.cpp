// AVX-512: thirty-two registers of 64 bytes; the remaining lanes are computed together, under a mask.
#include "tessera/lanes/baseline/vectors.h"

namespace tessera::lanes {

using ir::Opcode;

namespace {

/// Predicates of vpcmpd and vpcmpq.
uint8_t integer_predicate(Opcode op) {
  switch (op) {
    case Opcode::eq: return 0;
    case Opcode::lt: return 1;
    case Opcode::le: return 2;
    case Opcode::ne: return 4;
    case Opcode::ge: return 5;
    default: return 6;
  }
}

class Avx512Vectors final : public Vectors {
 public:
  Avx512Vectors(Xbyak::CodeGenerator& code, int lane_bytes) : Vectors(code, 64, 28, lane_bytes) {}

  void all_ones(Vector r) override { c_.vpternlogd(r, r, r, 0xFF); }
  void bit_and(Vector r, Vector x, Vector y) override { c_.vpandd(r, x, y); }
  void bit_or(Vector r, Vector x, Vector y) override { c_.vpord(r, x, y); }
  void bit_xor(Vector r, Vector x, Vector y) override { c_.vpxord(r, x, y); }
  void bit_without(Vector r, Vector x, Vector y) override { c_.vpandnd(r, x, y); }

  void round(Round how, DType dtype, Vector r, Vector x) override {
    const auto immediate = static_cast<uint8_t>(how);
    dtype == DType::float64 ? c_.vrndscalepd(r, x, immediate) : c_.vrndscaleps(r, x, immediate);
  }

  void compare_floats(Compare how, DType dtype, Vector mask, Vector x, Vector y) override {
    compare_to_bits(how, dtype, x, y);
    bits_to_mask(mask);
  }

  void compare_integers(Opcode op, DType dtype, Vector mask, Vector x, Vector y) override {
    const uint8_t predicate = integer_predicate(op);
    itemsize(dtype) == 8 ? c_.vpcmpq(bits_, x, y, predicate) : c_.vpcmpd(bits_, x, y, predicate);
    bits_to_mask(mask);
  }

  void choose(DType dtype, Vector r, Vector mask, Vector x, Vector y) override {
    mask_to_bits(mask);
    const bool is_wide = is_boolean(dtype) ? lane_bytes_ == 8 : itemsize(dtype) == 8;
    is_wide ? c_.vpblendmq(r | bits_, y, x) : c_.vpblendmd(r | bits_, y, x);
  }

  void choose_unordered(DType dtype, Vector r, Vector x, Vector y, Vector sum, Vector other) override {
    compare_to_bits(Compare::unordered, dtype, x, y);
    itemsize(dtype) == 8 ? c_.vpblendmq(r | bits_, other, sum) : c_.vpblendmd(r | bits_, other, sum);
  }

  void keep(DType dtype, Vector r, Vector mask, Vector x) override {
    mask_to_bits(mask);
    itemsize(dtype) == 8 ? c_.vmovdqa64(r | bits_ | c_.T_z, x) : c_.vmovdqa32(r | bits_ | c_.T_z, x);
  }

  void narrow(Vector r, Vector x) override { c_.vpmovqd(Xbyak::Ymm(r.getIdx()), x); }

  void load(DType dtype, Vector r, const Xbyak::RegExp& from) override {
    if (!is_tail_) return c_.vmovups(r, c_.ptr[from]);
    itemsize(dtype) == 8 ? c_.vmovupd(r | tail_ | c_.T_z, c_.ptr[from]) : c_.vmovups(r | tail_ | c_.T_z, c_.ptr[from]);
  }

  void store(DType dtype, const Xbyak::RegExp& to, Vector r) override {
    if (!is_tail_) return c_.vmovups(c_.ptr[to], r);
    itemsize(dtype) == 8 ? c_.vmovupd(c_.ptr[to] | tail_, r) : c_.vmovups(c_.ptr[to] | tail_, r);
  }

  void load_mask(Vector mask, const Xbyak::RegExp& from) override {
    const Vector target = is_tail_ ? mask | tail_ | c_.T_z : mask;
    lane_bytes_ == 8 ? c_.vpmovzxbq(target, c_.ptr[from]) : c_.vpmovzxbd(target, c_.ptr[from]);
    test(mask);
    bits_to_mask(mask);
  }

  void store_mask(const Xbyak::RegExp& to, Vector mask) override {
    const Vector ones = whole_scratch(0), packed(registers_);
    c_.vpabsd(ones, mask);
    if (is_tail_) return lane_bytes_ == 8 ? c_.vpmovqb(c_.ptr[to] | tail_, ones) : c_.vpmovdb(c_.ptr[to] | tail_, ones);
    lane_bytes_ == 8 ? c_.vpmovqb(packed, ones) : c_.vpmovdb(packed, ones);
    lane_bytes_ == 8 ? c_.vmovq(c_.ptr[to], packed) : c_.vmovups(c_.ptr[to], packed);
  }

  void broadcast_mask(Vector mask, const Xbyak::RegExp& from) override {
    c_.vpbroadcastb(mask, c_.ptr[from]);
    test(mask);
    bits_to_mask(mask);
  }

  void raise(Vector r, int64_t size) override {
    const Vector target = is_tail_ ? alarms() | tail_ : alarms();
    // For values narrower than masks the upper half of the register is 0.
    size == 8 ? c_.vporq(target, alarms(), whole(r.getIdx())) : c_.vpord(target, alarms(), whole(r.getIdx()));
  }

  void test_alarms() override {
    c_.vptestmd(bits_, alarms(), alarms());
    c_.kortestw(bits_, bits_);
  }

  void write_tail(const std::function<void()>& body) override {
    const Xbyak::Reg32 ones = c_.eax;
    c_.mov(ones, -1);
    c_.sub(count_register, lane_register);
    c_.bzhi(ones, ones, count_register.cvt32());
    c_.kmovw(tail_, ones);
    c_.add(count_register, lane_register);
    is_tail_ = true;
    body();
    is_tail_ = false;
  }

 private:
  void compare_to_bits(Compare how, DType dtype, Vector x, Vector y) {
    const auto predicate = static_cast<uint8_t>(how);
    dtype == DType::float64 ? c_.vcmppd(bits_, x, y, predicate) : c_.vcmpps(bits_, x, y, predicate);
  }
  void test(Vector x) { lane_bytes_ == 8 ? c_.vptestmq(bits_, x, x) : c_.vptestmd(bits_, x, x); }
  void bits_to_mask(Vector mask) {
    const Vector r = whole(mask.getIdx());
    lane_bytes_ == 8 ? c_.vpmovm2q(r, bits_) : c_.vpmovm2d(r, bits_);
  }
  void mask_to_bits(Vector mask) { lane_bytes_ == 8 ? c_.vpmovq2m(bits_, mask) : c_.vpmovd2m(bits_, mask); }

  const Xbyak::Opmask bits_{1}, tail_{2};
};

}  // namespace

std::unique_ptr<Vectors> make_avx512_vectors(Xbyak::CodeGenerator& code, int lane_bytes) {
  return std::make_unique<Avx512Vectors>(code, lane_bytes);
}

}  // namespace tessera::lanes
