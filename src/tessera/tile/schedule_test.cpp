#include "tessera/tile/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "tessera/tile/cut.h"

namespace tessera::tile {
namespace {

/// Rows [first, first + lanes) of a matrix of rows of `row` bytes.
Access rows(int32_t slot, int64_t first, int64_t lanes, int64_t row, bool writes) {
  return {.slot = slot,
          .writes = writes,
          .offset = first * row,
          .stride = row,
          .elements = 1,
          .length = lanes,
          .inside = {0, row}};
}

TEST(ScheduleTest, AStencilGetsTheRowsNextToItsOwn) {
  SlotState known{.nbytes = 1000, .row = 100, .owned = cut_evenly(1000, 100, 2)};
  known.valid = {Ranges(known.owned[0]), Ranges(known.owned[1])};
  const SlotState fresh{.nbytes = 1000, .row = 100, .is_undefined = true};
  const Step step{.moves = {{.from = 0, .to = 1, .boxes = {{0, 100}, {900, 1000}}}},
                  .lanes = 8,
                  .accesses = {rows(0, 0, 8, 100, false), rows(0, 2, 8, 100, false), rows(1, 1, 8, 100, true)}};
  EXPECT_EQ(print(make_schedule({known, fresh}, {step}, 2)),
            "step 0 move 0: place 0 copies [0, 100)\n"
            "step 0 move 0: place 1 copies [900, 1000)\n"
            "slot 0 [500, 600): place 1 to place 0\n"
            "slot 0 [400, 500): place 0 to place 1\n"
            "step 0: place 0 runs lanes [0, 4)\n"
            "step 0: place 1 runs lanes [4, 8)\n"
            "slot 0 at place 0: holds [0, 600), owns [0, 500), has [0, 600)\n"
            "slot 0 at place 1: holds [400, 1000), owns [500, 1000), has [400, 1000)\n"
            "slot 1 at place 0: holds [0, 500), owns [0, 500), has [0, 500)\n"
            "slot 1 at place 1: holds [500, 1000), owns [500, 1000), has [500, 1000)\n");
}

/// What places do of a step that reads each row's neighbours and writes the row between them, of a matrix that the host
/// has.
std::string neighbours(int64_t rows_of_all, int places) {
  const SlotState known{.nbytes = rows_of_all * 100, .row = 100, .on_host = true},
      fresh{.nbytes = rows_of_all * 100, .row = 100, .is_undefined = true};
  const int64_t inner = rows_of_all - 2;
  const Step copy{.lanes = rows_of_all,
                  .accesses = {rows(0, 0, rows_of_all, 100, false), rows(1, 0, rows_of_all, 100, true)}};
  const Step step{
      .lanes = inner,
      .accesses = {rows(1, 0, inner, 100, false), rows(1, 2, inner, 100, false), rows(2, 1, inner, 100, true)}};
  return print(make_schedule({known, fresh, fresh}, {copy, step}, places));
}

TEST(ScheduleTest, OnePlaceSendsNothing) {
  EXPECT_EQ(neighbours(4, 1),
            "slot 0 [0, 400): host to place 0\n"
            "step 0: place 0 runs lanes [0, 4)\n"
            "step 1: place 0 runs lanes [0, 2)\n"
            "slot 0 at place 0: holds [0, 400), has [0, 400)\n"
            "slot 1 at place 0: holds [0, 400), owns [0, 400), has [0, 400)\n"
            "slot 2 at place 0: holds [100, 300), owns [0, 400), has [100, 300)\n");
}

TEST(ScheduleTest, RowsThatDoNotDivideAreCutIntoPartsOfAboutOneLength) {
  EXPECT_EQ(neighbours(7, 3),
            "slot 0 [0, 200): host to place 0\n"
            "slot 0 [200, 400): host to place 1\n"
            "slot 0 [400, 700): host to place 2\n"
            "step 0: place 0 runs lanes [0, 2)\n"
            "step 0: place 1 runs lanes [2, 4)\n"
            "step 0: place 2 runs lanes [4, 7)\n"
            "slot 1 [200, 400): place 1 to place 0\n"
            "slot 1 [400, 600): place 2 to place 1\n"
            "step 1: place 0 runs lanes [0, 2)\n"
            "step 1: place 1 runs lanes [2, 4)\n"
            "step 1: place 2 runs lanes [4, 5)\n"
            "slot 0 at place 0: holds [0, 200), has [0, 200)\n"
            "slot 0 at place 1: holds [200, 400), has [200, 400)\n"
            "slot 0 at place 2: holds [400, 700), has [400, 700)\n"
            "slot 1 at place 0: holds [0, 400), owns [0, 200), has [0, 400)\n"
            "slot 1 at place 1: holds [200, 600), owns [200, 400), has [200, 600)\n"
            "slot 1 at place 2: holds [400, 700), owns [400, 700), has [400, 700)\n"
            "slot 2 at place 0: holds [100, 300), owns [0, 300), has [100, 300)\n"
            "slot 2 at place 1: holds [300, 500), owns [300, 500), has [300, 500)\n"
            "slot 2 at place 2: holds [500, 600), owns [500, 700), has [500, 600)\n");
}

TEST(ScheduleTest, OfMorePlacesThanRowsSomeHaveNothing) {
  EXPECT_EQ(neighbours(4, 6),
            "slot 0 [0, 100): host to place 1\n"
            "slot 0 [100, 200): host to place 2\n"
            "slot 0 [200, 300): host to place 4\n"
            "slot 0 [300, 400): host to place 5\n"
            "step 0: place 1 runs lanes [0, 1)\n"
            "step 0: place 2 runs lanes [1, 2)\n"
            "step 0: place 4 runs lanes [2, 3)\n"
            "step 0: place 5 runs lanes [3, 4)\n"
            "slot 1 [200, 300): place 4 to place 1\n"
            "slot 1 [300, 400): place 5 to place 2\n"
            "step 1: place 1 runs lanes [0, 1)\n"
            "step 1: place 2 runs lanes [1, 2)\n"
            "slot 0 at place 1: holds [0, 100), has [0, 100)\n"
            "slot 0 at place 2: holds [100, 200), has [100, 200)\n"
            "slot 0 at place 4: holds [200, 300), has [200, 300)\n"
            "slot 0 at place 5: holds [300, 400), has [300, 400)\n"
            "slot 1 at place 1: holds [0, 300), owns [0, 100), has [0, 100) [200, 300)\n"
            "slot 1 at place 2: holds [100, 400), owns [100, 200), has [100, 200) [300, 400)\n"
            "slot 1 at place 4: holds [200, 300), owns [200, 300), has [200, 300)\n"
            "slot 1 at place 5: holds [300, 400), owns [300, 400), has [300, 400)\n"
            "slot 2 at place 1: holds [100, 200), owns [0, 200), has [100, 200)\n"
            "slot 2 at place 2: holds [200, 300), owns [200, 400), has [200, 300)\n");
}

TEST(ScheduleTest, ChunksOfASumRunWhereTheyAreAndMeetAtEachOfAFewPlaces) {
  const SlotState known{.nbytes = 100, .row = 1, .on_host = true, .owned = cut_evenly(100, 1, 2), .valid = {}};
  const SlotState chunks{.nbytes = 40, .row = 8, .is_undefined = true},
      total{.nbytes = 8, .row = 8, .is_undefined = true};
  const Access read{.slot = 0, .stride = 1, .elements = 20, .length = 100, .inside = {0, 1}};
  const Access all{.slot = 1, .stride = 8, .elements = 0, .length = 5, .inside = {0, 8}};
  const Step first{.lanes = 5, .accesses = {read, rows(1, 0, 5, 8, true)}},
      second{.lanes = 1, .accesses = {all, rows(2, 0, 1, 8, true)}};
  EXPECT_EQ(print(make_schedule({known, chunks, total}, {first, second}, 2)),
            "slot 0 [0, 60): host to place 0\n"
            "slot 0 [60, 100): host to place 1\n"
            "step 0: place 0 runs lanes [0, 3)\n"
            "step 0: place 1 runs lanes [3, 5)\n"
            "slot 1 [24, 40): place 1 to place 0\n"
            "slot 1 [0, 24): place 0 to place 1\n"
            "step 1: place 0 runs lanes [0, 1)\n"
            "step 1: place 1 runs lanes [0, 1)\n"
            "slot 0 at place 0: holds [0, 60), owns [0, 50), has [0, 60)\n"
            "slot 0 at place 1: holds [60, 100), owns [50, 100), has [60, 100)\n"
            "slot 1 at place 0: holds [0, 40), owns [0, 24), has [0, 40)\n"
            "slot 1 at place 1: holds [0, 40), owns [24, 40), has [0, 40)\n"
            "slot 2 at place 0: holds [0, 8), owns [0, 8), has [0, 8)\n"
            "slot 2 at place 1: holds [0, 8), owns [0, 0), has [0, 8)\n");
  // Of many places only the first makes it.
  SlotState cut_more = known;
  cut_more.owned = cut_evenly(100, 1, 9);
  const Schedule of_many = make_schedule({cut_more, chunks, total}, {first, second}, 9);
  const auto makes_total = [](const Action& action) {
    const auto* launch = std::get_if<Launch>(&action);
    return launch && launch->step == 1;
  };
  EXPECT_EQ(std::ranges::count_if(of_many.actions, makes_total), 1);
}

TEST(ScheduleTest, StripsRunWhereTheirRowsAreAndPassOnTheirTotals) {
  SlotState known{.nbytes = 1000, .row = 100, .owned = cut_evenly(1000, 100, 2)};
  known.valid = {Ranges(known.owned[0]), Ranges(known.owned[1])};
  const SlotState between{.nbytes = 100, .is_undefined = true, .is_temporary = true},
      total{.nbytes = 100, .is_undefined = true};
  const auto all = [](int32_t slot, int64_t offset, int64_t nbytes, bool writes) {
    return Access{.slot = slot, .writes = writes, .offset = offset, .inside = {0, nbytes}};
  };
  const Step first{.lanes = 10, .is_strip = true, .accesses = {all(0, 0, 500, false), all(1, 0, 100, true)}},
      last{.lanes = 10,
           .is_strip = true,
           .accesses = {all(0, 500, 500, false), all(1, 0, 100, false), all(2, 0, 100, true)}};
  const Schedule schedule = make_schedule({known, between, total}, {first, last}, 2);
  EXPECT_EQ(print(schedule),
            "step 0: place 0 runs lanes [0, 10)\n"
            "slot 1 [0, 100): place 0 to place 1\n"
            "step 1: place 1 runs lanes [0, 10)\n"
            "slot 0 at place 0: holds [0, 500), owns [0, 500), has [0, 500)\n"
            "slot 0 at place 1: holds [500, 1000), owns [500, 1000), has [500, 1000)\n"
            "slot 1 at place 0: holds [0, 100), owns [0, 100), has [0, 100)\n"
            "slot 1 at place 1: holds [0, 100), owns [0, 0), has [0, 100)\n"
            "slot 2 at place 1: holds [0, 100), owns [0, 100), has [0, 100)\n");
  EXPECT_EQ(schedule.gathered, 0);
}

/// Memory of slots: what a program of random steps leaves there, run by one place or by several.
using Memory = std::vector<std::vector<uint64_t>>;

/// Each lane writes a number made of the step, the lane and all that it reads.
void run_lane(int32_t number, const Step& step, int64_t lane, Memory& memory) {
  uint64_t hash = static_cast<uint64_t>(number) * 1000003 + static_cast<uint64_t>(lane);
  const auto each_byte = [&](const Access& access, auto&& use) {
    const int64_t count = access.elements ? access.elements : access.length, from = access.elements ? lane * count : 0;
    for (int64_t k = from; k < std::min(from + count, access.length); ++k)
      for (int64_t byte = access.inside.begin; byte < access.inside.end; ++byte)
        use(memory[static_cast<size_t>(access.slot)][static_cast<size_t>(access.offset + k * access.stride + byte)]);
  };
  for (const Access& access : step.accesses)
    if (!access.writes) each_byte(access, [&](uint64_t& value) { hash = hash * 6364136223846793005u + value; });
  for (const Access& access : step.accesses)
    if (access.writes) each_byte(access, [&](uint64_t& value) { value = hash; });
}

void run_move(const Move& move, const Range& bytes, Memory& memory) {
  for (const Range& box : move.boxes) {
    const Range part = intersect(box, bytes);
    for (int64_t byte = part.begin; byte < part.end; ++byte)
      memory[static_cast<size_t>(move.to)][static_cast<size_t>(byte)] =
          memory[static_cast<size_t>(move.from)][static_cast<size_t>(byte)];
  }
}

constexpr uint64_t nothing = 0xdead;  // where a place has no memory, or it is old

class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {
    places = static_cast<int>(pick(1, 7));
    const int64_t count = pick(2, 4), lanes = pick(1, 12);
    for (int64_t slot = 0; slot < count; ++slot) {
      SlotState state{.nbytes = lanes * pick(1, 4) + pick(0, 5), .row = pick(1, 4)};
      const int64_t kind = pick(0, 3);
      state.is_anywhere = kind == 0, state.on_host = kind == 1, state.is_undefined = kind == 2;
      if (kind == 3 || (kind == 1 && pick(0, 1))) {
        state.owned = cut_evenly(state.nbytes, pick(1, 3), places);
        for (const Range& owned : state.owned) state.valid.emplace_back(owned);
      }
      slots.push_back(state);
    }
    for (int64_t number = pick(1, 6); number > 0; --number) steps.push_back(make_step());
  }

