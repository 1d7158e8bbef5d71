/// KernelLaunch: one launch of a hand-built kernel outside of any plan.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/layout/view.h"

namespace tessera::routines {

/// The kernel's buffers are dense with one axis; the launch supplies their addresses.
struct KernelLaunch {
  std::string name;  // kernels of the same name are the same
  std::function<ir::Kernel()> make;
  std::function<ir::Kernel()> make_short_text = nullptr;  // the same in less text, used at first
  Dims extents;
  std::vector<const char*> buffers;
  std::vector<int64_t> scalars;  // int64 parameters
  bool is_short_text = false;    // a better kernel exists and is to be available soon
  bool is_block = false;         // the last axis is one block of threads, which synchronise at barriers
};

}  // namespace tessera::routines
