/// Place: where work runs, by facts alone: which of several equal devices, and whether there or on the host.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tessera/plan/cost_model.h"

namespace tessera::plan {

/// What a placement depends on of an array that the work reads or writes.
struct OperandFacts {
  int64_t nbytes = 0;
  bool is_on_host = true;
  uint64_t devices = 0;  // on which it is valid, a bit for each
  double credit = 0;     // seconds that a device would have saved its users; negative: that the host would have
  double expected = 0;   // seconds that devices save the users of its like in all
  double moves = 1;      // copies to a device that one of its like needs
};

struct DeviceFacts {
  int64_t capacity = 0;  // bytes
  bool is_usable = true;
};

/// The number of the device for work that holds `nbytes` there: where most bytes of its operands are, of equal ones the
/// first, so that dependent work stays with its data. Where no device has any, the first that fits from `next` on, in a
/// circle. -1 if none fits.
int choose_equal(std::span<const OperandFacts> operands, std::span<const DeviceFacts> devices, int64_t nbytes,
                 size_t next);

/// What the operands contribute to the choice between the host and a device.
struct OperandSums {
  int64_t nbytes = 0, only_on_host = 0, only_on_devices = 0;
  double moving = 0;  // Question::moving and so on
  double credit = 0;
  double expected = 0;
  double copying_back = 0;
  double debt = 0;
};
OperandSums sum_operands(std::span<const OperandFacts> operands, int device, const MachineFacts& facts);

/// For a plan or operation that repeats: the time that runs on the device would have saved so far.
struct Regret {
  double seconds = 0;
};

/// The inputs of a placement decision, in seconds.
struct Question {
  double saving = 0;        // by the device compared to the host once the operands are in place; may be negative
  double moving = 0;        // time to copy operands that only the host has to the device
  double credit = 0;        // what the device would have saved earlier users of these operands
  double expected = 0;      // what the device saves the users of arrays of the same origin in total, this use included
  double copying_back = 0;  // time to copy operands that only the device has to the host
  double debt = 0;          // what the host would have saved earlier users of these operands
  double making = 0;        // time to make what the device does not have yet: kernels, a library, an open driver
  bool in_background = false;  // that is made in the background, so it only delays the start on the device
  bool is_shared = false;      // others, of other sizes, have the same regret: what the host does sooner keeps it
};

/// A question with the times that are weighed.
struct Weighed {
  double host = 0, device = 0;  // expected seconds with the operands in place
  Question question;
};

/// Whether the device is preferable, apart from what must be made first.
bool covers_moving(const Question& question);

enum class Choice : uint8_t { host, get_ready, device };

/// Whether this run goes to the device. Operands move once their credit covers the copy: an operation that amortises it
/// alone moves them at once, and at most twice the time of the better choice is spent. `making` must be amortised by
/// this run alone or, for what repeats, by what the runs so far would have saved. A run waits for something made in the
/// background only if it amortises it alone, or if its operands are on the device and copying them to the host has cost
/// as much.
Choice choose_device(const Question& question, Regret& regret);

/// Seconds that the work takes on the host and on a device, and what it takes to begin there.
struct WorkFacts {
  double host = 0, device = 0;  // with the operands in place
  bool in_background = false;   // Question::in_background
  bool is_shared = false;       // Question::is_shared
};
/// The question whether the work runs on a device, before anything is made for it.
Weighed weigh(const WorkFacts& work, const OperandSums& operands);
/// Its costs beside host and device time, in microseconds.
std::string describe(const Question& question);

}  // namespace tessera::plan
