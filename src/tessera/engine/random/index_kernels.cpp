#include "tessera/engine/random/index_kernels.h"

#include <array>

#include "tessera/engine/device/routines/dense.h"

namespace tessera::engine {

using ir::Opcode;
using ir::Value;

namespace {

using Four = std::array<Value, 4>;

/// Unsigned arithmetic on words of one size.
struct Words {
  ir::Builder& b;
  DType type;
  Value of(uint64_t bits) const { return b.constant(Scalar::of_uint(type, bits)); }
  Value right(Value x, int count) const { return b.binary(Opcode::shift_right, x, of(static_cast<uint64_t>(count))); }
  Value left(Value x, int count) const { return b.binary(Opcode::shift_left, x, of(static_cast<uint64_t>(count))); }
};

struct Product {
  Value high, low;
};

/// x * y whole, of 64-bit words by their halves.
Product multiply_64(ir::Builder& b, Value x, Value y) {
  const Words w{b, DType::uint64};
  const auto low = [&](Value v) { return b.bit_and(v, w.of(0xffffffff)); };
  const Value lows = b.mul(low(x), low(y));
  const Value middle = b.add(b.mul(w.right(x, 32), low(y)), w.right(lows, 32));
  const Value other = b.add(b.mul(low(x), w.right(y, 32)), low(middle));
  return {b.add(b.add(b.mul(w.right(x, 32), w.right(y, 32)), w.right(middle, 32)), w.right(other, 32)), b.mul(x, y)};
}

Product multiply(const Words& w, Value x, uint64_t factor) {
  ir::Builder& b = w.b;
  if (w.type == DType::uint64) return multiply_64(b, x, w.of(factor));
  const Value whole = b.mul(b.cast(x, DType::uint64), b.constant(Scalar::of_uint(DType::uint64, factor)));
  return {b.cast(Words{b, DType::uint64}.right(whole, 32), DType::uint32), b.cast(whole, DType::uint32)};
}

/// J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011); ten rounds.
Four philox(const Words& w, Four c, Value key0, Value key1) {
  const bool wide = w.type == DType::uint64;
  const uint64_t factors[] = {wide ? 0xd2e7470ee14c6c93 : 0xd2511f53, wide ? 0xca5a826395121157 : 0xcd9e8d57};
  const uint64_t steps[] = {wide ? 0x9e3779b97f4a7c15 : 0x9e3779b9, wide ? 0xbb67ae8584caa73b : 0xbb67ae85};
  for (int round = 0; round < 10; ++round) {
    const Product x = multiply(w, c[0], factors[0]), y = multiply(w, c[2], factors[1]);
    c = {w.b.bit_xor(w.b.bit_xor(y.high, c[1]), key0), y.low, w.b.bit_xor(w.b.bit_xor(x.high, c[3]), key1), x.low};
    key0 = w.b.add(key0, w.of(steps[0]));
    key1 = w.b.add(key1, w.of(steps[1]));
  }
  return c;
}

/// The four words of a block; draws that differ in kind have different ones.
Four block_words(ir::Builder& b, DType word, const Value (&key)[2], Value block, IndexDraw draw) {
  const Words w{b, word};
  const auto kind = static_cast<uint64_t>(draw == IndexDraw::normal);
  if (word == DType::uint64) return philox(w, {block, w.of(kind), w.of(0), w.of(0)}, key[0], key[1]);
  const auto low = [&](Value v) { return b.cast(v, DType::uint32); };
  const auto high = [&](Value v) { return b.cast(Words{b, DType::uint64}.right(v, 32), DType::uint32); };
  return philox(w, {low(block), high(block), b.bit_xor(low(key[1]), w.of(kind)), high(key[1])}, low(key[0]), high(key[0]));
}

Value uniform(const Words& w, Value word) {
  if (w.type == DType::uint64) return w.b.mul(w.b.cast(w.right(word, 11), DType::float64), w.b.constant(DType::float64, 0x1p-53));
  return w.b.mul(w.b.cast(w.right(word, 8), DType::float32), w.b.constant(DType::float32, 0x1p-24));
}

/// a[0] + a[1] z + ...
template <size_t N>
Value polynomial(ir::Builder& b, Value z, const double (&a)[N]) {
  const DType type = b.type(z);
  Value sum = b.constant(type, a[N - 1]);
  for (size_t k = N - 1; k-- > 0;) sum = b.fma(sum, z, b.constant(type, a[k]));
  return sum;
}

/// Sine and cosine of f quarter turns, |f| <= 1/2; the long forms are those of ir/math/trigonometric.h.
std::array<Value, 2> sine_and_cosine(ir::Builder& b, Value f) {
  const Value z = b.mul(f, f);
  if (b.type(f) == DType::float64) {
    constexpr double sine[] = {0x1.921fb54442d18p+0, -0x1.4abbce625be47p-1, 0x1.466bc67758d76p-4, -0x1.32d2cce331f78p-8,
                               0x1.5078301a07d3bp-13, -0x1.e300a4fe8ee0fp-19, 0x1.e4034fe01b7a0p-25};
    constexpr double cosine[] = {1, -0x1.3bd3cc9be45dep+0, 0x1.03c1f081b5abcp-2, -0x1.55d3c7e3ca6fdp-6, 0x1.e1f5068528b15p-11,
                                 -0x1.a6d1edbb4dca6p-16, 0x1.f9cd2030ecda7p-22, -0x1.b2a1ea31817fdp-28};
    return {b.mul(f, polynomial(b, z, sine)), polynomial(b, z, cosine)};
  }
  constexpr double sine[] = {0x1.921fb6p+0, -0x1.4abbcep-1, 0x1.466bc6p-4, -0x1.32d2ccp-8, 0x1.507830p-13};
  constexpr double cosine[] = {1, -0x1.3bd3ccp+0, 0x1.03c1f0p-2, -0x1.55d3c8p-6, 0x1.e1f506p-11, -0x1.a6d1eep-16};
  return {b.mul(f, polynomial(b, z, sine)), polynomial(b, z, cosine)};
}

/// log of a float32 in (0, 1] that is not subnormal, to about an ulp: of x in [sqrt(1/2), sqrt(2)) and a power of two. Shorter
/// than the math library's, which takes any number.
Value short_log(ir::Builder& b, Value u) {
  constexpr double terms[] = {0x1.5556d8p-2, -0x1.000382p-2, 0x1.98d7f0p-3, -0x1.53824cp-3, 0x1.317470p-3, -0x1.2432aap-3, 0x1.645de2p-4};
  constexpr uint64_t root_half = 0x3f3504f3;
  const Words w{b, DType::uint32};
  const auto number = [&](double x) { return b.constant(DType::float32, x); };
  const Value bits = b.bitcast(u, DType::uint32);
  const Value exponent = b.binary(Opcode::shift_right, b.bitcast(b.sub(bits, w.of(root_half)), DType::int32), b.constant(DType::int32, 23));
  const Value x = b.sub(b.bitcast(b.sub(bits, w.left(b.bitcast(exponent, DType::uint32), 23)), DType::float32), number(1));
  const Value square = b.mul(x, x);
  const Value log = b.fma(b.mul(x, square), polynomial(b, x, terms), b.fma(square, number(-0.5), x));
  return b.fma(b.cast(exponent, DType::float32), number(0x1.62e430p-1), log);
}

/// Two standard normals by G. Box and M. Muller: a radius from the first word, a direction from the second, whose highest
/// bits choose among the four reflections of an eighth of a turn to either side.
std::array<Value, 2> normal_pair(const Words& w, Value first, Value second) {
  ir::Builder& b = w.b;
  const bool wide = w.type == DType::uint64;
  const DType real = wide ? DType::float64 : DType::float32;
  const auto number = [&](double x) { return b.constant(real, x); };
  const Value log = wide ? b.unary(Opcode::log1p, b.neg(uniform(w, first)))
                         : short_log(b, b.fma(b.cast(first, real), number(0x1p-32), number(0x1p-33)));
  const Value radius = b.sqrt(b.mul(number(-2), log));
  const Value turn = wide ? b.sub(b.cast(w.right(w.left(second, 2), 11), DType::int64), b.constant(DType::int64, 0x1p52))
                          : b.sub(b.cast(w.right(w.left(second, 2), 2), DType::int32), b.constant(DType::int32, 0x1p29));
  const auto [sine, cosine] = sine_and_cosine(b, b.mul(b.cast(turn, real), number(wide ? 0x1p-53 : 0x1p-30)));
  const Value sign = b.bit_and(second, w.of(wide ? uint64_t{1} << 63 : uint64_t{1} << 31));
  const Value swapped = b.ne(b.bit_and(second, w.of(wide ? uint64_t{1} << 62 : uint64_t{1} << 30)), w.of(0));
  const Value signed_radius = b.bitcast(b.bit_xor(b.bitcast(radius, w.type), sign), real);
  return {b.mul(signed_radius, b.select(swapped, sine, cosine)), b.mul(signed_radius, b.select(swapped, cosine, sine))};
}

Four numbers_of(ir::Builder& b, IndexDraw draw, DType dtype, const Value (&key)[2], Value block, Value low, Value range) {
  const Words w{b, dtype == DType::float32 ? DType::uint32 : DType::uint64};
  Four numbers = block_words(b, w.type, key, block, draw);
  if (draw == IndexDraw::normal) {
    for (size_t k = 0; k < 4; k += 2) {
      const auto [x, y] = normal_pair(w, numbers[k], numbers[k + 1]);
      numbers[k] = x;
      numbers[k + 1] = y;
    }
    return numbers;
  }
  for (Value& number : numbers) {
    if (draw == IndexDraw::uniform) number = uniform(w, number);
    else number = b.cast(b.add(low, b.select(b.eq(range, w.of(0)), number, multiply_64(b, number, range).high)), DType::int64);
  }
  return numbers;
}

}  // namespace

ir::Kernel index_draw_kernel(IndexDraw draw, DType dtype, bool staged) {
  constexpr int threads = index_draw_threads, warp = 32;
  Dense d(staged ? 2 : 1, "index_draw");
  ir::Builder& b = d.b;
  const uint32_t out = d.write(dtype);
  const auto bits = [&] { return b.cast(d.number(), DType::uint64); };
  const Value key[] = {bits(), bits()}, first = bits(), skip = d.number(), count = d.number();
  const bool ranged = draw == IndexDraw::integers;
  const Value low = ranged ? bits() : 0, range = ranged ? bits() : 0;
  const Value lane = staged ? b.add(b.mul(b.index(0), d.word(threads)), b.index(1)) : b.index(0);
  const Four numbers = numbers_of(b, draw, dtype, key, b.add(first, b.cast(lane, DType::uint64)), low, range);
  if (!staged) {
    for (int k = 0; k < 4; ++k) {
      const Value at = b.sub(b.add(b.mul(lane, d.word(4)), d.word(k)), skip);
      d.when(b.bit_and(b.ge(at, d.word(0)), b.lt(at, count)), [&] { d.store(out, numbers[static_cast<size_t>(k)], at); });
    }
    return b.take();
  }
  const auto small = [&](uint64_t x) { return b.constant(Scalar::of_uint(DType::uint32, x)); };
  const Value base = b.sub(b.mul(b.index(0), d.word(4 * threads)), skip);
  const Value lower = b.cast(b.max(b.neg(base), d.word(0)), DType::uint32);
  const Value inside = b.sub(b.cast(b.min(b.sub(count, base), d.word(4 * threads)), DType::uint32), lower);
  // A word more every 32, so that neither side meets a bank of shared memory twice.
  const uint32_t handed = b.add_array({dtype, 4 * threads + 4 * threads / warp, true});
  const auto slot = [&](Value place) { return b.cast(b.add(place, b.binary(Opcode::shift_right, place, small(5))), DType::int64); };
  const Value t = b.cast(b.index(1), DType::uint32), in_warp = b.bit_and(t, small(warp - 1)), mine = b.mul(t, small(4));
  for (size_t k = 0; k < 4; ++k) b.store_array(handed, numbers[k], slot(b.add(mine, small(k))));
  b.warp_barrier();
  const Value neighbours = b.add(b.mul(b.sub(t, in_warp), small(4)), in_warp);
  for (uint64_t k = 0; k < 4; ++k) {
    const Value place = b.add(neighbours, small(k * warp)), number = b.load_array(handed, slot(place));
    d.when(b.lt(b.sub(place, lower), inside), [&] { d.store(out, number, b.add(base, b.cast(place, DType::int64))); });
  }
  return b.take();
}

}  // namespace tessera::engine
