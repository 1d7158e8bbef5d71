#include "tessera/engine/engine.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tessera/base/error.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera {
namespace {

class EngineTest : public ::testing::TestWithParam<Settings::Compile> {
 protected:
  EngineTest() {
    engine_.settings().options().compile = GetParam();
    engine_.settings().apply_options();
  }
  Array make(std::span<const int64_t> shape, double start = 0, double step = 1) {
    Array array = engine_.empty(shape, DType::float64);
    auto* data = reinterpret_cast<double*>(engine_.write(array));
    for (int64_t i = 0; i < array.size(); ++i) data[i] = start + step * static_cast<double>(i);
    return array;
  }
  Array binary(const char* name, const Operand& a, const Operand& b) { return engine_.map(name, {a, b}); }
  Array unary(const char* name, const Array& a) { return engine_.map(name, {a}); }
  std::vector<double> values(const Array& array) {
    const Array dense = engine_.contiguous(array, DType::float64);
    const auto* data = reinterpret_cast<const double*>(engine_.read(dense));
    return {data, data + array.size()};
  }
  Array slice(const Array& a, int axis, int64_t start, int64_t count) {
    return a.with_view(a.view.slice(axis, start, 1, count));
  }

  Engine& engine_ = Engine::instance();
};

TEST(EnginesTest, EachHasItsOwnWindows) {
  Engine other;
  Engine& engine = Engine::instance();
  const int64_t shape[] = {1000};
  const auto doubled = [&](Engine& of, double value) {
    const Array full = of.full(shape, Scalar::of_float(DType::float64, value));
    return of.map("add", {full, full});
  };
  const Array a = doubled(engine, 1), b = doubled(other, 2), c = doubled(engine, 3);
  EXPECT_TRUE(other.settings().explain().find("add") != std::string::npos);
  EXPECT_EQ(reinterpret_cast<const double*>(other.read(b))[999], 4);
  EXPECT_TRUE(other.settings().explain().empty());
  EXPECT_EQ(reinterpret_cast<const double*>(engine.read(c))[999], 6);
  EXPECT_EQ(reinterpret_cast<const double*>(engine.read(a))[0], 2);
}

TEST_P(EngineTest, AChainOfOpsGivesTheSameAsOneByOne) {
  const int64_t shape[] = {1000};
  const Array a = make(shape), b = make(shape, 5, 0.5);
  const Array c = binary("multiply", binary("add", a, b), Operand(Scalar::of_float(DType::float64, 2.0)));
  const std::vector<double> got = values(c);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(got[i], (i + (5 + 0.5 * i)) * 2.0);
}

TEST_P(EngineTest, ALongChainOfFunctionsIsOneKernelWithTheSameBits) {
  const int64_t shape[] = {3000};
  const Array x = make(shape, 0.25, 0.001), y = make(shape, 2, 0.01);
  const auto chain = [&](auto after_each) {
    Array z = x;
    for (const char* name : {"exp",   "sin",  "absolute", "sqrt",  "arctan", "log",      "tanh", "cos",
                             "expm1", "cosh", "log1p",    "floor", "square", "negative", "exp2", "cbrt",
                             "tan",   "rint", "arcsinh",  "fabs",  "sinh",   "log2",     "sign"})
      after_each(z = unary(name, z));
    after_each(z = binary("multiply", binary("add", z, x), y));
    return values(z);
  };
  const std::vector<double> one_by_one = chain([&](const Array& z) { values(z); });
  const auto runs = [] {
    return profile::value(profile::Counter::kernels_interpreted) + profile::value(profile::Counter::kernels_native);
  };
  const int64_t before = runs();
  EXPECT_EQ(chain([](const Array&) {}), one_by_one);
  EXPECT_EQ(runs() - before, 1);
}

TEST_P(EngineTest, EveryLoopOfAKernelReportsItsEvents) {
  const int64_t shape[] = {3000};
  const Array x = make(shape, 1);
  engine_.take_reports();
  Array z = unary("sin", unary("cos", x));
  z = binary("add", unary("log", unary("exp", x)), z);  // exp overflows from 710 on
  values(unary("sqrt", unary("negative", unary("absolute", unary("tan", z)))));
  uint32_t events = 0;
  for (const FloatReport& report : engine_.take_reports()) events |= report.events;
  EXPECT_EQ(events, ir::event_overflow | ir::event_invalid);
}

TEST_P(EngineTest, AStencilWrittenInPlaceReadsTheOldValues) {
  const int64_t shape[] = {40, 50};
  Array grid = make(shape, 0, 0.25);
  std::vector<double> expected = values(grid);
  auto interior = [&](int di, int dj) { return slice(slice(grid, 0, 1 + di, 38), 1, 1 + dj, 48); };
  for (int step = 0; step < 20; ++step) {
    const std::vector<double> old = expected;
    for (int i = 1; i < 39; ++i) {
      for (int j = 1; j < 49; ++j) {
        auto at = [&](int r, int c) { return old[r * 50 + c]; };
        expected[i * 50 + j] = 0.2 * ((((at(i, j) + at(i - 1, j)) + at(i, j + 1)) + at(i, j - 1)) + at(i + 1, j));
      }
    }
    Array sum = binary("add", interior(0, 0), interior(-1, 0));
    sum = binary("add", sum, interior(0, 1));
    sum = binary("add", sum, interior(0, -1));
    sum = binary("add", sum, interior(1, 0));
    const Array average = binary("multiply", Operand(Scalar::of_float(DType::float64, 0.2)), sum);
    engine_.assign(interior(0, 0), average, {});
  }
  EXPECT_EQ(values(grid), expected);
}

TEST_P(EngineTest, AnOverlappingCopyBehavesAsIfTheSourceWereCopiedFirst) {
  const int64_t shape[] = {100};
  Array a = make(shape);
  engine_.assign(slice(a, 0, 1, 99), slice(a, 0, 0, 99), {});
  engine_.assign(slice(a, 0, 0, 10), slice(a, 0, 5, 10), {});
  std::vector<double> expected(100);
  for (int i = 0; i < 100; ++i) expected[i] = i ? i - 1 : 0;
  std::vector<double> before = expected;
  for (int i = 0; i < 10; ++i) expected[i] = before[i + 5];
  EXPECT_EQ(values(a), expected);
}

TEST_P(EngineTest, ACopyKeepsItsValuesWhenTheOriginalIsWritten) {
  const int64_t shape[] = {64};
  Array a = make(shape);
  const Array b = engine_.copy(a, DType::float64, Order::c);
  engine_.assign(slice(a, 0, 0, 8), Operand(Scalar::of_float(DType::float64, -1)), {});
  EXPECT_EQ(values(b)[0], 0);
  EXPECT_EQ(values(a)[0], -1);
  EXPECT_EQ(values(a)[8], 8);
}

TEST_P(EngineTest, SumsOverEveryAxisEqualAPlainLoopOnIntegers) {
  const int64_t shape[] = {7, 30, 11};
  const Array a = make(shape);
  const std::vector<double> data = values(a);
  const ops::Op& add = *ops::OpTable::standard().find("add");
  for (int mask = 1; mask < 8; ++mask) {
    std::vector<int> axes;
    for (int k = 0; k < 3; ++k) {
      if (mask >> k & 1) axes.push_back(k);
    }
    const Array twice = binary("add", a, a);
    const Array total = engine_.reduce(add, twice, {.axes = axes}, {});
    std::vector<double> expected(total.size(), 0.0);
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 30; ++j) {
        for (int k = 0; k < 11; ++k) {
          int64_t at = 0;
          if (!(mask & 1)) at = i;
          if (!(mask & 2)) at = at * 30 + j;
          if (!(mask & 4)) at = at * 11 + k;
          expected[at] += 2 * data[(i * 30 + j) * 11 + k];
        }
      }
    }
    EXPECT_EQ(values(total), expected) << mask;
  }
}

