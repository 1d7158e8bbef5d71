#include "tessera/routines/take/take.h"

#include "tessera/base/error.h"
#include "tessera/routines/take/kernels.h"

namespace tessera::routines {

void take_slabs(Launcher& launcher, const TakenSlabs& slabs, const char* x, const char* index, char* out) {
  constexpr PickMode mode = PickMode::clip;
  const Ref<runtime::Buffer> wrong = launcher.allocate(1, DType::int32);
  launcher.device().stream().fill_zero(wrong->data(), 4);
  launcher.run({.name = format("take {} {} {}", name(slabs.dtype), name(DType::int64), static_cast<int>(mode)),
                .make = [dtype = slabs.dtype] { return take_kernel(dtype, DType::int64, mode); },
                .extents = {slabs.outer, slabs.picks, slabs.inner},
                .buffers = {x, index, out, wrong->data()},
                .scalars = {slabs.n, slabs.picks, slabs.inner}});
  launcher.flush();
}

}  // namespace tessera::routines