  int places = 1;
  std::vector<SlotState> slots;
  std::vector<Step> steps;

 private:
  int64_t pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }
  int32_t pick_slot() { return static_cast<int32_t>(pick(0, static_cast<int64_t>(slots.size()) - 1)); }

  std::optional<Access> make_access(int64_t lanes, bool writes) {
    Access access{.slot = pick_slot(), .writes = writes};
    const int64_t nbytes = slots[static_cast<size_t>(access.slot)].nbytes;
    access.elements = writes ? 1 : pick(0, 2);
    access.length = access.elements ? lanes * access.elements - (access.elements > 1 ? pick(0, 1) : 0) : pick(1, 5);
    access.inside = {0, pick(1, 3)};
    const int64_t least = writes ? access.inside.end : pick(0, 1);
    access.stride = pick(least, 4) * (pick(0, 3) ? 1 : -1);
    if (writes && std::abs(access.stride) < access.inside.size()) return {};
    const Range all = access.bytes(0, lanes);
    if (all.size() > nbytes) return {};
    access.offset = pick(0, nbytes - all.size()) - all.begin;
    return access;
  }

  Step make_step() {
    Step step{.lanes = pick(0, 9)};
    if (step.lanes == 0 || pick(0, 2) == 0) add_move(step);
    std::vector<int32_t> written;
    for (int64_t tries = step.lanes ? pick(1, 4) : 0; tries > 0; --tries) {
      const std::optional<Access> access = make_access(step.lanes, tries == 1 || pick(0, 3) == 0);
      if (!access) continue;
      // What a step writes it does not read as well, and writes once.
      const auto same = [&](const Access& other) {
        return other.slot == access->slot && (other.writes || access->writes);
      };
      if (std::ranges::any_of(step.accesses, same)) continue;
      step.accesses.push_back(*access);
    }
    step.is_whole = pick(0, 5) == 0;
    step.is_strip = !step.is_whole && pick(0, 6) == 0;
    return step;
  }

