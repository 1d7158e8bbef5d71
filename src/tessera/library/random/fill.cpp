#include "tessera/library/random/fill.h"

#include <cmath>

#include "tessera/library/random/draw_blocks.h"
#include "tessera/library/random/polar.h"
#include "tessera/library/random/with_blocks.h"
#include "tessera/library/random/ziggurat.h"

namespace tessera::library {

namespace {

template <class T, class Draw>
void fill_each(BitGenerator& bits, std::span<T> out, Draw&& draw) {
  with_concrete(bits, [&](auto& source) {
    for (T& x : out) x = draw(source);
  });
}

/// One double per word: make(uniform).
template <class Make>
void fill_doubles(BitGenerator& bits, std::span<double> out, Make&& make) {
  const int64_t done = with_blocks(bits, out.size(), [&]<class G>(G& source) {
    return draw_each(source, Unit::word, 1, out, [&](const uint64_t* words, int64_t count, double* to) {
      for (int64_t i = 0; i < count; ++i) to[i] = make(real_of<G>(words[i]));
    });
  });
  fill_each(bits, out.subspan(static_cast<size_t>(done)), [&](auto& source) { return make(source.next_double()); });
}

/// One float per half: make(uniform).
template <class Make>
void fill_floats(BitGenerator& bits, std::span<float> out, Make&& make) {
  const auto draw = [&](auto& source) { return make(BitGenerator::to_float(source.next32())); };
  int64_t done = 0;
  with_blocks(bits, out.size(), [&]<class G>(G& source) {
    for (; has_half(source); ++done) out[static_cast<size_t>(done)] = draw(source);
    done += draw_each(source, Unit::half, 2, out.subspan(static_cast<size_t>(done)),
                      [&](const uint64_t* words, int64_t count, float* to) {
                        const auto* halves = reinterpret_cast<const uint32_t*>(words);
                        for (int64_t i = 0; i < 2 * count; ++i) to[i] = make(BitGenerator::to_float(halves[i]));
                      });
    return done;
  });
  fill_each(bits, out.subspan(static_cast<size_t>(done)), draw);
}

/// Draws that consume a variable number of words.
template <class Draw>
void fill_chain(BitGenerator& bits, std::span<double> out, const Draw& draw) {
  const int64_t done = with_blocks(bits, out.size(), [&](auto& source) {
    KeptNormal none;
    return draw_chain(source, Unit::word, none, out, [&](auto& reader) { return PlainDraw(reader, draw); });
  });
  fill_each(bits, out.subspan(static_cast<size_t>(done)), draw);
}

/// Draws that consume a variable number of halves.
template <class Draw>
void fill_chain(BitGenerator& bits, std::span<float> out, const Draw& draw) {
  int64_t done = 0;
  with_blocks(bits, out.size(), [&](auto& source) {
    const int64_t most = std::min<int64_t>(64, static_cast<int64_t>(out.size()));
    for (; has_half(source) && done < most; ++done) out[static_cast<size_t>(done)] = draw(source);
    if (has_half(source)) return done;
    KeptNormal none;
    const std::span<float> rest = out.subspan(static_cast<size_t>(done));
    return done += draw_chain(source, Unit::half, none, rest, [&](auto& reader) { return PlainDraw(reader, draw); });
  });
  fill_each(bits, out.subspan(static_cast<size_t>(done)), draw);
}

}  // namespace

void fill_uniform(BitGenerator& bits, std::span<double> out, double low, double range) {
  if (low == 0 && range == 1) return fill_doubles(bits, out, [](double u) { return u; });
  fill_doubles(bits, out, [=](double u) { return low + range * u; });
}

void fill_uniform(BitGenerator& bits, std::span<float> out) {
  fill_floats(bits, out, [](float u) { return u; });
}

void fill_normal(BitGenerator& bits, std::span<double> out, double mean, double deviation) {
  const auto& table = ZigguratTables::instance().normal;
  if (mean == 0 && deviation == 1) {
    return fill_chain(bits, out, [&](auto& source) { return ziggurat_normal(source, table); });
  }
  fill_chain(bits, out, [&](auto& source) { return mean + deviation * ziggurat_normal(source, table); });
}

void fill_normal(BitGenerator& bits, std::span<float> out) {
  const auto& table = ZigguratTables::instance().normal_float;
  fill_chain(bits, out, [&](auto& source) { return ziggurat_normal(source, table); });
}

void fill_exponential(BitGenerator& bits, std::span<double> out, double scale) {
  const auto& table = ZigguratTables::instance().exponential;
  fill_chain(bits, out, [&](auto& source) { return scale * ziggurat_exponential(source, table); });
}

void fill_exponential(BitGenerator& bits, std::span<float> out) {
  const auto& table = ZigguratTables::instance().exponential_float;
  fill_chain(bits, out, [&](auto& source) { return ziggurat_exponential(source, table); });
}

void fill_exponential_by_inversion(BitGenerator& bits, std::span<double> out) {
  fill_doubles(bits, out, [](double u) { return -std::log1p(-u); });
}

void fill_exponential_by_inversion(BitGenerator& bits, std::span<float> out) {
  fill_floats(bits, out, [](float u) { return static_cast<float>(-std::log1p(-static_cast<double>(u))); });
}

namespace {

/// The normals of a run of word pairs: first collects the points inside the circle, without branches, then transforms
/// them.
template <class G, class Scale>
int64_t take_polar(const uint64_t* words, int64_t count, double* out, const Scale& scale) {
  constexpr int64_t run = 128;
  PolarPoint points[run / 2 + 1];
  double* const first = out;
  for (int64_t at = 0; at < count; at += run) {
    int64_t taken = 0;
    for (int64_t i = at; i < std::min(at + run, count); i += 2) {
      points[taken] = PolarPoint(real_of<G>(words[i]), real_of<G>(words[i + 1]));
      taken += points[taken].is_inside();
    }
    for (int64_t k = 0; k < taken; ++k) {
      const double factor = points[k].factor();
      *out++ = scale(factor * points[k].y);
      *out++ = scale(factor * points[k].x);
    }
  }
  return out - first;
}

/// Pairs of normals: as many points as pairs are missing, of which some lie outside, until none is missing. The points
/// inside are collected without branches, whose outcome cannot be predicted.
template <class Scale>
void fill_pairs(BitGenerator& bits, std::span<double> out, const Scale& scale) {
  constexpr size_t most = 64;
  with_concrete(bits, [&](auto& source) {
    PolarPoint points[most + 1];
    double* to = out.data();
    for (size_t missing = out.size() / 2; missing > 0;) {
      size_t taken = 0;
      for (size_t tries = std::min(missing, most); tries > 0; --tries) {
        const double u = source.next_double();
        points[taken] = PolarPoint(u, source.next_double());
        taken += points[taken].is_inside();
      }
      for (size_t k = 0; k < taken; ++k) {
        const double factor = points[k].factor();
        *to++ = scale(factor * points[k].y);
        *to++ = scale(factor * points[k].x);
      }
      missing -= taken;
    }
  });
}

}  // namespace

void fill_polar_normal(BitGenerator& bits, KeptNormal& kept, std::span<double> out, double mean, double deviation) {
  const auto scale = [=](double x) { return mean + deviation * x; };
  size_t done = 0;
  if (kept.has && !out.empty()) out[done++] = scale(polar_normal(bits, kept));
  done += static_cast<size_t>(with_blocks(bits, out.size() - done, [&]<class G>(G& source) {
    return draw_compacted(
        source, Unit::word, 1, out.subspan(done),
        [&](const uint64_t* words, int64_t count, double* to) { return take_polar<G>(words, count, to, scale); });
  }));
  fill_pairs(bits, out.subspan(done), scale);
  if ((out.size() - done) % 2 != 0) out.back() = scale(polar_normal(bits, kept));
}

void fill_legacy_exponential(BitGenerator& bits, std::span<double> out, double scale) {
  fill_doubles(bits, out, [=](double u) { return scale * -std::log(1.0 - u); });
}

void fill_raw(BitGenerator& bits, std::span<uint64_t> out) {
  const int64_t done = with_blocks(bits, out.size(), [&]<class G>(G& source) {
    constexpr bool is_twister = std::is_same_v<G, Mt19937>;
    return draw_each(source, is_twister ? Unit::half : Unit::word, is_twister ? 2 : 1, out,
                     [](const uint64_t* words, int64_t count, uint64_t* to) {
                       if (is_twister)
                         std::copy_n(reinterpret_cast<const uint32_t*>(words), 2 * count, to);
                       else
                         std::copy_n(words, count, to);
                     });
  });
  fill_each(bits, out.subspan(static_cast<size_t>(done)), [](auto& source) { return source.next_raw(); });
}

}  // namespace tessera::library
