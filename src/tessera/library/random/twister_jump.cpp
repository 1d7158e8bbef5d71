#include "tessera/library/random/twister_jump.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/library/random/bit_generator.h"

namespace tessera::library {

namespace {

constexpr int degree = 19937;
constexpr size_t words = degree / 64 + 1;
using Polynomial = std::array<uint64_t, words>;

bool bit(std::span<const uint64_t> of, int at) { return of[static_cast<size_t>(at) / 64] >> (at % 64) & 1; }
void flip(std::span<uint64_t> of, int at) { of[static_cast<size_t>(at) / 64] ^= uint64_t{1} << (at % 64); }

/// The characteristic polynomial, found from a run of output bits (J. Massey, "Shift-register synthesis and BCH
/// decoding", 1969).
Polynomial find_characteristic() {
  constexpr size_t room = words + 1;
  std::vector<uint64_t> connection(room), before(room), recent(room), saved(room);
  connection[0] = before[0] = 1;
  Mt19937 bits;
  int length = 0, since = 1;
  for (int n = 0; n < 2 * degree; ++n) {
    for (size_t k = room; k-- > 1;) recent[k] = recent[k] << 1 | recent[k - 1] >> 63;
    recent[0] = recent[0] << 1 | (bits.next32() & 1);
    uint64_t sum = 0;
    for (size_t k = 0; k < room; ++k) sum ^= connection[k] & recent[k];
    if (std::popcount(sum) % 2 == 0) {
      ++since;
      continue;
    }
    const bool grows = 2 * length <= n;
    if (grows) saved = connection;
    const size_t by = static_cast<size_t>(since) / 64;
    const int turn = since % 64;
    for (size_t k = by; k < room; ++k) {
      connection[k] ^= before[k - by] << turn;
      if (turn && k > by) connection[k] ^= before[k - by - 1] >> (64 - turn);
    }
    since = grows ? 1 : since + 1;
    if (grows) {
      length = n + 1 - length;
      before = saved;
    }
  }
  invariant(length == degree, "twister: a recurrence of {} bits", length);
  Polynomial characteristic{};
  for (int j = 0; j <= degree; ++j)
    if (bit(connection, degree - j)) flip(characteristic, j);
  return characteristic;
}

/// Powers of t modulo the characteristic polynomial.
class Powers {
 public:
  std::span<const uint32_t> positions(int k) {
    std::lock_guard lock(mutex_);
    if (powers_.empty()) begin();
    while (static_cast<int>(powers_.size()) <= k) add(squared(powers_.back()));
    return *positions_[static_cast<size_t>(k)];
  }

 private:
  void begin() {
    const Polynomial modulus = find_characteristic();
    for (int turn = 0; turn < 64; ++turn) {
      std::array<uint64_t, words + 1>& row = turned_[static_cast<size_t>(turn)];
      for (size_t k = 0; k <= words; ++k) {
        row[k] = k < words ? modulus[k] << turn : 0;
        if (turn && k > 0) row[k] |= modulus[k - 1] >> (64 - turn);
      }
    }
    Polynomial t{};
    flip(t, 1);
    add(t);
  }
  void add(const Polynomial& power) {
    powers_.push_back(power);
    auto& positions = *positions_.emplace_back(std::make_unique<std::vector<uint32_t>>());
    for (int j = 0; j < degree; ++j)
      if (bit(power, j)) positions.push_back(static_cast<uint32_t>(j));
  }
  /// The bits of x with zeros between them.
  static uint64_t spread(uint32_t bits) {
    uint64_t x = bits;
    x = (x | x << 16) & 0x0000ffff0000ffffull;
    x = (x | x << 8) & 0x00ff00ff00ff00ffull;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
    x = (x | x << 2) & 0x3333333333333333ull;
    return (x | x << 1) & 0x5555555555555555ull;
  }
  Polynomial squared(const Polynomial& x) const {
    std::vector<uint64_t> square(2 * words + 1);
    for (size_t k = 0; k < words; ++k) {
      square[2 * k] = spread(static_cast<uint32_t>(x[k]));
      square[2 * k + 1] = spread(static_cast<uint32_t>(x[k] >> 32));
    }
    for (int at = 2 * degree - 2; at >= degree; --at) {
      if (!bit(square, at)) continue;
      const auto shift = static_cast<size_t>(at - degree);
      const auto& row = turned_[shift % 64];
      for (size_t k = 0; k <= words; ++k) square[shift / 64 + k] ^= row[k];
    }
    Polynomial rest;
    std::copy_n(square.begin(), words, rest.begin());
    return rest;
  }

  Mutex mutex_;
  std::array<std::array<uint64_t, words + 1>, 64> turned_{};
  std::vector<Polynomial> powers_;
  std::vector<std::unique_ptr<std::vector<uint32_t>>> positions_;
};

}  // namespace

std::span<const uint32_t> twister_jump(int k) {
  static Powers powers;
  return powers.positions(k);
}

std::vector<uint32_t> twister_window(std::span<const uint32_t> key) {
  constexpr uint32_t upper = 0x80000000u, lower = 0x7fffffffu;
  std::vector<uint32_t> window(key.begin() + 1, key.end());
  const uint32_t joined = (key[0] & upper) | (key[1] & lower);
  window.push_back(key[397] ^ (joined >> 1) ^ (joined & 1 ? 0x9908b0dfu : 0u));
  return window;
}

}  // namespace tessera::library
