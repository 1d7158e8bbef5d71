/// PassedTotals: partial results that the blocks of a launch publish to each other while they run, without fences.
#pragma once

#include <span>
#include <vector>

#include "tessera/routines/dense.h"

namespace tessera::routines {

/// Totals as 64-bit words, each with 32 bits of the total and above them a bit that marks the word as written.
class PassedTotals {
 public:
  PassedTotals(Dense& d, DType dtype, uint32_t words) : b_(d.b), d_(d), dtype_(dtype), words_(words) {}

  int pieces() const { return std::max(1, static_cast<int>(itemsize(dtype_)) / 4); }
  void tell(ir::Value place, ir::Value total) {
    const std::vector<ir::Value> halves = halves_of(total);
    for (int k = 0; k < pieces(); ++k) {
      const ir::Value at[] = {place_of(place, k)};
      b_.atomic(ir::AtomicKind::exchange, words_, b_.bit_or(halves[static_cast<size_t>(k)], bits(uint64_t{1} << 32)),
                at);
    }
  }
  ir::Value synchronise(ir::Value place, int piece) {
    const ir::Value at[] = {place_of(place, piece)};
    return b_.atomic(ir::AtomicKind::bit_or, words_, bits(0), at);
  }
  /// Reads the words again until the total is there, unless `wanted` is false.
  ir::Value wait(ir::Value place, const std::vector<ir::Value>& seen, ir::Value wanted) {
    std::vector<ir::Value> halves;
    for (int k = 0; k < pieces(); ++k) {
      const ir::Value initial[] = {b_.select(wanted, seen[static_cast<size_t>(k)], bits(uint64_t{1} << 32))};
      const auto misses = [&](std::span<const ir::Value> word) {
        return std::vector<ir::Value>{b_.lt(word[0], bits(uint64_t{1} << 32))};
      };
      const auto again = [&](std::span<const ir::Value>) { return std::vector<ir::Value>{synchronise(place, k)}; };
      halves.push_back(b_.bit_and(b_.while_(initial, misses, again)[0], bits((uint64_t{1} << 32) - 1)));
    }
    return total_of(halves);
  }

 private:
  ir::Value bits(uint64_t value) { return b_.constant(Scalar::of_uint(DType::uint64, value)); }
  ir::Value place_of(ir::Value place, int piece) { return b_.add(b_.mul(place, d_.word(pieces())), d_.word(piece)); }
  static DType bits_of(int64_t size) {
    return size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64;
  }

  std::vector<ir::Value> halves_of(ir::Value x) {
    if (is_complex(b_.type(x))) {
      std::vector<ir::Value> halves = halves_of(b_.real(x));
      for (ir::Value half : halves_of(b_.imag(x))) halves.push_back(half);
      return halves;
    }
    const ir::Value word = b_.cast(b_.bitcast(x, bits_of(itemsize(b_.type(x)))), DType::uint64);
    if (itemsize(b_.type(x)) < 8) return {word};
    return {b_.bit_and(word, bits((uint64_t{1} << 32) - 1)), b_.binary(ir::Opcode::shift_right, word, bits(32))};
  }
  ir::Value real_of(std::span<const ir::Value> halves, DType dtype) {
    const ir::Value word =
        halves.size() == 1 ? halves[0] : b_.bit_or(halves[0], b_.binary(ir::Opcode::shift_left, halves[1], bits(32)));
    return b_.bitcast(b_.cast(word, bits_of(itemsize(dtype))), dtype);
  }
  ir::Value total_of(std::span<const ir::Value> halves) {
    if (!is_complex(dtype_)) return real_of(halves, dtype_);
    const size_t part = halves.size() / 2;
    const DType real = real_dtype(dtype_);
    return b_.make_complex(real_of(halves.first(part), real), real_of(halves.subspan(part), real));
  }

  ir::Builder& b_;
  Dense& d_;
  DType dtype_;
  uint32_t words_;
};

}  // namespace tessera::routines
