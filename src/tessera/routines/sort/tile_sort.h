/// TileSort: in a kernel, a block of threads ranks the keys of a tile by one digit and orders them in shared memory.
#pragma once

#include "tessera/base/error.h"
#include "tessera/routines/dense.h"
#include "tessera/routines/sort/sort_keys.h"
#include "tessera/routines/sort/sort_tile.h"

namespace tessera::routines {

/// One block's operations on a tile whose keys are in the threads' registers: key k of a thread has index own(k).
class TileSort {
 public:
  TileSort(Dense& d, SortKeys& keys, const SortTile& tile, bool joins, bool places)
      : d_(d),
        b_(d.b),
        keys_(keys),
        tile_(tile),
        joins_(joins),
        places_(places),
        t_(b_.index(1)),
        small_t_(b_.cast(t_, DType::uint32)) {
    counts_ = shared(DType::uint32, warps() * sort_digits);
    for (uint32_t& buffer : sums_) buffer = shared(DType::uint32, sort_digits);
    ordered_ = shared(keys.word(), tile.size());
    if (places) ordered_places_ = shared(DType::uint32, tile.size());
  }

  int warps() const { return tile_.threads / warp; }
  uint32_t shared(DType dtype, int size) { return b_.add_array({dtype, size, true}); }
  ir::Value small(uint64_t value) { return b_.constant(Scalar::of_uint(DType::uint32, value)); }
  ir::Value t() const { return t_; }
  ir::Value lane() { return b_.bit_and(small_t_, small(warp - 1)); }
  /// A warp's keys are contiguous, with neighbours in neighbouring lanes. Indices within a tile are uint32.
  ir::Value own(int k) {
    const ir::Value first = b_.mul(b_.sub(small_t_, lane()), small(static_cast<uint64_t>(tile_.keys)));
    return b_.add(b_.add(first, lane()), small(uint64_t{static_cast<uint32_t>(k)} * warp));
  }
  /// Index of the thread's key k when the tile is read in order, int64.
  ir::Value in_order(int k) { return b_.add(t_, d_.word(int64_t{k} * tile_.threads)); }
  ir::Value word(ir::Value place) { return b_.cast(place, DType::int64); }
  ir::Value digit(ir::Value key, ir::Value shift) {
    const ir::Value whole = joins_ ? keys_.joined(key) : key;
    const ir::Value inside = b_.bit_and(shift, keys_.constant(static_cast<uint64_t>(keys_.bits() - 1)));
    return b_.cast(b_.bit_and(b_.binary(ir::Opcode::shift_right, whole, inside), keys_.constant(sort_digits - 1)),
                   DType::uint32);
  }
  /// Runs body for every digit, each in one thread.
  void each_digit(const std::function<void(ir::Value digit)>& body) {
    if (tile_.threads > sort_digits) return d_.when(b_.lt(t_, d_.word(sort_digits)), [&] { body(t_); });
    for (int k = 0; k < sort_digits; k += tile_.threads) body(b_.add(t_, d_.word(k)));
  }
  void clear_counts() {
    for (int k = 0; k < warps() * sort_digits; k += tile_.threads) {
      const ir::Value at = b_.add(t_, d_.word(k));
      const auto clear = [&] { b_.store_array(counts_, small(0), at); };
      if (k + tile_.threads <= warps() * sort_digits)
        clear();
      else
        d_.when(b_.lt(at, d_.word(warps() * sort_digits)), clear);
    }
  }
  /// Counts each warp's keys of each digit in counts_; follow with a barrier.
  void count(const std::vector<ir::Value>& digit_of) {
    warp_counts_ = b_.mul(b_.binary(ir::Opcode::shift_right, small_t_, small(5)), small(sort_digits));
    for (ir::Value digit : digit_of) b_.atomic_array(ir::AtomicKind::add, counts_, small(1), count_slot(digit));
  }
  /// Sums the tile's keys of each digit in sums_; follow with a barrier.
  void add_up(const std::function<void(ir::Value digit, ir::Value total)>& tell) {
    each_digit([&](ir::Value digit) {
      ir::Value total = small(0);
      for (int w = 0; w < warps(); ++w)
        total = b_.add(total, b_.load_array(counts_, b_.add(digit, d_.word(w * sort_digits))));
      b_.store_array(sums_[0], total, digit);
      tell(digit, total);
    });
  }
  /// Converts sums_[0] to inclusive prefix sums, in steps that combine four elements. Ends with a barrier.
  void run_sums() {
    int from = 0;
    for (int distance = 1; distance < sort_digits; distance *= 4, from = 1 - from) {
      each_digit([&](ir::Value digit) {
        ir::Value sum = b_.load_array(sums_[from], digit);
        for (int k = 1; k < 4; ++k) {
          const ir::Value other = b_.sub(digit, d_.word(int64_t{k} * distance));
          const ir::Value found = b_.load_array(sums_[from], b_.max(other, d_.word(0)));
          sum = b_.add(sum, b_.select(b_.lt(other, d_.word(0)), small(0), found));
        }
        b_.store_array(sums_[1 - from], sum, digit);
      });
      b_.barrier();
    }
    invariant(from == 0, "the sums of sort_digits end in the wrong place");
  }
  ir::Value running(ir::Value digit) { return b_.load_array(sums_[0], digit); }
  /// The begin of the digit in the tile, from the prefix sums.
  ir::Value begin_of(ir::Value digit) {
    const ir::Value before = b_.load_array(sums_[0], b_.max(b_.sub(digit, d_.word(1)), d_.word(0)));
    return b_.select(b_.eq(digit, d_.word(0)), small(0), before);
  }
  /// Replaces counts_ by the begin of each warp's keys of the digit in the tile.
  void place_warps(ir::Value digit, ir::Value begin) {
    ir::Value next = begin;
    for (int w = 0; w < warps(); ++w) {
      const ir::Value slot = b_.add(digit, d_.word(w * sort_digits));
      const ir::Value own_count = b_.load_array(counts_, slot);
      b_.store_array(counts_, next, slot);
      next = b_.add(next, own_count);
    }
  }
  /// Writes keys (and places) to shared memory in the order of their digits, at the position that counts_ has for the
  /// warp, which is advanced; follow with a barrier.
  void put_in_order(const std::vector<ir::Value>& digit_of, const std::vector<ir::Value>& key,
                    const std::vector<ir::Value>& place) {
    const ir::Value lower = b_.sub(b_.binary(ir::Opcode::shift_left, small(1), lane()), small(1));
    for (size_t k = 0; k < key.size(); ++k) {
      const ir::Value peers = b_.match_byte(digit_of[k]);
      const ir::Value slot = count_slot(digit_of[k]), before = b_.load_array(counts_, slot);
      b_.warp_barrier();
      // All lanes with the same digit write the same number.
      b_.store_array(counts_, b_.add(before, ones(peers)), slot);
      b_.warp_barrier();
      const ir::Value to = word(b_.add(before, ones(b_.bit_and(peers, lower))));
      b_.store_array(ordered_, key[k], to);
      if (places_) b_.store_array(ordered_places_, place[k], to);
    }
  }
  ir::Value ordered_key(ir::Value place) { return b_.load_array(ordered_, place); }
  ir::Value ordered_place(ir::Value place) { return b_.load_array(ordered_places_, place); }

 private:
  static constexpr int warp = 32;

  ir::Value ones(ir::Value bits) { return b_.cast(b_.unary(ir::Opcode::popcount, bits), DType::uint32); }
  ir::Value count_slot(ir::Value digit) { return word(b_.add(digit, warp_counts_)); }

  Dense& d_;
  ir::Builder& b_;
  SortKeys& keys_;
  const SortTile tile_;
  const bool joins_, places_;
  const ir::Value t_, small_t_;
  ir::Value warp_counts_ = 0;
  uint32_t counts_, sums_[2], ordered_, ordered_places_ = 0;
};

}  // namespace tessera::routines
