#include "tessera/plan/wave.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tessera::plan {
namespace {

struct Access {
  int slot;
  int64_t offset;  // in elements of 8 bytes
  Dims strides;    // the same
};

/// Plans over existing memories, with kernels that store to the first access a value computed from all others.
class Plans {
 public:
  explicit Plans(std::initializer_list<int64_t> sizes) {
    for (int64_t size : sizes) plan.slots.push_back({.external = {0, 0}, .nbytes = 8 * size});
  }

  void kernel(Dims extents, std::vector<Access> accesses) {
    auto kernel = std::make_shared<ir::Kernel>();
    kernel->ndim = static_cast<uint8_t>(extents.size());
    Step step;
    for (size_t k = 0; k < accesses.size(); ++k) {
      kernel->buffers.push_back(
          {.dtype = DType::float64, .ndim = kernel->ndim, .readable = k > 0, .writable = k == 0, .streaming = k == 0});
      Binding binding{.slot = accesses[k].slot, .offset = 8 * accesses[k].offset, .dimensions = extents};
      for (int64_t stride : accesses[k].strides) binding.strides.push_back(8 * stride);
      step.kernel.buffers.push_back(std::move(binding));
    }
    step.kernel.kernel = std::move(kernel);
    step.kernel.extents = extents;
    step.kernel.elementwise = true;
    plan.steps.push_back(std::move(step));
  }

  /// Adds to the last step: elements [offset, offset + count) from one memory to another, `times` times, `stride`
  /// apart.
  void copy(int from, int to, int64_t offset, int64_t count, int64_t times = 1, int64_t stride = 0) {
    ByteBox box{.offset = 8 * offset, .nbytes = 8 * count};
    if (times > 1) box.counts = {times}, box.strides = {8 * stride};
    plan.steps.back().copies.push_back({.from = from, .to = to, .boxes = {box}});
  }

  /// Smooths an n x n plate from `from` to `to`; the edges are copied.
  void smooth(int64_t n, int from, int to) {
    const Dims rows{n, 1};
    kernel({n - 2, n - 2}, {{to, n + 1, rows},
                            {from, n + 1, rows},
                            {from, 1, rows},
                            {from, 2 * n + 1, rows},
                            {from, n, rows},
                            {from, n + 2, rows}});
    copy(from, to, 0, n + 1);
    copy(from, to, n * n - n - 1, n + 1);
    copy(from, to, 2 * n - 1, 2, n - 3, n);
  }

  Plan plan;
};

/// Executes a plan on memories in which each element identifies how it was computed.
class Machine {
 public:
  explicit Machine(const Plan& plan) : plan_(plan) {
    uint64_t seed = 1;
    for (const Slot& slot : plan.slots) {
      memories_.emplace_back(slot.nbytes / 8);
      for (uint64_t& element : memories_.back()) element = seed++ * 0x9E3779B97F4A7C15ull;
    }
  }

  void run_steps() {
    for (const Step& step : plan_.steps) {
      for (const CopyStep& copy : step.copies) {
        for (const ByteBox& box : copy.boxes) run_box(copy, box);
      }
      run_kernel(step.kernel, 0, step.kernel.extents[0]);
    }
  }

  /// Runs one row of a part.
  void run_row(const WavePart& part, int64_t row) {
    const Step& step = plan_.steps[part.step];
    if (part.copy < 0) {
      const int64_t extent = step.kernel.extents[0];
      int64_t begin = row * part.unit, end = std::min(extent, begin + part.unit);
      if (part.backwards) std::tie(begin, end) = std::pair(extent - end, extent - begin);
      return run_kernel(step.kernel, begin, end);
    }
    ByteBox box = step.copies[part.copy].boxes[part.box];
    if (part.axis >= 0) {
      box.offset += row * box.strides[part.axis];
      box.counts[part.axis] = 1;
    } else if (part.rows > 1) {
      box.offset += row * part.unit;
      box.nbytes = std::min(part.unit, box.nbytes - row * part.unit);
    }
    run_box(step.copies[part.copy], box);
  }

  const std::vector<std::vector<uint64_t>>& memories() const { return memories_; }

 private:
  void run_box(const CopyStep& copy, const ByteBox& box, size_t axis = 0, int64_t offset = 0) {
    if (axis < box.counts.size()) {
      for (int64_t k = 0; k < box.counts[axis]; ++k) run_box(copy, box, axis + 1, offset + k * box.strides[axis]);
      return;
    }
    const int64_t at = (box.offset + offset) / 8;
    std::copy_n(&memories_[copy.from][at], box.nbytes / 8, &memories_[copy.to][at]);
  }