TEST_P(EngineTest, LongSumsAreCutIntoChunks) {
  const int64_t shape[] = {300000};
  const Array a = make(shape);
  const int axes[] = {0};
  const Array total = engine_.reduce(*ops::OpTable::standard().find("add"), a, {.axes = axes}, {});
  EXPECT_EQ(values(total)[0], 300000.0 * 299999.0 / 2);
  const int64_t tall[] = {100000, 3};
  const Array columns = engine_.reduce(*ops::OpTable::standard().find("add"), make(tall), {.axes = axes}, {});
  EXPECT_EQ(values(columns)[0], 3.0 * (100000.0 * 99999.0 / 2));
}

TEST_P(EngineTest, DivisionByZeroIsReportedOnceWithItsSite) {
  const int64_t shape[] = {10};
  const Array a = make(shape), b = make(shape);
  const ops::Op& divide = *ops::OpTable::standard().find("divide");
  const Operand operands[] = {Operand(Scalar::of_float(DType::float64, 1)), b};
  const ops::OperandType types[] = {{DType::float64}, {DType::float64}};
  Array out;
  engine_.take_reports();
  engine_.map(divide, ops::resolve(divide, types), operands, std::span(&out, 1), nullptr, {.site = 77});
  values(out);
  const std::vector<FloatReport> reports = engine_.take_reports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].site, 77u);
  EXPECT_EQ(reports[0].events, ir::event_divide);
}

