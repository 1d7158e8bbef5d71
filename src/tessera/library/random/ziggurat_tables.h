/// ZigguratTables: the strips that cover the normal and the exponential density, computed once at start.
#pragma once

#include <cstdint>

namespace tessera::library {

/// Strip i is width[i] * 2^bits wide; a draw below inside[i] is accepted without evaluating the density.
template <class Real, class Word>
struct Ziggurat {
  Word inside[256];
  Real width[256];   // scaled so that width * integer is the abscissa
  Real height[256];  // the density at the strip's right end
};

struct ZigguratTables {
  Ziggurat<double, uint64_t> normal;
  Ziggurat<float, uint32_t> normal_float;
  Ziggurat<double, uint64_t> exponential;
  Ziggurat<float, uint32_t> exponential_float;

  static const ZigguratTables& instance();
};

/// Where the tails begin.
inline constexpr double normal_tail = 3.6541528853610087963519472518;
inline constexpr double normal_tail_inverse = 0.27366123732975827203338247596;
inline constexpr double exponential_tail = 7.6971174701310497140446280481;

}  // namespace tessera::library