  void run_kernel(const KernelStep& kernel, int64_t begin, int64_t end) {
    const int64_t inner = kernel.extents.size() > 1 ? kernel.extents[1] : 1;
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < inner; ++j) {
        const auto element = [&](const Binding& b) -> uint64_t& {
          const int64_t across = b.strides.size() > 1 ? j * b.strides[1] : 0;
          return memories_.at(b.slot).at((b.offset + i * b.strides[0] + across) / 8);
        };
        uint64_t value = 7;
        for (size_t k = 1; k < kernel.buffers.size(); ++k)
          value = (value ^ element(kernel.buffers[k])) * 0xD1342543DE82EF95ull + k;
        element(kernel.buffers[0]) = value;
      }
    }
  }

  const Plan& plan_;
  std::vector<std::vector<uint64_t>> memories_;
};

/// Runs rows of shares in an order that threads might use: repeatedly the next row of a share that its own parts allow.
void run_shares(const Wave& wave, const std::vector<WaveShare>& shares, Machine& machine, std::mt19937& random) {
  struct Next {
    std::vector<int64_t> row;  // by part
  };
  std::vector<Next> next(shares.size());
  int64_t left = 0;
  for (size_t s = 0; s < shares.size(); ++s) {
    for (const WaveRows& rows : shares[s]) next[s].row.push_back(rows.begin), left += rows.end - rows.begin;
  }
  const auto allowed = [&](size_t s, size_t p) {
    const int64_t row = next[s].row[p];
    if (row >= shares[s][p].end) return false;
    return std::all_of(wave.parts[p].after.begin(), wave.parts[p].after.end(), [&](const WaveOrder& order) {
      return next[s].row[order.part] > std::min(row + order.last, shares[s][order.part].end - 1);
    });
  };
  while (left > 0) {
    const size_t s = random() % shares.size(), p = random() % wave.parts.size();
    if (!allowed(s, p)) continue;
    machine.run_row(wave.parts[p], next[s].row[p]++);
    --left;
  }
}

void expect_waves_change_nothing(const Plan& plan, std::mt19937& random, int threads) {
  Machine steps(plan), waves(plan);
  steps.run_steps();
  size_t k = 0;
  const auto plain = [&](size_t end) {
    for (; k < end; ++k) {
      for (size_t c = 0; c < plan.steps[k].copies.size(); ++c)
        waves.run_row({.step = static_cast<int32_t>(k), .copy = static_cast<int32_t>(c), .box = 0, .axis = -1}, 0);
      waves.run_row({.step = static_cast<int32_t>(k), .unit = plan.steps[k].kernel.extents[0]}, 0);
    }
  };
  for (const Wave& wave : plan.waves) {
    plain(wave.first_step);
    const WaveShares shares = share_wave(wave, threads);
    run_shares(wave, shares.apart, waves, random);
    run_shares(wave, shares.seams, waves, random);
    k = wave.end_step;
  }
  plain(plan.steps.size());
  EXPECT_EQ(steps.memories(), waves.memories()) << print(plan);
}

