/// HostCall, DeviceCall: a call of a routine as its implementations see it, with operands and results in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "tessera/library/device_library.h"
#include "tessera/ops/routine.h"
#include "tessera/routines/launcher.h"

namespace tessera::routines {

/// An operand or result in host or device memory.
struct Elements {
  char* data = nullptr;  // of element (0, ..., 0)
  View view;             // offset 0: counted from `data`

  DType dtype() const { return view.dtype; }
  const Dims& shape() const { return view.shape; }
  int64_t size() const { return view.size(); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  library::Strided strided() const { return {data, view}; }
};

/// Which part of a call an implementation computes.
struct PartOfCall {
  enum class Stage : uint8_t {
    begins,   // the totals of its slabs, and of its results what it can without those of other parts
    goes_on,  // its results, from the totals of all slabs before
    follows,  // its results, from the last slab of those before
    partial,  // partial results, which it makes, as the descriptor says
    join,     // the results; the operands are the partial results of all parts
  };
  Stage stage = Stage::goes_on;
  int64_t begin = 0, extent = 0;  // its first slab, and the slabs of all parts
  bool is_last = false;           // no other part asks for its totals
  /// Of all slabs, as the descriptor says: its own and, to go on from, those before; or the last slab of the results
  /// before, null where there is none.
  char* totals = nullptr;
  int64_t totals_nbytes = 0;
};

/// What both kinds of call have. Operands are in C order without gaps unless the implementation takes views, or it is
/// operand 0 on the host and written in place: that has its own strides. What is written may begin at any byte on the
/// host; two of its elements never overlap on a device.
struct CallBase {
  const ops::Arguments& arguments;
  std::span<const Elements> operands;
  std::span<Elements> results;
  /// Makes a result whose shape depends on elements, in C order; for routines that run at the call. They may transpose
  /// its view.
  std::function<void(int k, std::span<const int64_t> shape, DType dtype)> make_result;
  const PartOfCall* part = nullptr;  // null: results for all operands that it has

  const Elements& operand(int k = 0) const { return operands[static_cast<size_t>(k)]; }
  Elements& result(int k = 0) const { return results[static_cast<size_t>(k)]; }
};

/// The engine's lock is not held, except for small calls and for those that write in place.
struct HostCall : CallBase {
  /// Runs a kernel over host memory and waits for it; `work` counts about one for an element and eight instructions.
  std::function<void(const KernelLaunch& launch, int64_t work)> run;
};

struct DeviceCall : CallBase {
  Launcher& launcher;
};

}  // namespace tessera::routines
