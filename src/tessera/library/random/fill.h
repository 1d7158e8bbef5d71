/// Long runs of uniform, normal and exponential draws, with the generator inlined and large runs distributed over the
/// cores.
#pragma once

#include <span>

#include "tessera/library/random/bit_generator.h"
#include "tessera/library/random/kept_normal.h"

namespace tessera::library {

/// out[i] = low + range * uniform [0, 1); no arithmetic when low is 0 and range 1.
void fill_uniform(BitGenerator& bits, std::span<double> out, double low = 0, double range = 1);
void fill_uniform(BitGenerator& bits, std::span<float> out);
/// out[i] = mean + deviation * standard normal.
void fill_normal(BitGenerator& bits, std::span<double> out, double mean = 0, double deviation = 1);
void fill_normal(BitGenerator& bits, std::span<float> out);
/// out[i] = scale * standard exponential.
void fill_exponential(BitGenerator& bits, std::span<double> out, double scale = 1);
void fill_exponential(BitGenerator& bits, std::span<float> out);
/// The same distribution by inversion, -log(1 - u).
void fill_exponential_by_inversion(BitGenerator& bits, std::span<double> out);
void fill_exponential_by_inversion(BitGenerator& bits, std::span<float> out);
/// The legacy generator's normals, generated in pairs by the polar method; `kept` holds the second one until it is
/// used.
void fill_polar_normal(BitGenerator& bits, KeptNormal& kept, std::span<double> out, double mean = 0,
                       double deviation = 1);
/// out[i] = scale * -log(1 - u), the legacy generator's exponential.
void fill_legacy_exponential(BitGenerator& bits, std::span<double> out, double scale = 1);
/// The values that `next_raw` returns.
void fill_raw(BitGenerator& bits, std::span<uint64_t> out);

}  // namespace tessera::library