TEST(Wave, IterationsOfAStencilLagARowBehindEachOther) {
  Plans plans{100 * 100, 100 * 100};
  for (int iteration = 0; iteration < 3; ++iteration) plans.smooth(100, iteration % 2, 1 - iteration % 2);
  find_waves(plans.plan, 16'000);
  ASSERT_EQ(plans.plan.waves.size(), 1);
  const Wave& wave = plans.plan.waves[0];
  EXPECT_EQ(wave.first_step, 0);
  EXPECT_EQ(wave.end_step, 3);
  // The kernels' rows: row 0 of each writes row 1 of the plate.
  EXPECT_EQ(wave.parts[3].start, 1);
  EXPECT_EQ(wave.parts[7].start, 2);
  EXPECT_EQ(wave.parts[11].start, 3);
  EXPECT_FALSE(plans.plan.steps[0].kernel.kernel->buffers[0].streaming);
}

TEST(Wave, WhatTheCachesHoldNeedsNone) {
  Plans plans{100 * 100, 100 * 100};
  for (int iteration = 0; iteration < 3; ++iteration) plans.smooth(100, iteration % 2, 1 - iteration % 2);
  find_waves(plans.plan, 1 << 20);
  EXPECT_TRUE(plans.plan.waves.empty());
  EXPECT_TRUE(plans.plan.steps[0].kernel.kernel->buffers[0].streaming);
}

TEST(Wave, AMirroredReaderEndsIt) {
  Plans plans{100 * 100, 100 * 100};
  plans.smooth(100, 0, 1);
  plans.smooth(100, 1, 0);
  plans.kernel({100, 100}, {{1, 0, {100, 1}}, {0, 9900, {-100, 1}}});
  plans.smooth(100, 1, 0);
  plans.smooth(100, 0, 1);
  find_waves(plans.plan, 16'000);
  ASSERT_EQ(plans.plan.waves.size(), 2);
  EXPECT_EQ(plans.plan.waves[0].end_step, 2);
  EXPECT_EQ(plans.plan.waves[1].first_step, 3);
}

TEST(Wave, EdgesWrittenBetweenIterationsComeAlong) {
  constexpr int64_t n = 100;
  Plans plans{n * n, n * n};
  for (int iteration = 0; iteration < 3; ++iteration) {
    const int to = 1 - iteration % 2;
    plans.smooth(n, iteration % 2, to);
    plans.kernel({n}, {{to, n - 1, {n}}, {to, n - 2, {n}}});              // last column
    plans.kernel({n}, {{to, 0, {1}}, {to, n, {1}}});                      // first row
    plans.kernel({n}, {{to, n * n - n, {1}}, {to, n * n - 2 * n, {1}}});  // last row
  }
  find_waves(plans.plan, 20'000);
  ASSERT_EQ(plans.plan.waves.size(), 1);
  EXPECT_EQ(plans.plan.waves[0].end_step, 12);
  std::mt19937 random(1);
  for (int threads : {1, 2, 3, 7}) expect_waves_change_nothing(plans.plan, random, threads);
}

/// A view of part of a plate of `rows` x `columns`: any row distance in either direction, or a single row or column.
Access random_view(std::mt19937& random, int slot, int64_t columns, int64_t rows, int64_t height, int64_t width,
                   bool flip) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const int64_t row = std::min<int64_t>(below(4), rows - height), column = below(columns - width + 1);
  if (flip) return {slot, (row + height - 1) * columns + column, {-columns, 1}};
  return {slot, row * columns + column, {columns, 1}};
}

TEST(Wave, RandomPlansComeOutTheSame) {
  int64_t waves = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    constexpr int64_t columns = 9, rows = 120;
    Plans plans{columns * rows, columns * rows, columns * rows};
    for (int step = 0; step < 10; ++step) {
      const int to = static_cast<int>(random() % 3), from = (to + 1 + static_cast<int>(random() % 2)) % 3;
      switch (random() % 8) {
        case 0:  // a row
          plans.kernel({columns}, {{to, static_cast<int64_t>(random() % rows) * columns, {1}},
                                   {from, static_cast<int64_t>(random() % rows) * columns, {1}}});
          break;
        case 1:  // a column
          plans.kernel({rows}, {{to, 0, {columns}}, {to, 1 + static_cast<int64_t>(random() % 3), {columns}}});
          break;
        case 2:  // all of it, as one run
          plans.kernel({columns * rows}, {{to, 0, {1}}, {from, 0, {1}}, {to, 0, {1}}});
          break;
        case 3:  // every second row
          plans.kernel({rows / 2, columns}, {{to, 0, {2 * columns, 1}}, {from, columns, {2 * columns, 1}}});
          break;
        default: {
          const bool flip = random() % 16 == 0;
          const int64_t height = rows - 4, width = columns - 2;
          std::vector<Access> views;
          for (int k = 0; k < 4; ++k)
            views.push_back(random_view(random, k == 0 ? to : from, columns, rows, height, width, flip));
          plans.kernel({height, width}, views);
          if (random() % 2) plans.copy(from, to, 0, columns - 1);
        }
      }
    }
    find_waves(plans.plan, 4096);
    waves += static_cast<int64_t>(plans.plan.waves.size());
    for (int threads : {1, 2, 3}) expect_waves_change_nothing(plans.plan, random, threads);
  }
  EXPECT_GT(waves, 150);  // most plans have no wave or one; without any the test would check nothing
}

}  // namespace
}  // namespace tessera::plan
