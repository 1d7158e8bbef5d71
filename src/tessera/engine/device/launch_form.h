/// How a kernel's lanes are spread over a device's threads, and how many threads that takes.
#pragma once

#include "tessera/codegen/compiler.h"
#include "tessera/layout/view.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// The form for a kernel over `extents` that touches `work` elements, those of its folds included.
codegen::DeviceForm choose_form(const ir::Kernel& kernel, const Dims& extents, int64_t work, int capability);
runtime::Grid choose_grid(const codegen::DeviceForm& form, const Dims& extents);

}  // namespace tessera::engine