TEST_P(EngineTest, OpsAreCalledByName) {
  const int64_t shape[] = {4};
  EXPECT_EQ(values(engine_.map("maximum", {make(shape), Operand(Scalar::of_float(DType::float64, 1.5))})),
            (std::vector<double>{1.5, 1.5, 2, 3}));
  EXPECT_THROW(engine_.map("maximun", {make(shape)}), ValueError);
}

TEST_P(EngineTest, RandomProgramsOfViewsAndWritesAgreeWithDirectEvaluation) {
  std::mt19937 random(12345);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int program = 0; program < 60; ++program) {
    constexpr int n = 48;
    const int64_t shape[] = {n};
    std::vector<Array> arrays;
    std::vector<std::vector<double>> mirror;
    for (int k = 0; k < 3; ++k) {
      arrays.push_back(make(shape, k, 1));
      mirror.push_back(values(arrays.back()));
    }
    for (int step = 0; step < 40; ++step) {
      const int x = pick(3), y = pick(3), z = pick(3);
      const int length = 1 + pick(n - 1);
      const int at_x = pick(n - length + 1), at_y = pick(n - length + 1), at_z = pick(n - length + 1);
      if (pick(6) == 0) {
        arrays[z] = engine_.copy(arrays[x], DType::float64, Order::c);
        mirror[z] = mirror[x];
        continue;
      }
      const Array sum = binary("subtract", slice(arrays[x], 0, at_x, length), slice(arrays[y], 0, at_y, length));
      std::vector<double> expected;
      for (int i = 0; i < length; ++i) expected.push_back(mirror[x][at_x + i] - mirror[y][at_y + i]);
      engine_.assign(slice(arrays[z], 0, at_z, length), sum, {});
      std::copy(expected.begin(), expected.end(), mirror[z].begin() + at_z);
      if (pick(10) == 0) {
        ASSERT_EQ(values(arrays[z]), mirror[z]) << "program " << program << " step " << step;
      }
    }
    for (int k = 0; k < 3; ++k) ASSERT_EQ(values(arrays[k]), mirror[k]) << "program " << program;
  }
}

TEST_P(EngineTest, APlanInUseOutlivesThousandsOfOthers) {
  const auto run = [&](int64_t n) {
    const int64_t shape[] = {n};
    EXPECT_EQ(values(binary("add", make(shape), Operand(Scalar::of_float(DType::float64, 1))))[0], 1);
  };
  run(10'000);
  for (int64_t n = 1; n < 9'000; ++n) {
    run(n);
    if (n % 1'000) continue;
    const int64_t before = profile::value(profile::Counter::plan_misses);
    run(10'000);
    EXPECT_EQ(profile::value(profile::Counter::plan_misses), before) << n;
  }
}

TEST_P(EngineTest, AWindowThatDoesNotFitInMemoryHasChangedNothing) {
  const int64_t shape[] = {1 << 18};
  Array a = make(shape);
  auto& pool = runtime::HostPool::instance();
  pool.set_limit(pool.statistics().bytes_in_use + (1 << 20));
  engine_.assign(slice(a, 0, 0, 100), Operand(Scalar::of_float(DType::float64, -1)), {});
  Array sum = binary("add", a, a);  // 2 MiB
  EXPECT_THROW(engine_.read(sum), OutOfMemory);
  EXPECT_THROW(engine_.read(sum), OutOfMemory);
  pool.set_limit(0);
  const std::vector<double> got = values(sum);
  EXPECT_EQ(got[0], -2);
  EXPECT_EQ(got[100], 200);
  EXPECT_EQ(values(a)[99], -1);
}

INSTANTIATE_TEST_SUITE_P(EveryTier, EngineTest,
                         ::testing::Values(Settings::Compile::never, Settings::Compile::before_baseline,
                                           Settings::Compile::before_quick, Settings::Compile::before_full));

}  // namespace
}  // namespace tessera
