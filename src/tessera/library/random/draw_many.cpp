#include "tessera/library/random/draw_many.h"

#include "tessera/library/random/with_blocks.h"

namespace tessera::library {

namespace {

/// Adapts draw(sampler) to draw from a reader's bits.
template <class Draw>
class SamplerDraw {
 public:
  SamplerDraw(BitGenerator& bits, bool legacy, const Draw& draw) : sampler_(bits, legacy), draw_(draw) {}
  auto operator()() { return draw_(sampler_); }
  KeptNormal& kept() { return sampler_.kept; }

 private:
  Sampler sampler_;
  const Draw& draw_;
};

template <class T, class Draw>
void draw_all(Sampler& sampler, Unit unit, std::span<T> out, const Draw& draw) {
  constexpr size_t worth = size_t{1} << 13;
  size_t done = 0;
  with_blocks(
      sampler.bits, out.size(),
      [&](auto& source) {
        constexpr size_t most = 64;  // limit on the numbers drawn until no half is pending
        for (; unit == Unit::half && has_half(source) && done < most; ++done) out[done] = draw(sampler);
        if (unit == Unit::half && has_half(source)) return int64_t{0};
        const int64_t count = draw_chain(source, unit, sampler.kept, out.subspan(done),
                                         [&](auto& reader) { return SamplerDraw(reader, sampler.legacy, draw); });
        done += static_cast<size_t>(count);
        return count;
      },
      worth);
  for (T& x : out.subspan(done)) x = draw(sampler);
}

}  // namespace

void draw_many(Sampler& sampler, const Distribution& row, const Value* values, std::span<double> out) {
  draw_all(sampler, Unit::word, out, [&](Sampler& s) { return row.draw(s, values); });
}

void draw_many(Sampler& sampler, const Distribution& row, const Value* values, std::span<int64_t> out) {
  const bool halves = row.draws_halves && !sampler.legacy && row.draws_halves(values);
  draw_all(sampler, halves ? Unit::half : Unit::word, out, [&](Sampler& s) { return row.draw_integer(s, values); });
}

void fill_gamma_float(Sampler& sampler, float shape, std::span<float> out) {
  draw_all(sampler, Unit::half, out, [=](Sampler& s) { return s.gamma_float(shape); });
}

}  // namespace tessera::library
