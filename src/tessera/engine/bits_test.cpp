#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tessera/engine/engine.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {
namespace {

#ifdef TESSERA_ONLY_INTERPRETED
constexpr Settings::Compile tiers[] = {Settings::Compile::never};
#else
constexpr Settings::Compile tiers[] = {Settings::Compile::never, Settings::Compile::before_baseline,
                                       Settings::Compile::before_quick, Settings::Compile::before_full};
#endif

constexpr int64_t length = 70'003;  // split between threads, and not a multiple of any vector length

/// Sample values for an op: its sample range, integers in it and, for floats, all special values.
class Samples {
 public:
  Samples(const ops::Op& op, unsigned seed) : random_(seed), low_(op.samples.low), high_(op.samples.high) {}

  Array make(Engine& engine, DType dtype) {
    const int64_t shape[] = {length};
    if (is_complex(dtype)) {
      const int64_t parts[] = {length, 2};
      Array both = engine.contiguous(fill(engine, parts), real_dtype(dtype));
      both = engine.copy(both, both.dtype(), Order::c);
      Array out = engine.empty(shape, dtype);
      std::memcpy(engine.write(out), engine.read(both), static_cast<size_t>(length * itemsize(dtype)));
      return out;
    }
    if (is_floating(dtype)) return engine.contiguous(fill(engine, shape), dtype);
    Array out = engine.empty(shape, dtype);
    char* data = engine.write(out);
    for (int64_t k = 0; k < length; ++k) {
      const auto value = static_cast<int64_t>(is_boolean(dtype) ? random_() & 1 : integer());
      std::memcpy(data + k * itemsize(dtype), &value, static_cast<size_t>(itemsize(dtype)));
    }
    return out;
  }

 private:
  Array fill(Engine& engine, std::span<const int64_t> shape) {
    constexpr double inf = INFINITY;
    static constexpr double special[] = {0.0,    -0.0,    1.0,    -1.0,  inf,     -inf,     NAN,
                                         5e-324, -5e-324, 1e-310, 1e-40, 1.7e308, -1.7e308, 0.5};
    Array out = engine.empty(shape, DType::float64);
    auto* data = reinterpret_cast<double*>(engine.write(out));
    for (int64_t k = 0; k < out.size(); ++k) {
      const uint64_t draw = random_();
      data[k] = draw % 16 == 0 ? special[draw / 16 % std::size(special)]
                               : std::uniform_real_distribution(low_, high_)(random_);
      if (draw % 16 == 1) data[k] = std::rint(data[k]);
    }
    return out;
  }
  /// Mostly small, for shifts and powers; sometimes arbitrary bits.
  int64_t integer() {
    const uint64_t draw = random_();
    return draw % 8 ? static_cast<int64_t>(draw / 8 % 40) - 8 : static_cast<int64_t>(draw);
  }

  std::mt19937_64 random_;
  double low_, high_;
};

/// The elements' bytes, with every NaN replaced by the same one.
std::vector<char> bits(Engine& engine, const Array& array) {
  const Array dense = engine.contiguous(array);
  const char* data = engine.read(dense);
  std::vector<char> out(data, data + dense.size() * itemsize(dense.dtype()));
  const auto canonical = [&](auto word, auto magnitude, auto infinity) {
    using Word = decltype(word);
    for (size_t at = 0; at < out.size(); at += sizeof(Word)) {
      std::memcpy(&word, &out[at], sizeof word);
      if (static_cast<Word>(word & magnitude) > infinity) word = magnitude;
      std::memcpy(&out[at], &word, sizeof word);
    }
  };
  switch (is_complex(dense.dtype()) ? real_dtype(dense.dtype()) : dense.dtype()) {
    case DType::float16: canonical(uint16_t{}, uint16_t{0x7FFF}, uint16_t{0x7C00}); break;
    case DType::bfloat16: canonical(uint16_t{}, uint16_t{0x7FFF}, uint16_t{0x7F80}); break;
    case DType::float32: canonical(uint32_t{}, uint32_t{0x7FFFFFFF}, uint32_t{0x7F800000}); break;
    case DType::float64: canonical(uint64_t{}, uint64_t{0x7FFFFFFFFFFFFFFF}, uint64_t{0x7FF0000000000000}); break;
    default: break;
  }
  return out;
}

class Bits : public ::testing::Test {
 protected:
  struct Execution {
    Settings::Compile compile;
    int threads;
  };
  void TearDown() override {
    runtime::set_thread_count(threads_);
    engine_.settings().options().compile = Settings::Compile::when_hot;
    engine_.settings().apply_options();
  }
  void set(const Execution& execution) {
    runtime::set_thread_count(execution.threads);
    if (engine_.settings().options().compile == execution.compile) return;
    engine_.settings().options().compile = execution.compile;
    engine_.settings().apply_options();
  }

