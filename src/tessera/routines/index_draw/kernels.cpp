#include "tessera/routines/index_draw/kernels.h"

#include "tessera/routines/dense.h"
#include "tessera/routines/word_arithmetic.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int cipher_rounds = 10;
constexpr uint32_t key_steps[] = {0x9e3779b9, 0xbb67ae85};

using Four = std::array<Value, 4>;

struct WideProduct {
  Value high, low;
};

/// The full 64-bit product of a 32-bit word and `factor`.
WideProduct multiply(ir::Builder& b, Value x, uint64_t factor) {
  const WordArithmetic w{b, DType::uint64};
  const Value whole = b.mul(b.cast(x, DType::uint64), w.of(factor));
  return {b.cast(w.right(whole, 32), DType::uint32), b.cast(whole, DType::uint32)};
}

/// The upper half of the product of 64-bit words, computed from their 32-bit halves.
Value high_product(ir::Builder& b, Value x, Value y) {
  const WordArithmetic w{b, DType::uint64};
  const auto low = [&](Value v) { return b.bit_and(v, w.of(0xffffffff)); };
  const Value lows = b.mul(low(x), low(y));
  const Value middle = b.add(b.mul(w.right(x, 32), low(y)), w.right(lows, 32));
  const Value other = b.add(b.mul(low(x), w.right(y, 32)), low(middle));
  return b.add(b.add(b.mul(w.right(x, 32), w.right(y, 32)), w.right(middle, 32)), w.right(other, 32));
}

/// J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011): Philox4x32-10.
Four philox(ir::Builder& b, Four c, const std::array<Value, 2 * cipher_rounds>& keys) {
  for (int round = 0; round < cipher_rounds; ++round) {
    const WideProduct x = multiply(b, c[0], 0xd2511f53), y = multiply(b, c[2], 0xcd9e8d57);
    c = {b.bit_xor(b.bit_xor(y.high, c[1]), keys[2 * round]), y.low,
         b.bit_xor(b.bit_xor(x.high, c[3]), keys[2 * round + 1]), x.low};
  }
  return c;
}

Value join(ir::Builder& b, Value low, Value high) {
  const WordArithmetic w{b, DType::uint64};
  return b.bit_or(w.left(b.cast(high, DType::uint64), 32), b.cast(low, DType::uint64));
}

/// In [0, 1).
Value uniform(const WordArithmetic& w, Value word) {
  if (w.type == DType::uint64)
    return w.b.mul(w.b.cast(w.right(word, 11), DType::float64), w.b.constant(DType::float64, 0x1p-53));
  return w.b.mul(w.b.cast(w.right(word, 8), DType::float32), w.b.constant(DType::float32, 0x1p-24));
}

/// The word's lowest 23 or 52 bits as the fraction of a number in [1, 2).
Value from_one_to_two(const WordArithmetic& w, Value word) {
  const bool wide = w.type == DType::uint64;
  const uint64_t fraction = wide ? (uint64_t{1} << 52) - 1 : (1 << 23) - 1,
                 one = wide ? uint64_t{0x3ff} << 52 : 0x3f800000;
  return w.b.bitcast(w.b.bit_or(w.b.bit_and(word, w.of(fraction)), w.of(one)), wide ? DType::float64 : DType::float32);
}

/// a[0] + a[1] z + ...
template <size_t N>
Value polynomial(ir::Builder& b, Value z, const double (&a)[N]) {
  const DType type = b.type(z);
  Value sum = b.constant(type, a[N - 1]);
  for (size_t k = N - 1; k-- > 0;) sum = b.fma(sum, z, b.constant(type, a[k]));
  return sum;
}

/// Sine and cosine of f * pi / 2, |f| <= 1/2: minimax fits.
std::array<Value, 2> sine_and_cosine(ir::Builder& b, Value f) {
  const Value z = b.mul(f, f);
  if (b.type(f) == DType::float64) {
    constexpr double sine[] = {0x1.921fb54442d18p+0,  -0x1.4abbce625be47p-1, 0x1.466bc67758d76p-4,
                               -0x1.32d2cce331f78p-8, 0x1.5078301a07d3bp-13, -0x1.e300a4fe8ee0fp-19,
                               0x1.e4034fe01b7a0p-25};
    constexpr double cosine[] = {1,
                                 -0x1.3bd3cc9be45dep+0,
                                 0x1.03c1f081b5abcp-2,
                                 -0x1.55d3c7e3ca6fdp-6,
                                 0x1.e1f5068528b15p-11,
                                 -0x1.a6d1edbb4dca6p-16,
                                 0x1.f9cd2030ecda7p-22,
                                 -0x1.b2a1ea31817fdp-28};
    return {b.mul(f, polynomial(b, z, sine)), polynomial(b, z, cosine)};
  }
  constexpr double sine[] = {0x1.921fb6p+0, -0x1.4abbcep-1, 0x1.466bc6p-4, -0x1.32d2ccp-8, 0x1.507830p-13};
  constexpr double cosine[] = {1, -0x1.3bd3ccp+0, 0x1.03c1f0p-2, -0x1.55d3c8p-6, 0x1.e1f506p-11, -0x1.a6d1eep-16};
  return {b.mul(f, polynomial(b, z, sine)), polynomial(b, z, cosine)};
}