  void add_move(Step& step) {
    const int32_t from = pick_slot(), to = pick_slot();
    if (from == to) return;
    const int64_t nbytes = std::min(slots[static_cast<size_t>(from)].nbytes, slots[static_cast<size_t>(to)].nbytes);
    const int64_t begin = pick(0, nbytes - 1), middle = pick(begin, nbytes), end = pick(middle, nbytes);
    step.moves.push_back({.from = from, .to = to, .boxes = {{begin, middle}, {middle, end}}});
  }

  std::mt19937 random_;
};

void run_at_once(const RandomProgram& program, Memory& memory) {
  for (size_t number = 0; number < program.steps.size(); ++number) {
    const Step& step = program.steps[number];
    for (const Move& move : step.moves) run_move(move, {0, 1 << 20}, memory);
    for (int64_t lane = 0; lane < step.lanes; ++lane) run_lane(static_cast<int32_t>(number), step, lane, memory);
  }
}

/// Each place's memory has what is valid there at first, and nothing else.
std::vector<Memory> spread(const RandomProgram& program, const Memory& memory) {
  std::vector<Memory> places;
  for (int place = 0; place < program.places; ++place) {
    Memory own;
    for (size_t slot = 0; slot < memory.size(); ++slot) {
      const SlotState& state = program.slots[slot];
      own.emplace_back(memory[slot].size(), nothing);
      Ranges valid = state.valid.empty() ? Ranges() : state.valid[static_cast<size_t>(place)];
      if (state.is_anywhere || state.is_undefined) valid.add({0, state.nbytes});
      for (const Range& range : valid.list())
        std::copy(memory[slot].begin() + range.begin, memory[slot].begin() + range.end,
                  own.back().begin() + range.begin);
    }
    places.push_back(std::move(own));
  }
  return places;
}

