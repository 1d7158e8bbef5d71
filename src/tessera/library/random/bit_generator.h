/// BitGenerator: the interface of random bit sources, and NumPy's five implementations.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::library {

/// A stream of random words. The classes below produce NumPy's bits from NumPy's state.
class BitGenerator {
 public:
  virtual ~BitGenerator() = default;
  virtual uint64_t next64() = 0;
  virtual uint32_t next32() = 0;
  /// In [0, 1), with 53 bits.
  virtual double next_double() { return to_double(next64()); }
  /// NumPy's raw output: 32 bits of MT19937, 64 bits of the others.
  virtual uint64_t next_raw() { return next64(); }

  /// The state as words, in the order that each class documents.
  virtual std::vector<uint64_t> state() const = 0;
  virtual void set_state(std::span<const uint64_t> words) = 0;

  static double to_double(uint64_t bits) { return static_cast<double>(bits >> 11) * (1.0 / 9007199254740992.0); }
  static float to_float(uint32_t bits) { return static_cast<float>(bits >> 8) * (1.0f / 16777216.0f); }
};

/// The two halves of a 64-bit output, low half first, as NumPy's 64-bit generators return 32-bit numbers.
struct Halves {
  bool has = false;
  uint32_t kept = 0;

  template <class Next>
  uint32_t next(Next&& next64) {
    if (has) {
      has = false;
      return kept;
    }
    const uint64_t word = next64();
    has = true;
    kept = static_cast<uint32_t>(word >> 32);
    return static_cast<uint32_t>(word);
  }
};

using uint128 = unsigned __int128;

/// PCG64: a 128-bit linear congruential generator with output XSL-RR; `dxsm` uses the cheaper multiplier and output
/// DXSM.
/// State: state high, low, increment high, low, has half, half.
template <bool dxsm>
class Pcg64Of final : public BitGenerator {
 public:
  /// The seed and increment that NumPy draws from its seed sequence.
  Pcg64Of(uint128 seed, uint128 sequence);
  uint64_t next64() override {
    if constexpr (dxsm) {
      const uint64_t word = output(state_);
      state_ = state_ * multiplier + increment_;
      return word;
    } else {
      state_ = state_ * multiplier + increment_;
      return output(state_);
    }
  }
  uint32_t next32() override {
    return halves_.next([this] { return next64(); });
  }
  std::vector<uint64_t> state() const override;
  void set_state(std::span<const uint64_t> words) override;
  /// Several steps of the recurrence as one.
  struct Jump {
    uint128 factor = 1, offset = 0;
    uint128 operator()(uint128 state) const { return state * factor + offset; }
    /// This one, then another.
    Jump then(const Jump& other) const { return {factor * other.factor, other(offset)}; }
  };
  Jump jump(uint128 delta) const;
  uint128 position() const { return state_; }
  void move(const Jump& jump) { state_ = jump(state_); }
  /// Advances by delta outputs (modulo 2^128).
  void advance(uint128 delta) { state_ = jump(delta)(state_); }
  /// Advances as if `words` words had been drawn.
  void skip(int64_t words) { advance(static_cast<uint128>(words)); }
  /// Writes the next words, with several steps of the recurrence computed concurrently.
  void fill(std::span<uint64_t> out);
  Halves& halves() { return halves_; }
  void forget_half() { halves_ = {}; }

 private:
  static constexpr uint64_t cheap = 0xda942042e4dd58b5ull;
  static constexpr uint128 full = (uint128{0x2360ed051fc65da4ull} << 64) | 0x4385df649fccf645ull;
  static constexpr uint128 multiplier = dxsm ? uint128{cheap} : full;
  static uint64_t output(uint128 state) {
    uint64_t high = static_cast<uint64_t>(state >> 64);
    const uint64_t low = static_cast<uint64_t>(state);
    if constexpr (dxsm) {
      high ^= high >> 32;
      high *= cheap;
      high ^= high >> 48;
      return high * (low | 1);
    } else {
      const uint64_t reduced = high ^ low;
      const int turn = static_cast<int>(high >> 58);
      return (reduced >> turn) | (reduced << (-turn & 63));
    }
  }

  uint128 state_ = 0;
  uint128 increment_ = 1;
  Halves halves_;
};
using Pcg64 = Pcg64Of<false>;
using Pcg64Dxsm = Pcg64Of<true>;
extern template class Pcg64Of<false>;
extern template class Pcg64Of<true>;

/// The Mersenne twister. State: 624 words, position.
class Mt19937 final : public BitGenerator {
 public:
  static constexpr int size = 624;
  /// In NumPy's memory layout, too.
  struct State {
    std::array<uint32_t, size> key{};
    int position = size;
  };

  Mt19937() { seed(5489); }
  /// Uses a state owned by someone else and shared with its other users.
  explicit Mt19937(State& shared) : state_(&shared) {}
  /// A copy has a state of its own; assignment sets the state in use.
  Mt19937(const Mt19937& other) : own_(*other.state_) {}
  Mt19937& operator=(const Mt19937& other) {
    *state_ = *other.state_;
    return *this;
  }

