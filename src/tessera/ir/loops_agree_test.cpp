#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tessera/base/cpu_level.h"
#include "tessera/ir/loops/families.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {
namespace {

constexpr int64_t count = 541;  // covers the loops over four vectors, one vector and single elements at every level

std::vector<DType> real_types() {
  std::vector<DType> types;
  for (int t = 0; t <= static_cast<int>(DType::float64); ++t) types.push_back(static_cast<DType>(t));
  return types;
}

template <class T>
void fill_floats(char* bytes, std::mt19937_64& random) {
  const T specials[] = {0,
                        T(-0.0),
                        1,
                        -1,
                        std::numeric_limits<T>::infinity(),
                        -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::quiet_NaN(),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::max(),
                        T(0.5),
                        T(2),
                        T(-3),
                        T(1e5)};
  for (int64_t i = 0; i < count; ++i) {
    T value;
    if (i % 3 == 0) {
      value = specials[random() % std::size(specials)];
    } else if (i % 3 == 1) {
      value = static_cast<T>(std::ldexp(static_cast<double>(static_cast<int64_t>(random())), -60));
    } else {
      const uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof value);
    }
    std::memcpy(bytes + i * sizeof(T), &value, sizeof value);
  }
}

std::vector<char> sample(DType t, std::mt19937_64& random) {
  std::vector<char> bytes(count * itemsize(t));
  if (t == DType::float32) {
    fill_floats<float>(bytes.data(), random);
  } else if (t == DType::float64) {
    fill_floats<double>(bytes.data(), random);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      uint64_t bits = random();
      if (is_boolean(t)) bits &= 1;
      if (i % 2) bits = bits % 7 - 3;
      if (is_boolean(t)) bits &= 1;
      std::memcpy(bytes.data() + i * itemsize(t), &bits, itemsize(t));
    }
  }
  return bytes;
}

// All NaNs are equivalent: which one an operation gives is not defined.
template <class T>
void canonical_nans(std::vector<char>& bytes) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if (value != value) value = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

std::vector<char> canonical(std::vector<char> bytes, DType t) {
  if (t == DType::float32) canonical_nans<float>(bytes);
  if (t == DType::float64) canonical_nans<double>(bytes);
  if (t == DType::float16 || t == DType::bfloat16) {
    const uint16_t infinity = t == DType::float16 ? 0x7C00 : 0x7F80;
    for (size_t at = 0; at < bytes.size(); at += 2) {
      uint16_t h;
      std::memcpy(&h, bytes.data() + at, 2);
      if ((h & 0x7FFF) > infinity) h = infinity + 1;
      std::memcpy(bytes.data() + at, &h, 2);
    }
  }
  return bytes;
}