/// -2 log u for u in (0, 1] that is not subnormal, to about an ulp: u is split into 1 + x in [sqrt(1/2), sqrt(2)) and a
/// power of two. Shorter than the math library's, which takes any number. The terms from x^3 on are minimax fits.
Value log_times_minus_2(const WordArithmetic& w, Value u) {
  constexpr double long_terms[] = {
      -0x1.55555555554d7p-1, 0x1.000000000f328p-1,  -0x1.99999999d69cdp-2, 0x1.5555553c938fep-2,  -0x1.249248ee3cf67p-2,
      0x1.0000074c1a863p-2,  -0x1.c71c97e54cc73p-3, 0x1.9997845989740p-3,  -0x1.745689c20c49ap-3, 0x1.557cf00d26e48p-3,
      -0x1.3bae659d76b64p-3, 0x1.232ad3b31c524p-3,  -0x1.095a5a7e0c4a1p-3, 0x1.0277634747801p-3,  -0x1.2121c3aa61d31p-3,
      0x1.10e8c0e223048p-3,  -0x1.f725ee47f99b5p-5};
  constexpr double short_terms[] = {-0x1.5556d8p-1, 0x1.000382p-1, -0x1.98d7f0p-2, 0x1.53824cp-2,
                                    -0x1.317470p-2, 0x1.2432aap-2, -0x1.645de2p-3};
  ir::Builder& b = w.b;
  const bool wide = w.type == DType::uint64;
  const DType real = b.type(u), exponent_type = wide ? DType::int64 : DType::int32;
  const int fraction_bits = wide ? 52 : 23;
  const auto number = [&](double x) { return b.constant(real, x); };
  const Value above = b.sub(b.bitcast(u, w.type), w.of(wide ? uint64_t{0x3fe6a09e} << 32 : 0x3f3504f3));  // sqrt(1/2)
  const Value exponent =
      b.binary(Opcode::shift_right, b.bitcast(above, exponent_type), b.constant(exponent_type, fraction_bits));
  const Value power = w.left(b.bitcast(exponent, w.type), fraction_bits);
  const Value x = b.sub(b.bitcast(b.sub(b.bitcast(u, w.type), power), real), number(1));
  const Value square = b.mul(x, x), terms = wide ? polynomial(b, x, long_terms) : polynomial(b, x, short_terms);
  const Value log = b.fma(b.mul(x, square), terms, b.fma(x, number(-2), square));
  return b.fma(b.cast(b.cast(exponent, DType::int32), real), number(-0x1.62e42fefa39efp+0), log);
}

/// Two standard normals (Box-Muller): the first word gives the radius, the second the angle, whose low bits give at
/// most pi / 4 to either side and whose two highest bits choose one of four reflections.
std::array<Value, 2> normal_pair(const WordArithmetic& w, Value first, Value second) {
  ir::Builder& b = w.b;
  const bool wide = w.type == DType::uint64;
  const DType real = wide ? DType::float64 : DType::float32;
  const auto number = [&](double x) { return b.constant(real, x); };
  const Value u = wide ? b.sub(from_one_to_two(w, first), number(1 - 0x1p-53))
                       : b.fma(b.cast(first, real), number(0x1p-32), number(0x1p-33));
  const Value radius = b.sqrt(log_times_minus_2(w, u));
  const auto [sine, cosine] = sine_and_cosine(b, b.sub(from_one_to_two(w, second), number(1.5)));
  const Value sign = b.bit_and(second, w.of(wide ? uint64_t{1} << 63 : uint64_t{1} << 31));
  const Value swapped = b.ne(b.bit_and(second, w.of(wide ? uint64_t{1} << 62 : uint64_t{1} << 30)), w.of(0));
  const Value signed_radius = b.bitcast(b.bit_xor(b.bitcast(radius, w.type), sign), real);
  return {b.mul(signed_radius, b.select(swapped, sine, cosine)), b.mul(signed_radius, b.select(swapped, cosine, sine))};
}

/// (number * 2^64 + more) * range / 2^128, rounded down.
Value scale_long(const WordArithmetic& w, Value number, Value more, Value range) {
  ir::Builder& b = w.b;
  const Value low = b.mul(number, range), sum = b.add(low, high_product(b, more, range));
  return b.add(high_product(b, number, range), b.select(b.lt(sum, low), w.of(1), w.of(0)));
}

