#include "tessera/library/random/bit_generator.h"

#include "tessera/base/error.h"

#include <algorithm>

namespace tessera::library {

namespace {

void require_words(std::span<const uint64_t> words, size_t count) {
  require<ValueError>(words.size() == count, "random state: {} words but {} are needed", words.size(), count);
}

uint128 join(uint64_t high, uint64_t low) { return uint128{high} << 64 | low; }

}  // namespace

template <bool dxsm>
Pcg64Of<dxsm>::Pcg64Of(uint128 seed, uint128 sequence) : increment_(sequence << 1 | 1) {
  state_ = increment_ + seed;
  state_ = state_ * full + increment_;  // seeds with the full multiplier in both variants, as NumPy does
}

template <bool dxsm>
std::vector<uint64_t> Pcg64Of<dxsm>::state() const {
  return {static_cast<uint64_t>(state_ >> 64),
          static_cast<uint64_t>(state_),
          static_cast<uint64_t>(increment_ >> 64),
          static_cast<uint64_t>(increment_),
          halves_.has,
          halves_.kept};
}

template <bool dxsm>
void Pcg64Of<dxsm>::set_state(std::span<const uint64_t> words) {
  require_words(words, 6);
  state_ = join(words[0], words[1]);
  increment_ = join(words[2], words[3]);
  halves_ = {words[4] != 0, static_cast<uint32_t>(words[5])};
}

// delta steps x -> m x + p compose to a single such step, by repeated squaring.
template <bool dxsm>
auto Pcg64Of<dxsm>::jump(uint128 delta) const -> Jump {
  Jump whole, power{multiplier, increment_};
  for (; delta; delta >>= 1) {
    if (delta & 1) whole = whole.then(power);
    power = power.then(power);
  }
  return whole;
}

// Each step waits for the multiplication of the one before; four interleaved sequences with steps of four do not wait.
template <bool dxsm>
void Pcg64Of<dxsm>::fill(std::span<uint64_t> out) {
  constexpr size_t lanes = 4;
  constexpr uint128 square = multiplier * multiplier, stride = square * square;
  const uint128 offset = (square + 1) * (multiplier + 1) * increment_;
  const size_t whole = out.size() / lanes * lanes;
  uint128 states[lanes], state = state_;
  for (uint128& lane : states) {
    if (!dxsm) state = state * multiplier + increment_;
    lane = state;
    if (dxsm) state = state * multiplier + increment_;
  }
  for (size_t i = 0; i < whole; i += lanes) {
    state_ = states[lanes - 1];
    for (size_t k = 0; k < lanes; ++k) {
      out[i + k] = output(states[k]);
      states[k] = states[k] * stride + offset;
    }
  }
  if (dxsm && whole) state_ = state_ * multiplier + increment_;
  for (uint64_t& word : out.subspan(whole)) word = next64();
}

template class Pcg64Of<false>;
template class Pcg64Of<true>;

std::vector<uint64_t> Philox::state() const {
  std::vector<uint64_t> words(counter_.begin(), counter_.end());
  words.insert(words.end(), key_.begin(), key_.end());
  words.insert(words.end(), buffer_.begin(), buffer_.end());
  words.insert(words.end(), {position_, halves_.has, halves_.kept});
  return words;
}

void Philox::set_state(std::span<const uint64_t> words) {
  require_words(words, 13);
  std::copy_n(words.begin(), 4, counter_.begin());
  std::copy_n(words.begin() + 4, 2, key_.begin());
  std::copy_n(words.begin() + 6, 4, buffer_.begin());
  position_ = static_cast<uint32_t>(words[10]);
  halves_ = {words[11] != 0, static_cast<uint32_t>(words[12])};
}

void Philox::advance(const Counter& delta) {
  uint64_t carry = 0;
  for (size_t i = 0; i < 4; ++i) {
    const uint128 sum = uint128{counter_[i]} + delta[i] + carry;
    counter_[i] = static_cast<uint64_t>(sum);
    carry = static_cast<uint64_t>(sum >> 64);
  }
  position_ = 4;
  buffer_ = {};
  halves_ = {};
}

void Philox::skip(int64_t words) {
  const int64_t kept = 4 - position_;
  if (words <= kept) {
    position_ += static_cast<uint32_t>(words);
    return;
  }
  const auto blocks = static_cast<uint64_t>((words - kept + 3) / 4);
  const Halves halves = halves_;
  advance({blocks, 0, 0, 0});
  buffer_ = block(counter_, key_);
  position_ = static_cast<uint32_t>((words - kept + 3) % 4 + 1);
  halves_ = halves;
}

void Philox::fill(std::span<uint64_t> out) {
  for (uint64_t& word : out) word = next64();
}

Philox::Counter Philox::block(Counter c, Key k) {
  for (int round = 0; round < 10; ++round) {
    const uint128 x = uint128{0xd2e7470ee14c6c93ull} * c[0], y = uint128{0xca5a826395121157ull} * c[2];
    c = {static_cast<uint64_t>(y >> 64) ^ c[1] ^ k[0], static_cast<uint64_t>(y),
         static_cast<uint64_t>(x >> 64) ^ c[3] ^ k[1], static_cast<uint64_t>(x)};
    k[0] += 0x9e3779b97f4a7c15ull;
    k[1] += 0xbb67ae8584caa73bull;
  }
  return c;
}

Sfc64::Sfc64(std::array<uint64_t, 3> seed) : a_(seed[0]), b_(seed[1]), c_(seed[2]) {
  for (int i = 0; i < 12; ++i) next64();
}

std::vector<uint64_t> Sfc64::state() const { return {a_, b_, c_, counter_, halves_.has, halves_.kept}; }

void Sfc64::set_state(std::span<const uint64_t> words) {
  require_words(words, 6);
  a_ = words[0];
  b_ = words[1];
  c_ = words[2];
  counter_ = words[3];
  halves_ = {words[4] != 0, static_cast<uint32_t>(words[5])};
}

ForeignBits::Table ForeignBits::table_of(BitGenerator& bits) {
  return {&bits, [](void* s) { return static_cast<BitGenerator*>(s)->next64(); },
          [](void* s) { return static_cast<BitGenerator*>(s)->next32(); },
          [](void* s) { return static_cast<BitGenerator*>(s)->next_double(); },
          [](void* s) { return static_cast<BitGenerator*>(s)->next_raw(); }};
}

}  // namespace tessera::library