void run(const RandomProgram& program, const Schedule& schedule, const Memory& host_memory,
         std::vector<Memory>& places) {
  const auto of = [&](int place) -> Memory& { return places[static_cast<size_t>(place)]; };
  for (const Action& action : schedule.actions) {
    if (const auto* message = std::get_if<Message>(&action)) {
      const auto slot = static_cast<size_t>(message->slot);
      const std::vector<uint64_t>& from = message->from == host ? host_memory[slot] : of(message->from)[slot];
      std::copy(from.begin() + message->bytes.begin, from.begin() + message->bytes.end,
                of(message->to)[slot].begin() + message->bytes.begin);
      ASSERT_TRUE(schedule.slots[slot].held[static_cast<size_t>(message->to)].contains(message->bytes));
    } else if (const auto* part = std::get_if<PartMove>(&action)) {
      run_move(program.steps[static_cast<size_t>(part->step)].moves[static_cast<size_t>(part->move)], part->bytes,
               of(part->place));
    } else {
      const Launch& launch = std::get<Launch>(action);
      for (int64_t lane = launch.begin; lane < launch.end; ++lane)
        run_lane(launch.step, program.steps[static_cast<size_t>(launch.step)], lane, of(launch.place));
    }
  }
}

/// Counts the schedules that are others than those in which places run their own lanes only.
void check_random_programs(double most_extra, int& changed) {
  for (uint32_t seed = 0; seed < 20'000; ++seed) {
    const RandomProgram program(seed);
    Memory memory;
    for (const SlotState& state : program.slots) {
      memory.emplace_back();
      for (int64_t byte = 0; byte < state.nbytes; ++byte)
        memory.back().push_back(state.is_anywhere || state.is_undefined ? 0
                                                                        : seed * 31 + static_cast<uint64_t>(byte) + 1);
    }
    std::vector<Memory> places = spread(program, memory);
    const Memory before = memory;
    const Schedule schedule = make_schedule(program.slots, program.steps, program.places, most_extra);
    changed += print(schedule) != print(make_schedule(program.slots, program.steps, program.places));
    run_at_once(program, memory);
    ASSERT_NO_FATAL_FAILURE(run(program, schedule, before, places));
    for (size_t slot = 0; slot < memory.size(); ++slot) {
      const SlotResult& result = schedule.slots[slot];
      for (size_t place = 0; place < places.size(); ++place)
        for (const Range& valid : result.valid[place].list())
          for (int64_t byte = valid.begin; byte < valid.end; ++byte)
            ASSERT_EQ(places[place][slot][static_cast<size_t>(byte)], memory[slot][static_cast<size_t>(byte)])
                << "seed " << seed << ", slot " << slot << ", place " << place << ", byte " << byte << "\n"
                << print(schedule);
      if (result.owned.empty() || program.slots[slot].is_undefined) continue;
      for (size_t place = 0; place < places.size(); ++place)
        ASSERT_TRUE(result.valid[place].contains(result.owned[place])) << "seed " << seed << "\n" << print(schedule);
    }
  }
}