/// `more`: the second words of long integers.
std::vector<Value> numbers_of(ir::Builder& b, IndexDraw draw, DType dtype, const Four& words, const Four& more,
                              Value low, Value range) {
  const WordArithmetic w{b, dtype == DType::float32 ? DType::uint32 : DType::uint64};
  std::vector<Value> numbers(words.begin(), words.end());
  if (w.type == DType::uint64) numbers = {join(b, words[0], words[1]), join(b, words[2], words[3])};
  for (size_t k = 0; draw == IndexDraw::normal && k < numbers.size(); k += 2) {
    const auto [x, y] = normal_pair(w, numbers[k], numbers[k + 1]);
    numbers[k] = x;
    numbers[k + 1] = y;
  }
  for (size_t k = 0; draw == IndexDraw::long_integers && k < numbers.size(); ++k)
    numbers[k] =
        b.cast(b.add(low, scale_long(w, numbers[k], join(b, more[2 * k], more[2 * k + 1]), range)), DType::int64);
  for (Value& number : numbers) {
    if (draw == IndexDraw::uniform) number = uniform(w, number);
    if (draw == IndexDraw::integers)
      number = b.cast(b.add(low, b.select(b.eq(range, w.of(0)), number, high_product(b, number, range))), DType::int64);
  }
  return numbers;
}

}  // namespace

std::vector<int64_t> draw_scalars(IndexDraw draw, DType dtype, const std::array<uint64_t, 2>& key,
                                  uint64_t first_block) {
  const auto low = [](uint64_t word) { return static_cast<uint32_t>(word); };
  std::vector<int64_t> scalars;
  uint32_t of_round[] = {low(key[0]), low(key[0] >> 32)};
  for (int round = 0; round < cipher_rounds; ++round) {
    for (int k = 0; k < 2; ++k) {
      scalars.push_back(of_round[k]);
      of_round[k] += key_steps[k];
    }
  }
  const uint32_t kind =
      static_cast<uint32_t>(draw == IndexDraw::normal) | static_cast<uint32_t>(dtype != DType::float32) << 1;
  scalars.insert(scalars.end(), {low(key[1]) ^ kind, low(key[1] >> 32), static_cast<int64_t>(first_block)});
  return scalars;
}

ir::Kernel index_draw_kernel(IndexDraw draw, DType dtype, bool whole) {
  Dense d(1, "index_draw");
  ir::Builder& b = d.b;
  const uint32_t out = b.add_buffer({.dtype = dtype,
                                     .ndim = 1,
                                     .readable = false,
                                     .writable = true,
                                     .inner = ir::InnerStride::contiguous,
                                     .aligned = whole});
  // Devices read word parameters directly as operands; the host's vector code is faster with few values shared by all
  // lanes.
  const auto word = [&] { return whole ? b.scalar(b.add_scalar(DType::uint32)) : b.cast(d.number(), DType::uint32); };
  std::array<Value, 2 * cipher_rounds> keys;
  for (Value& key : keys) key = word();
  for (int k = 2; !whole && k < 2 * cipher_rounds; ++k)
    keys[k] = b.add(keys[k - 2], b.constant(Scalar::of_uint(DType::uint32, key_steps[k % 2])));
  const auto bits = [&] { return b.cast(d.number(), DType::uint64); };
  const Value upper[] = {word(), word()}, first = bits(), skip = d.number(), count = d.number();
  const bool is_long = draw == IndexDraw::long_integers, ranged = is_long || draw == IndexDraw::integers;
  const Value low = ranged ? bits() : 0, range = ranged ? bits() : 0;
  const Value block = b.add(first, b.cast(b.index(0), DType::uint64));
  const Value counter[] = {b.cast(block, DType::uint32),
                           b.cast(WordArithmetic{b, DType::uint64}.right(block, 32), DType::uint32)};
  const Four words = philox(b, {counter[0], counter[1], upper[0], upper[1]}, keys);
  const Value upper_of_more = is_long ? b.bit_xor(upper[0], b.constant(Scalar::of_uint(DType::uint32, 4))) : 0;
  const Four more = is_long ? philox(b, {counter[0], counter[1], upper_of_more, upper[1]}, keys) : Four{};
  const std::vector<Value> numbers = numbers_of(b, draw, dtype, words, more, low, range);
  const Value begin = b.mul(b.index(0), d.word(numbers_a_block(dtype)));
  const auto store = [&](int64_t k, bool inside) {
    const Value at = b.add(begin, d.word(k)), number = numbers[static_cast<size_t>(k)];
    if (inside) return d.store(out, number, at);
    const Value place = b.sub(at, skip);
    d.when(b.bit_and(b.ge(place, d.word(0)), b.lt(place, count)), [&] { d.store(out, number, place); });
  };
  const auto store_all = [&](bool inside) {
    for (int64_t k = 0; k < numbers_a_block(dtype); ++k) store(k, inside);
    return std::vector<Value>{};
  };
  if (whole)
    b.if_(
        b.le(b.add(begin, d.word(numbers_a_block(dtype))), count), [&](auto) { return store_all(true); },
        [&](auto) { return store_all(false); });
  else
    store_all(false);
  return b.take();
}

}  // namespace tessera::routines