struct Case {
  Opcode op;
  std::vector<DType> in;
  DType out;
  std::string text() const {
    std::string s(name(op));
    for (DType t : in) s += " " + std::string(tessera::name(t));
    return s + " to " + std::string(tessera::name(out));
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (int k = 0; k < opcode_count; ++k) {
    const Opcode op = static_cast<Opcode>(k);
    const OpcodeInfo& row = info(op);
    for (DType t : real_types()) {
      if (accepts(op, t)) {
        std::vector<DType> in(static_cast<size_t>(row.operands), t);
        if (op == Opcode::ldexp) in[1] = DType::int32;
        cases.push_back({op, in, result_type(op, in)});
      }
      if (op == Opcode::select) cases.push_back({op, {DType::boolean, t, t}, t});
      if (op == Opcode::cast) {
        for (DType to : real_types()) {
          if (find_loop(op, t, to)) cases.push_back({op, {t}, to});
        }
      }
    }
  }
  return cases;
}

DType operand_of(const Case& c) { return c.op == Opcode::select ? c.in[1] : c.in[0]; }

/// Runs over the samples; neighbouring elements are `spread` elements apart, operand `fixed` (if any) has stride 0.
std::vector<char> run(Loop loop, const Case& c, const std::vector<std::vector<char>>& samples, int64_t spread,
                      int fixed = -1) {
  std::vector<std::vector<char>> wide;
  std::vector<char*> pointers;
  std::vector<int64_t> strides;
  for (size_t k = 0; k < c.in.size(); ++k) {
    const int64_t size = itemsize(c.in[k]);
    wide.emplace_back(count * size * spread);
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(wide[k].data() + i * size * spread, samples[k].data() + i * size, size);
    strides.push_back(static_cast<int>(k) == fixed ? 0 : size * spread);
  }
  const int64_t size = itemsize(c.out);
  std::vector<char> out(count * size * spread), dense(count * size);
  for (std::vector<char>& bytes : wide) pointers.push_back(bytes.data());
  pointers.push_back(out.data());
  strides.push_back(size * spread);
  loop(pointers.data(), strides.data(), count);
  for (int64_t i = 0; i < count; ++i) std::memcpy(dense.data() + i * size, out.data() + i * size * spread, size);
  return canonical(dense, c.out);
}

std::vector<std::vector<char>> samples_of(const Case& c) {
  std::mt19937_64 random(static_cast<uint64_t>(c.op) * 100 + static_cast<uint64_t>(c.out));
  std::vector<std::vector<char>> samples;
  for (DType t : c.in) samples.push_back(sample(t, random));
  return samples;
}

TEST(LoopsAgree, every_pure_opcode_has_a_loop_on_every_type_of_its_domain) {
  for (const Case& c : all_cases()) EXPECT_NE(find_loop(c.op, operand_of(c), c.out), nullptr) << c.text();
}

TEST(LoopsAgree, any_stride_gives_the_bits_of_contiguous_elements) {
  for (const Case& c : all_cases()) {
    const Loop loop = find_loop(c.op, operand_of(c), c.out);
    const auto samples = samples_of(c);
    const std::vector<char> dense = run(loop, c, samples, 1);
    EXPECT_EQ(run(loop, c, samples, 3), dense) << c.text();
    for (int fixed = 0; fixed < static_cast<int>(c.in.size()); ++fixed) {
      auto repeated = samples;
      const int64_t size = itemsize(c.in[fixed]);
      for (int64_t i = 1; i < count; ++i) std::memcpy(repeated[fixed].data() + i * size, repeated[fixed].data(), size);
      EXPECT_EQ(run(loop, c, samples, 1, fixed), run(loop, c, repeated, 1))
          << c.text() << ", operand " << fixed << " broadcast";
    }
  }
}

TEST(LoopsAgree, every_cpu_level_gives_the_same_bits) {
  for (const Case& c : all_cases()) {
    const DType operand = operand_of(c);
    const auto samples = samples_of(c);
    const std::vector<char> wanted = run(level_v2::find(c.op, operand, c.out), c, samples, 1);
    if (cpu_level() >= 3)
      EXPECT_EQ(run(level_v3::find(c.op, operand, c.out), c, samples, 1), wanted) << c.text() << " v3";
    if (cpu_level() >= 4)
      EXPECT_EQ(run(level_v4::find(c.op, operand, c.out), c, samples, 1), wanted) << c.text() << " v4";
  }
}

TEST(LoopsAgree, every_cpu_level_reduces_to_the_same_bits) {
  for (int k = 0; k <= static_cast<int>(ReduceKind::bit_xor); ++k) {
    const auto kind = static_cast<ReduceKind>(k);
    for (DType t : real_types()) {
      if (!accepts(combining_opcode(kind), t)) continue;
      std::mt19937_64 random(static_cast<uint64_t>(k));
      std::vector<char> values = sample(t, random);
      if (kind == ReduceKind::add && is_floating(t))
        values = sample(t == DType::float32 ? DType::int32 : DType::int64, random);
      for (const ReduceOrder order : {ReduceOrder::pairwise, ReduceOrder::sequential, ReduceOrder::pairwise_complex}) {
        const auto combine = [&](ReduceLoop loop, int64_t n) {
          std::vector<char> result(values.begin(), values.begin() + itemsize(t));
          loop(values.data(), itemsize(t), n, result.data());
          return canonical(result, t);
        };
        for (int64_t n : {1, 3, 9, 64, 129, 517}) {
          const std::vector<char> wanted = combine(level_v2::find_reduce(kind, order, t), n);
          if (cpu_level() >= 3)
            EXPECT_EQ(combine(level_v3::find_reduce(kind, order, t), n), wanted) << name(kind) << t << n;
          if (cpu_level() >= 4)
            EXPECT_EQ(combine(level_v4::find_reduce(kind, order, t), n), wanted) << name(kind) << t << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tessera::ir