  /// Sets the state from words of a seed sequence.
  void set_key(std::span<const uint32_t> words);
  /// The classic seeding by one number or by an array of numbers.
  void seed(uint32_t number);
  void seed(std::span<const uint32_t> numbers);

  uint32_t next32() override {
    State& s = *state_;
    if (s.position >= size) refill();
    return temper(s.key[static_cast<size_t>(s.position++)]);
  }
  uint64_t next64() override {
    const uint64_t high = next32();
    return high << 32 | next32();
  }
  double next_double() override {
    const uint32_t a = next32() >> 5, b = next32() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }
  uint64_t next_raw() override { return next32(); }
  /// The next words of the recurrence before tempering; see `temper`.
  void fill_untempered(std::span<uint32_t> out);
  /// As if so many words had been drawn, by way of all of them.
  void walk(int64_t words);
  std::vector<uint64_t> state() const override;
  void set_state(std::span<const uint64_t> words) override;

  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  /// next_double() for the two words that next64() joins.
  static double to_double(uint64_t word) {
    const uint64_t bits = (word >> 37 << 26) | (static_cast<uint32_t>(word) >> 6);
    return static_cast<double>(static_cast<int64_t>(bits)) / 9007199254740992.0;
  }

 private:
  /// Out of line, also where its definition is seen: loops of draws are faster without it.
  [[gnu::noinline, gnu::cold]] void refill();

  State own_;
  State* state_ = &own_;
};

/// Philox4x64-10: ten rounds over a 256-bit counter under a 128-bit key.
/// State: counter (4), key (2), buffer (4), buffer position, has half, half.
class Philox final : public BitGenerator {
 public:
  using Counter = std::array<uint64_t, 4>;
  using Key = std::array<uint64_t, 2>;

  explicit Philox(Key key, Counter counter = {}) : counter_(counter), key_(key) {}
  uint64_t next64() override {
    if (position_ < 4) return buffer_[position_++];
    for (uint64_t& word : counter_) {
      if (++word != 0) break;
    }
    buffer_ = block(counter_, key_);
    position_ = 1;
    return buffer_[0];
  }
  uint32_t next32() override {
    return halves_.next([this] { return next64(); });
  }
  std::vector<uint64_t> state() const override;
  void set_state(std::span<const uint64_t> words) override;
  void advance(const Counter& delta);
  /// Advances as if `words` words had been drawn.
  void skip(int64_t words);
  void fill(std::span<uint64_t> out);
  Halves& halves() { return halves_; }

  /// The four outputs of one counter value.
  static Counter block(Counter counter, Key key);

 private:
  Counter counter_;
  Key key_;
  Counter buffer_{};
  uint32_t position_ = 4;
  Halves halves_;
};

/// SFC64: small, fast, chaotic, counting. State: a, b, c, counter, has half, half.
class Sfc64 final : public BitGenerator {
 public:
  explicit Sfc64(std::array<uint64_t, 3> seed);
  uint64_t next64() override {
    const uint64_t word = a_ + b_ + counter_++;
    a_ = b_ ^ (b_ >> 11);
    b_ = c_ + (c_ << 3);
    c_ = ((c_ << 24) | (c_ >> 40)) + word;
    return word;
  }
  uint32_t next32() override {
    return halves_.next([this] { return next64(); });
  }
  std::vector<uint64_t> state() const override;
  void set_state(std::span<const uint64_t> words) override;

 private:
  uint64_t a_, b_, c_, counter_ = 1;
  Halves halves_;
};

/// Bits from an external generator, through the four functions of NumPy's `bitgen_t`.
class ForeignBits final : public BitGenerator {
 public:
  struct Table {
    void* state;
    uint64_t (*next_uint64)(void* state);
    uint32_t (*next_uint32)(void* state);
    double (*next_double)(void* state);
    uint64_t (*next_raw)(void* state);
  };

  explicit ForeignBits(const Table* table) : table_(*table) {}
  uint64_t next64() override { return table_.next_uint64(table_.state); }
  uint32_t next32() override { return table_.next_uint32(table_.state); }
  double next_double() override { return table_.next_double(table_.state); }
  uint64_t next_raw() override { return table_.next_raw(table_.state); }
  std::vector<uint64_t> state() const override { return {}; }
  void set_state(std::span<const uint64_t>) override {}
  /// A `bitgen_t` through which external code can draw from bits.
  static Table table_of(BitGenerator& bits);

 private:
  Table table_;
};

/// Calls f with the concrete class, so that inner loops can inline the generator.
template <class F>
decltype(auto) with_concrete(BitGenerator& bits, F&& f) {
  if (auto* p = dynamic_cast<Pcg64*>(&bits)) return f(*p);
  if (auto* p = dynamic_cast<Mt19937*>(&bits)) return f(*p);
  if (auto* p = dynamic_cast<Pcg64Dxsm*>(&bits)) return f(*p);
  if (auto* p = dynamic_cast<Philox*>(&bits)) return f(*p);
  if (auto* p = dynamic_cast<Sfc64*>(&bits)) return f(*p);
  return f(bits);
}

}  // namespace tessera::library
