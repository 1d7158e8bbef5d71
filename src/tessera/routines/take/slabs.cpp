#include "tessera/routines/take/slabs.h"

#include "tessera/base/error.h"
#include "tessera/routines/take/kernels.h"

namespace tessera::routines {

using library::IndexMode;

void queue_take(Launcher& launcher, const TakenSlabs& slabs, IndexMode mode, DType index_type,
                std::vector<const char*> buffers) {
  launcher.run({.name = format("take {} {} {}", name(slabs.dtype), name(index_type), static_cast<int>(mode)),
                .make = [=, dtype = slabs.dtype] { return take_kernel(dtype, index_type, mode); },
                .extents = {slabs.outer, slabs.picks, slabs.inner},
                .buffers = std::move(buffers),
                .scalars = {slabs.n, slabs.picks, slabs.inner}});
}

void take_slabs(Launcher& launcher, const TakenSlabs& slabs, const char* x, const char* index, char* out) {
  const Ref<runtime::Buffer> wrong = launcher.allocate(1, DType::int32);
  launcher.device().stream().fill_zero(wrong->data(), 4);
  queue_take(launcher, slabs, IndexMode::clip, DType::int64, {x, index, out, wrong->data()});
  launcher.flush();
}

}  // namespace tessera::routines