  /// Runs `work` in every execution mode and compares the results with the interpreter's on one thread.
  template <class Work>
  void expect_same_bits(const std::string& what, Work work) {
    std::vector<std::vector<char>> expected;
    for (const Settings::Compile compile : tiers) {
      for (int threads : {1, 2, 3}) {
        set({compile, threads});
        const std::vector<std::vector<char>> got = work();
        if (expected.empty()) expected = got;
        for (size_t k = 0; k < got.size(); ++k) {
          if (got[k] == expected[k]) continue;
          const size_t at = static_cast<size_t>(std::mismatch(got[k].begin(), got[k].end(), expected[k].begin()).first -
                                                got[k].begin());
          ADD_FAILURE() << what << ", case " << k << ", tier " << static_cast<int>(compile) << ", " << threads
                        << " threads: bytes differ from " << at;
        }
      }
    }
  }

  Engine& engine_ = Engine::instance();
  const int threads_ = runtime::thread_count();
};

std::string describe(const ops::Op& op, const ops::Signature& signature) {
  std::string text(op.name);
  for (DType dtype : signature.in) text += " " + std::string(name(dtype));
  return text;
}

TEST_F(Bits, EveryLoopOfEveryOpIsTheSameInEveryTierAndOnAnyThreads) {
  const Context quiet{.errors = {ErrorMode::ignore, ErrorMode::ignore, ErrorMode::ignore, ErrorMode::ignore}};
  for (const ops::Op& op : ops::OpTable::standard()) {
    if (op.vendor_bits || !op.body) continue;
    std::vector<std::vector<Operand>> operands;
    Samples samples(op, op.id + 1u);
    for (const ops::Signature& signature : op.signatures) {
      operands.emplace_back();
      for (DType dtype : signature.in) operands.back().push_back(samples.make(engine_, dtype));
    }
    expect_same_bits(std::string(op.name), [&] {
      std::vector<std::vector<char>> results;
      for (size_t s = 0; s < op.signatures.size(); ++s) {
        std::vector<Array> out(op.nout);
        engine_.map(op, op.signatures[s], operands[s], out, nullptr, quiet);
        for (const Array& array : out) results.push_back(bits(engine_, array));
      }
      return results;
    });
    if (HasFailure()) {
      size_t result = 0;
      for (const ops::Signature& signature : op.signatures) {
        for (int k = 0; k < op.nout; ++k) std::printf("  case %zu: %s\n", result++, describe(op, signature).c_str());
      }
      return;
    }
  }
}

TEST_F(Bits, EveryReductionIsTheSameInEveryTierAndOnAnyThreads) {
  for (const ops::Op& op : ops::OpTable::standard()) {
    for (const ops::Signature& signature : op.signatures) {
      if (signature.in.size() != 2 || signature.in[0] != signature.in[1]) continue;
      const std::optional<ir::ReduceKind> kind = ops::reduce_kind_of(op, signature.in[0]);
      if (!kind || !op.reduce) continue;
      const Array flat = Samples(op, 5).make(engine_, signature.in[0]);
      const auto shaped = [&](Dims shape, Dims strides) {
        for (int64_t& stride : strides) stride *= itemsize(flat.dtype());
        return flat.with_view(
            View{.shape = shape, .strides = strides, .offset = flat.view.offset, .dtype = flat.dtype()});
      };
      // Long and short, along rows, across rows, both, every second element, a transposed block.
      struct Case {
        Array array;
        std::vector<int> axes;
      };
      const Case cases[] = {{flat, {0}},
                            {shaped({35'001}, {2}), {0}},
                            {shaped({233, 300}, {300, 1}), {1}},
                            {shaped({233, 300}, {300, 1}), {0}},
                            {shaped({300, 233}, {1, 300}), {0, 1}},
                            {shaped({35'000, 2}, {2, 1}), {0}},
                            {shaped({2, 35'000}, {35'000, 1}), {1}},
                            {shaped({17, 41, 100}, {4100, 100, 1}), {0, 2}}};
      expect_same_bits(describe(op, signature), [&] {
        std::vector<std::vector<char>> results;
        for (const Case& one : cases)
          results.push_back(bits(engine_, engine_.reduce(op, one.array, {.axes = one.axes}, {})));
        return results;
      });
      if (HasFailure()) return;
    }
  }
}

TEST_F(Bits, SquaresAboutMeansAreTheSameInEveryTierAndOnAnyThreads) {
  constexpr int64_t count = (1 << 22) + 9601;
  const int64_t shape[] = {count};
  std::mt19937_64 random(3);
  for (DType dtype : {DType::float64, DType::float32}) {
    Array flat = engine_.empty(shape, DType::float64);
    auto* data = reinterpret_cast<double*>(engine_.write(flat));
    for (int64_t k = 0; k < count; ++k) data[k] = std::normal_distribution(1e6, 30.0)(random);
    flat = engine_.copy(flat, dtype, Order::c);
    const auto shaped = [&](Dims extents) { return flat.with_view(View::contiguous(extents, dtype)); };
    const Array cases[] = {shaped({1, count, 1}), shaped({1, 9001, 467}), shaped({467, 9001, 1}),
                           shaped({1, 1'398'200, 3}), shaped({2, 42'001, 50})};
    expect_same_bits("squares about means", [&] {
      std::vector<std::vector<char>> results;
      for (const Array& one : cases)
        results.push_back(
            bits(engine_, engine_.call(engine_.routine("squares_about_mean"), std::span(&one, 1), {dtype}, {})[0]));
      return results;
    });
  }
}

}  // namespace
}  // namespace tessera