TEST(ScheduleTest, RandomProgramsLeaveWhatOnePlaceWouldLeave) {
  int changed = 0;
  check_random_programs(0, changed);
  EXPECT_EQ(changed, 0);
}

TEST(ScheduleTest, RandomProgramsMayRunLanesOfOthers) {
  for (const double most_extra : {0.25, 1.0, 8.0}) {
    int changed = 0;
    check_random_programs(most_extra, changed);
    EXPECT_GT(changed, 100) << most_extra;
  }
}

TEST(ScheduleTest, StencilsExchangeOnceForSeveralSteps) {
  SlotState known{.nbytes = 2000, .row = 100, .owned = cut_evenly(2000, 100, 2)};
  known.valid = {Ranges(known.owned[0]), Ranges(known.owned[1])};
  const SlotState fresh{.nbytes = 2000, .row = 100, .is_undefined = true, .is_temporary = true};
  const auto step = [](int32_t from, int32_t to) {
    return Step{.moves = {{.from = from, .to = to, .boxes = {{0, 100}, {1900, 2000}}}},
                .lanes = 18,
                .accesses = {rows(from, 0, 18, 100, false), rows(from, 2, 18, 100, false), rows(to, 1, 18, 100, true)}};
  };
  EXPECT_EQ(print(make_schedule({known, fresh, fresh}, {step(0, 1), step(1, 2)}, 2, 0.25)),
            "slot 0 [1000, 1200): place 1 to place 0\n"
            "slot 0 [800, 1000): place 0 to place 1\n"
            "step 0 move 0: place 0 copies [0, 100)\n"
            "step 0 move 0: place 1 copies [1900, 2000)\n"
            "step 0: place 0 runs lanes [0, 10)\n"
            "step 0: place 1 runs lanes [8, 18)\n"
            "step 1 move 0: place 0 copies [0, 100)\n"
            "step 1 move 0: place 1 copies [1900, 2000)\n"
            "step 1: place 0 runs lanes [0, 9)\n"
            "step 1: place 1 runs lanes [9, 18)\n"
            "slot 0 at place 0: holds [0, 1200), owns [0, 1000), has [0, 1200)\n"
            "slot 0 at place 1: holds [800, 2000), owns [1000, 2000), has [800, 2000)\n"
            "slot 1 at place 0: holds [0, 1100), owns [0, 1000), has [0, 1000)\n"
            "slot 1 at place 1: holds [900, 2000), owns [1000, 2000), has [1000, 2000)\n"
            "slot 2 at place 0: holds [0, 1000), owns [0, 1000), has [0, 1000)\n"
            "slot 2 at place 1: holds [1000, 2000), owns [1000, 2000), has [1000, 2000)\n");
}

}  // namespace
}  // namespace tessera::tile
