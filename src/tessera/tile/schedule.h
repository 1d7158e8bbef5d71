/// make_schedule: how steps run over arrays that are cut over several places: which lanes each place runs, and what it
/// needs of others before. A pure function of its arguments, so that every process derives the same.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tessera/tile/access.h"
#include "tessera/tile/ranges.h"

namespace tessera::tile {

/// Memory outside of all places, which only sends.
inline constexpr int host = -1;

/// An array's memory before the steps.
struct SlotState {
  int64_t nbytes = 0;
  int64_t row = 1;              // bytes that should not be cut
  bool is_undefined = false;    // has no contents yet
  bool is_anywhere = false;     // each place can make its contents: zeros
  bool is_temporary = false;    // no array: the steps make it, and nobody needs it after them
  bool is_small = false;        // one place has all of it unless it goes with something that is cut
  bool on_host = false;         // the host has all of it
  std::vector<Range> owned{};   // by place; empty: it is not cut
  std::vector<Ranges> valid{};  // by place; what of it is there. Where it is cut, each place has what it owns
  friend bool operator==(const SlotState&, const SlotState&) = default;
};

/// Boxes of bytes copied from one slot to the same positions of another.
struct Move {
  int32_t from = -1, to = -1;
  std::vector<Range> boxes;
};

/// Copies, then lanes that are independent of each other.
struct Step {
  std::vector<Move> moves{};
  int64_t lanes = 0;      // 0: copies only
  bool is_whole = false;  // its lanes cannot be told apart: one place runs all of them
  bool is_strip = false;  // all lanes run where most is of the longest operand that they read
  std::vector<Access> accesses{};
};

/// Bytes of a slot that a place gets from another, or the host.
struct Message {
  int32_t slot;
  int from, to;
  Range bytes;
};
/// A place runs lanes [begin, end) of a step.
struct Launch {
  int32_t step;
  int place;
  int64_t begin, end;
};
/// A place copies what of a step's move lies in these bytes.
struct PartMove {
  int32_t step, move;
  int place;
  Range bytes;
};
using Action = std::variant<Message, PartMove, Launch>;

/// An array's memory after the steps.
struct SlotResult {
  std::vector<Range> held;   // by place: the smallest range with all that it touches
  std::vector<Range> owned;  // as in SlotState
  std::vector<Ranges> valid;
};

struct Schedule {
  std::vector<Action> actions;  // in this order
  std::vector<SlotResult> slots;
  int64_t gathered = 0;  // bytes that places got because one of them runs a step alone
};

/// Where places would exchange between steps, they exchange before several of them and run what they need of others'
/// lanes, too, up to `most_extra` of their own.
Schedule make_schedule(const std::vector<SlotState>& slots, const std::vector<Step>& steps, int places,
                       double most_extra = 0);

std::string print(const Schedule& schedule);

}  // namespace tessera::tile
