/// Place: which of several equal devices work runs on, by facts alone.
#pragma once

#include <cstdint>
#include <span>

namespace tessera::plan {

/// An array that the work reads or writes.
struct OperandFacts {
  int64_t nbytes = 0;
  uint64_t devices = 0;  // on which it is valid, a bit for each
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

}  // namespace tessera::plan
