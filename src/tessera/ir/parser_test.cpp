#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tessera/base/error.h"
#include "tessera/ir/builder.h"
#include "tessera/ir/run_kernel.h"
#include "tessera/ir/user_kernels.h"

namespace tessera::ir {
namespace {

/// A kernel that uses every construct of the grammar.
Kernel rich_kernel() {
  Builder b(2, "rich");
  const uint32_t x = b.add_buffer({.dtype = f64, .ndim = 2, .inner = InnerStride::contiguous});
  const uint32_t z = b.add_buffer(
      {.dtype = f64, .ndim = 2, .writable = true, .streaming = true, .no_alias = false, .strides_like = 0});
  const uint32_t c = b.add_buffer({.dtype = DType::complex64, .ndim = 1});
  const uint32_t counts = b.add_buffer({.dtype = DType::int32, .ndim = 1, .writable = true});
  const uint32_t dt = b.add_scalar(DType::float32);
  const uint32_t shared = b.add_array({.dtype = f64, .size = 32, .shared = true});
  const uint32_t slot = b.add_flag_slot();
  const std::array at{b.index(0), b.index(1)};
  const Value v = b.load(x, at);
  const Value scaled = b.mul(v, b.cast(b.scalar(dt), f64));
  b.store_array(shared, scaled, at[1]);
  b.barrier();
  b.warp_barrier();
  b.store_array(shared, b.cast(b.ballot(b.gt(v, scaled)), f64), at[0]);
  const Value sum = b.reduce(ReduceKind::add, ReduceOrder::pairwise, b.constant(i64, 0), b.dimension(x, 1),
                             [&](Value k) { return b.load(x, std::array{at[0], k}); });
  const std::vector<Value> chosen = b.if_(
      b.lt(v, sum), [&](auto) { return std::vector<Value>{b.exp(v), at[0]}; },
      [&](auto) { return std::vector<Value>{b.constant(f64, -0.1), b.extent(1)}; });
  const std::array initial{chosen[0], v};
  const std::vector<Value> looped =
      b.for_(b.constant(i64, 0), chosen[1], b.constant(i64, 2), initial, [&](std::span<const Value> args) {
        return std::vector<Value>{args[2], b.add(args[1], b.constant(f64, __builtin_inf()))};
      });
  const std::array start{at[0]};
  b.while_(
      start, [&](std::span<const Value> args) { return std::vector<Value>{b.gt(args[0], b.constant(i64, 0))}; },
      [&](std::span<const Value> args) { return std::vector<Value>{b.sub(args[0], b.constant(i64, 1))}; });
  const Value z0 = b.load(c, std::array{at[0]});
  const Value magnitude = b.cast(b.abs(b.mul(z0, b.constant(Scalar::of_complex(DType::complex64, {0.5, -1})))), f64);
  b.atomic(AtomicKind::max, counts, b.constant(DType::int32, 7), std::array{at[0]});
  const Value total = b.add(b.add(looped[0], looped[1]), b.add(magnitude, b.load_array(shared, at[0])));
  b.check(ErrorRule::pole, slot, total, std::array{v});
  b.store(z, total, at, CacheHint::streaming, 8);
  b.store(z, b.select(b.is_aligned(x, at, 16), b.load(x, at, CacheHint::none, 16), total), at);
  return b.take();
}

TEST(Parser, reads_what_the_printer_writes) {
  const Kernel kernel = rich_kernel();
  verify(kernel);
  const std::string text = print(kernel);
  const Kernel back = parse(text);
  EXPECT_TRUE(back == kernel);
  EXPECT_EQ(structural_hash(back), structural_hash(kernel));
  EXPECT_EQ(back.name, kernel.name);
  EXPECT_EQ(print(back), text);
}

TEST(Parser, reads_what_the_printer_writes_of_votes_and_shuffles) {
  Builder b(1, "votes");
  const uint32_t counts = b.add_buffer({.dtype = DType::uint32, .ndim = 1, .writable = true});
  const std::array at{b.index(0)};
  const Value x = b.load(counts, at), mask = b.active_mask(), lane = b.constant(DType::int32, 3);
  Value all = b.bit_xor(b.ballot(b.gt(x, mask)), b.ballot(b.lt(x, mask), mask));
  all = b.bit_xor(all, b.bit_xor(b.match_byte(x), b.match_any(x, mask)));
  for (const ShuffleKind kind : {ShuffleKind::index, ShuffleKind::up, ShuffleKind::down, ShuffleKind::exchange})
    all = b.bit_xor(all, b.shuffle(kind, x, lane, mask, 8u << static_cast<int>(kind) / 2));
  for (const FenceScope scope : {FenceScope::block, FenceScope::device, FenceScope::system}) b.fence(scope);
  for (const Opcode op : {Opcode::leading_zeros, Opcode::reverse_bits})
    all = b.bit_xor(all, b.cast(b.unary(op, x), DType::uint32));
  b.warp_barrier(mask);
  all = b.bit_xor(all, b.cast(b.barrier_count(b.eq(all, x)), DType::uint32));
  for (const AtomicKind kind : {AtomicKind::min_num, AtomicKind::max_num, AtomicKind::increment, AtomicKind::decrement})
    all = b.atomic(kind, counts, all, at);
  const Kernel kernel = b.take();
  verify(kernel);
  const std::string text = print(kernel);
  for (const char* part :
       {"ballot.uint32 %", "shuffle.uint32 @8 up %", "shuffle.uint32 @16 exchange %", "fence system",
        "match_any.uint32 %", "active_mask.uint32", "barrier_count.int32 %", "atomic.uint32 @0 decrement"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const Kernel back = parse(text);
  EXPECT_TRUE(back == kernel);
  EXPECT_EQ(structural_hash(back), structural_hash(kernel));
  EXPECT_EQ(print(back), text);
}

TEST(Parser, keeps_the_part_of_an_atomic_and_known_extents) {
  Builder b(2);
  const uint32_t z = b.add_buffer({.dtype = DType::complex64, .ndim = 1, .writable = true});
  const std::array at{b.index(1)};
  const Value one = b.constant(DType::float32, 1);
  b.atomic(AtomicKind::add, z, one, at, true);
  b.compare_exchange(z, one, one, at);
  Kernel kernel = b.take();
  kernel.known_extents = {0, 4, 32};
  verify(kernel);
  const std::string text = print(kernel);
  EXPECT_NE(text.find("atomic.float32 @0 add imag %"), std::string::npos) << text;
  EXPECT_NE(text.find("extents 0 4 32"), std::string::npos) << text;
  const Kernel back = parse(text);
  EXPECT_TRUE(back == kernel);
  EXPECT_EQ(back.known_extent(0), 4);
  kernel.known_extents = {};
  EXPECT_FALSE(back == kernel);
}

TEST(Parser, keeps_the_kind_and_width_of_a_shuffle) {
  const auto shuffled = [](ShuffleKind kind, uint32_t width) {
    Builder b(1);
    const uint32_t z = b.add_buffer({.dtype = DType::float64, .ndim = 1, .writable = true});
    const std::array at{b.index(0)};
    const Value mask = b.constant(Scalar::of_int(DType::uint32, 1));
    b.store(z, b.shuffle(kind, b.load(z, at), b.constant(DType::int32, 1), mask, width), at);
    return b.take();
  };
  const Kernel up = shuffled(ShuffleKind::up, 32);
  EXPECT_TRUE(parse(print(up)) == up);
  Kernel fast = up;
  fast.fast_math = true;
  EXPECT_TRUE(parse(print(fast)) == fast);
  EXPECT_FALSE(fast == up);
  EXPECT_FALSE(parse(print(shuffled(ShuffleKind::down, 32))) == up);
  EXPECT_FALSE(parse(print(shuffled(ShuffleKind::up, 16))) == up);
}

TEST(Parser, reads_functions_in_other_code) {
  const std::string text =
      "kernel k 1 flags 0 {\n  buffer float32 1 read write strided no_alias\n"
      "  foreign f numba grid -> int16 (int64 bool)\n  foreign g ()\n  linked 18446744073709551615\n"
      "  %0 = index.int64 @0\n  %1 = constant.bool true\n  %2 = address.int64 @0 %0\n"
      "  %3 = call_foreign.int16 @0 %2 %1\n  %4 = call_foreign.int64 @1\n}\n";
  const Kernel kernel = parse(text);
  EXPECT_EQ(print(kernel), text);
  EXPECT_TRUE(meets_in_grid(kernel));
  EXPECT_EQ(print(compact(kernel)), text);
  Kernel other = kernel;
  other.linked = 1;
  EXPECT_FALSE(other == kernel);
  other = kernel;
  other.foreign[1].name = "h";
  EXPECT_FALSE(other == kernel);
}

TEST(Parser, reads_blocks_of_several_axes) {
  const Kernel kernel = matmul_kernel();
  const std::string text = print(kernel);
  EXPECT_TRUE(text.starts_with("kernel matmul 6 block 3 flags 0 {\n")) << text;
  const Kernel back = parse(text);
  EXPECT_EQ(back.block_axes, 3);
  EXPECT_TRUE(back == kernel && compact(back) == kernel);
  Kernel other = kernel;
  other.block_axes = 2;
  EXPECT_FALSE(other == kernel);
  EXPECT_NE(structural_hash(other), structural_hash(kernel));
}

TEST(Parser, keeps_special_constants_to_the_bit) {
  Builder b(1);
  const uint32_t z = b.add_buffer({.dtype = f64, .ndim = 1, .readable = false, .writable = true});
  for (double v : {-0.0, 5e-324, 1.7976931348623157e308, 0.1, __builtin_inf(), -__builtin_inf(), __builtin_nan("7")}) {
    b.store(z, b.constant(Scalar::of_float(f64, v)), std::array{b.index(0)});
  }
  const Kernel kernel = b.take();
  EXPECT_TRUE(parse(print(kernel)) == kernel);
}

std::string message_of(std::string_view text) {
  try {
    parse(text);
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Parser, errors_name_line_and_column) {
  EXPECT_EQ(message_of("kernel k 1 flags 0 {\n  %0 = indexx.int64 @0\n}"),
            "parse: line 2, column 8: expected an instruction at 'indexx.int64'");
  EXPECT_EQ(message_of("kernel k 1 flags 0 {\n  %1 = neg.int64 %0\n}"),
            "parse: line 2, column 18: expected a value that is defined at '%0'");
  EXPECT_EQ(message_of("kernel k 1 flags 0 {\n  %0 = index.int65 @0\n}"),
            "parse: line 2, column 14: expected a type at 'int65'");
  EXPECT_NE(message_of("kernel k 1 flags 0 {\n  %0 = index.int64 @4\n}").find("index refers to 4 of 1"),
            std::string::npos);
}

TEST(Parser, damaged_text_is_refused_or_still_a_valid_kernel) {
  const std::string text = print(rich_kernel());
  std::mt19937 random(11);
  const auto pick = [&](size_t n) { return random() % n; };
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = text;
    for (size_t edits = 1 + pick(4); edits-- > 0 && !damaged.empty();) {
      const size_t at = pick(damaged.size());
      switch (pick(5)) {
        case 0: damaged.erase(at, 1 + pick(10)); break;
        case 1: damaged.insert(at, 1, static_cast<char>(pick(256))); break;
        case 2: damaged[at] = static_cast<char>('0' + pick(10)); break;
        case 3: damaged.insert(at, text.substr(pick(text.size()), pick(40))); break;
        default: damaged.resize(at);
      }
    }
    try {
      const Kernel kernel = parse(damaged);
      verify(kernel);
      EXPECT_TRUE(parse(print(kernel)) == kernel);
      ++accepted;
    } catch (const ValueError&) {
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(Parser, random_bytes_are_refused) {
  std::mt19937 random(13);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 200, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    EXPECT_THROW(parse("kernel k 1 flags 0 {" + bytes), ValueError);
  }
}

}  // namespace
}  // namespace tessera::ir
