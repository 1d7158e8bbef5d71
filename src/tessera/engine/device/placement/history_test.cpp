// Histories that are hard on placement: what it decides, one operation after the other, against the best that could
// have been decided by who knows all of them, in seconds of the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/placement/credits.h"
#include "tessera/engine/device/run/simulated_device.h"
#include "tessera/plan/place.h"

namespace tessera::engine {
namespace {

constexpr plan::MachineFacts history_machine{.to_device = 1e9, .to_host = 1e9, .synchronise = 0, .copy_start = 0};
constexpr int64_t array_bytes = 1 << 20;
constexpr double one_move = array_bytes / 1e9;

struct Operation {
  std::vector<int> reads;
  int writes = -1;  // also read
  double host = 0, device = 0;
};
using History = std::vector<Operation>;

std::vector<int> operands_of(const Operation& operation) {
  std::vector<int> all = operation.reads;
  if (operation.writes >= 0) all.push_back(operation.writes);
  return all;
}

/// What the engine does: credits kept with the arrays, one decision an operation.
double seconds_decided(const History& history, int arrays) {
  eager::install_memory_hooks();
  runtime::Device& device = simulated_device();
  Origins origins;
  std::vector<Ref<graph::Version>> versions;
  for (int k = 0; k < arrays; ++k) {
    versions.push_back(eager::make_settled(array_bytes));
    versions.back()->origin = origins.enter(static_cast<uint64_t>(k) + 1, array_bytes);
  }
  plan::Regret regret;
  double seconds = 0;
  for (const Operation& operation : history) {
    OperandCredits stakes(origins, history_machine);
    for (const int k : operands_of(operation)) stakes.add(*versions[static_cast<size_t>(k)]);
    const plan::OperandSums sums = stakes.sums(nullptr, nullptr);
    const plan::Weighed weighed = plan::weigh({.host = operation.host, .device = operation.device}, sums);
    const bool there = plan::choose_device(weighed.question, regret) == plan::Choice::device;
    stakes.settle(there, weighed.question.saving, weighed.question.copying_back);
    seconds += there ? operation.device : operation.host;
    for (const int k : operands_of(operation)) {
      graph::Version& version = *versions[static_cast<size_t>(k)];
      if (there ? !version.on_devices : !version.data) seconds += one_move;
      there ? static_cast<void>(on_device(version, device)) : static_cast<void>(copy_to_host(version));
    }
    if (operation.writes < 0) continue;
    Ref<graph::Version>& written = versions[static_cast<size_t>(operation.writes)];
    Ref<graph::Version> result = eager::make_settled(array_bytes);
    if (there) set_device_buffer(*result, device.allocate(array_bytes));
    inherit(*result, *written, there);
    for (const int k : operation.reads) inherit(*result, *versions[static_cast<size_t>(k)], there);
    written = std::move(result);
  }
  return seconds;
}

/// The least seconds by which the history can be run: for each state of the arrays (1: on the host, 2: on the device,
/// 3: both), the best way there.
double seconds_at_best(const History& history, int arrays) {
  std::map<int, double> best{{0, 0.0}};
  for (int k = 0, scale = 1; k < arrays; ++k, scale *= 4) best = {{best.begin()->first + scale, 0.0}};
  const auto part = [](int state, int k) { return state >> (2 * k) & 3; };
  for (const Operation& operation : history) {
    std::map<int, double> next;
    for (const auto& [state, seconds] : best) {
      for (const int place : {1, 2}) {
        int after = state;
        double total = seconds + (place == 1 ? operation.host : operation.device);
        for (const int k : operands_of(operation)) {
          if (!(part(after, k) & place)) total += one_move;
          after |= place << (2 * k);
        }
        if (operation.writes >= 0) after = (after & ~(3 << (2 * operation.writes))) | place << (2 * operation.writes);
        const auto at = next.try_emplace(after, std::numeric_limits<double>::infinity()).first;
        at->second = std::min(at->second, total);
      }
    }
    best = std::move(next);
  }
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [state, seconds] : best) least = std::min(least, seconds);
  return least;
}

History repeated(const History& body, int times) {
  History history;
  for (int k = 0; k < times; ++k) history.insert(history.end(), body.begin(), body.end());
  return history;
}

struct Hostile {
  const char* name;
  int arrays;
  History history;
};

/// Operations for the device save three quarters of a move, those for the host as much.
const Operation for_device(std::vector<int> reads, int writes, double host = 0.8 * one_move) {
  return {std::move(reads), writes, host, 0.05 * one_move};
}
const Operation for_host(std::vector<int> reads, int writes, double device = 0.8 * one_move) {
  return {std::move(reads), writes, 0.05 * one_move, device};
}

std::vector<Hostile> hostile() {
  std::vector<Hostile> all;
  all.push_back({"one_array_in_a_loop", 1, repeated({for_device({0}, 0)}, 100)});
  all.push_back(
      {"written_on_the_host_and_read_by_the_device", 1, repeated({for_host({}, 0), for_device({0}, -1)}, 100)});
  all.push_back(
      {"written_on_the_device_and_read_by_the_host", 1, repeated({for_device({}, 0), for_host({0}, -1)}, 100)});
  all.push_back(
      {"arrays_that_alternate", 3, repeated({for_device({0}, -1), for_device({1}, -1), for_device({2}, -1)}, 60)});
  all.push_back({"operands_that_are_shared", 3, repeated({for_device({0, 1}, 1), for_host({0, 2}, 2)}, 100)});
  all.push_back({"phases_that_change_sides", 2,
                 repeated(
                     [] {
                       History phases = repeated({for_device({0}, 1)}, 12);
                       const History back = repeated({for_host({1}, 0)}, 12);
                       phases.insert(phases.end(), back.begin(), back.end());
                       return phases;
                     }(),
                     10)});
  all.push_back(
      {"just_before_it_is_repaid", 1,
       repeated({for_device({0}, -1, 0.55 * one_move), for_device({0}, -1, 0.55 * one_move), for_host({}, 0)}, 60)});
  all.push_back({"just_after_it_is_repaid", 1,
                 repeated({for_device({0}, -1, 0.4 * one_move), for_device({0}, -1, 0.4 * one_move),
                           for_device({0}, -1, 0.4 * one_move), for_host({}, 0)},
                          60)});
  all.push_back({"a_chain_of_new_arrays", 3,
                 repeated({for_device({0}, 1), for_device({1}, 2), for_host({2}, -1, 2 * one_move)}, 60)});
  return all;
}

class HostileHistories : public testing::TestWithParam<Hostile> {};

TEST_P(HostileHistories, cost_at_most_three_times_the_best_and_a_move) {
  const Hostile& hostile = GetParam();
  const double decided = seconds_decided(hostile.history, hostile.arrays),
               best = seconds_at_best(hostile.history, hostile.arrays);
  EXPECT_LE(decided, 3 * best + one_move) << decided / best << " times the best";
  RecordProperty("ratio", std::to_string(decided / best));
}

INSTANTIATE_TEST_SUITE_P(All, HostileHistories, testing::ValuesIn(hostile()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tessera::engine
