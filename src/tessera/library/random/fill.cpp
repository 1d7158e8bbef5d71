#include "tessera/library/random/fill.h"

#include <cmath>

#include "tessera/library/random/polar.h"
#include "tessera/library/random/ziggurat.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library {

namespace {

constexpr int64_t parallel_grain = int64_t{1} << 15;

template <class T, class Draw>
void fill_each(BitGenerator& bits, std::span<T> out, Draw&& draw) {
  with_concrete(bits, [&](auto& source) {
    for (T& x : out) x = draw(source);
  });
}

/// A generator that can jump is copied for every piece and moved to where the piece starts: the same stream.
template <bool dxsm, class Draw>
void fill_by_jumps(Pcg64Of<dxsm>& bits, std::span<double> out, Draw&& draw) {
  auto piece = [&](int64_t begin, int64_t end) {
    Pcg64Of<dxsm> source = bits;
    source.advance(static_cast<uint128>(begin));
    for (int64_t i = begin; i < end; ++i) out[static_cast<size_t>(i)] = draw(source);
  };
  const auto n = static_cast<int64_t>(out.size());
  runtime::parallel_for(n, parallel_grain, piece);
  bits.advance(static_cast<uint128>(n));
}

template <class Draw>
void fill_doubles(BitGenerator& bits, std::span<double> out, Draw&& draw) {
  if (out.size() > static_cast<size_t>(parallel_grain)) {
    if (auto* pcg = dynamic_cast<Pcg64*>(&bits)) return fill_by_jumps(*pcg, out, draw);
    if (auto* pcg = dynamic_cast<Pcg64Dxsm*>(&bits)) return fill_by_jumps(*pcg, out, draw);
  }
  fill_each(bits, out, draw);
}

}  // namespace

void fill_uniform(BitGenerator& bits, std::span<double> out, double low, double range) {
  if (low == 0 && range == 1) return fill_doubles(bits, out, [](auto& source) { return source.next_double(); });
  fill_doubles(bits, out, [=](auto& source) { return low + range * source.next_double(); });
}

void fill_uniform(BitGenerator& bits, std::span<float> out) {
  fill_each(bits, out, [](auto& source) { return BitGenerator::to_float(source.next32()); });
}

void fill_normal(BitGenerator& bits, std::span<double> out, double mean, double deviation) {
  const auto& table = ZigguratTables::instance().normal;
  if (mean == 0 && deviation == 1) {
    return fill_each(bits, out, [&](auto& source) { return ziggurat_normal(source, table); });
  }
  fill_each(bits, out, [&](auto& source) { return mean + deviation * ziggurat_normal(source, table); });
}

void fill_normal(BitGenerator& bits, std::span<float> out) {
  const auto& table = ZigguratTables::instance().normal_float;
  fill_each(bits, out, [&](auto& source) { return ziggurat_normal(source, table); });
}

void fill_exponential(BitGenerator& bits, std::span<double> out, double scale) {
  const auto& table = ZigguratTables::instance().exponential;
  fill_each(bits, out, [&](auto& source) { return scale * ziggurat_exponential(source, table); });
}

void fill_exponential(BitGenerator& bits, std::span<float> out) {
  const auto& table = ZigguratTables::instance().exponential_float;
  fill_each(bits, out, [&](auto& source) { return ziggurat_exponential(source, table); });
}

void fill_exponential_by_inversion(BitGenerator& bits, std::span<double> out) {
  fill_doubles(bits, out, [](auto& source) { return -std::log1p(-source.next_double()); });
}

void fill_exponential_by_inversion(BitGenerator& bits, std::span<float> out) {
  fill_each(bits, out, [](auto& source) { return -std::log1p(-BitGenerator::to_float(source.next32())); });
}

void fill_polar_normal(BitGenerator& bits, KeptNormal& kept, std::span<double> out, double mean, double deviation) {
  fill_each(bits, out, [&](auto& source) { return mean + deviation * polar_normal(source, kept); });
}

void fill_legacy_exponential(BitGenerator& bits, std::span<double> out, double scale) {
  fill_each(bits, out, [=](auto& source) { return scale * -std::log(1.0 - source.next_double()); });
}

void fill_raw(BitGenerator& bits, std::span<uint64_t> out) {
  fill_each(bits, out, [](auto& source) { return source.next_raw(); });
}

}  // namespace tessera::library
