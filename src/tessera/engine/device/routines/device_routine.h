/// DeviceRoutine: one launch of a kernel written for a purpose of its own, outside of any plan.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/layout/view.h"

namespace tessera::engine {

/// Its buffers are dense and have one axis; where they lie says the launch.
struct DeviceRoutine {
  std::string name;  // kernels of one name are equal
  std::function<ir::Kernel()> make;
  std::function<ir::Kernel()> make_short_text = nullptr;  // the same in less text, for a first result
  Dims extents;
  std::vector<const char*> buffers;
  std::vector<int64_t> scalars;  // int64 parameters
  bool is_short_text = false;    // there is a better one; it is to be there soon
  bool is_block = false;         // the last axis is one block of threads, which meet at barriers
};

}  // namespace tessera::engine
