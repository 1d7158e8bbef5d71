#include "tessera/routines/take/slabs.h"

#include "tessera/base/error.h"
#include "tessera/routines/take/kernels.h"

namespace tessera::routines {

using library::IndexMode;

namespace {

/// The last of the buffers (x, indices, out, wrong), an int32 0, becomes 1 when an index is out of range and the mode
/// raises.
void queue_take(Launcher& launcher, const TakenSlabs& slabs, IndexMode mode, DType index_type,
                std::vector<const char*> buffers) {
  launcher.run({.name = format("take {} {} {}", name(slabs.dtype), name(index_type), static_cast<int>(mode)),
                .make = [=, dtype = slabs.dtype] { return take_kernel(dtype, index_type, mode); },
                .extents = {slabs.outer, slabs.picks, slabs.inner},
                .buffers = std::move(buffers),
                .scalars = {slabs.n, slabs.picks, slabs.inner}});
}

Ref<runtime::Buffer> make_flag(Launcher& launcher) {
  Ref<runtime::Buffer> flag = launcher.allocate(1, DType::int32);
  launcher.device().stream().fill_zero(flag->data(), 4);
  return flag;
}

}  // namespace

void take_by_index(Launcher& launcher, const TakenSlabs& slabs, const RowIndices& where, const char* x,
                   const char* out) {
  const Elements& indices = where.arrays[0];
  const Ref<runtime::Buffer> wrong = make_flag(launcher);
  queue_take(launcher, slabs, where.mode, indices.dtype(), {x, indices.data, out, wrong->data()});
  int32_t is_wrong = 0;
  if (where.mode == IndexMode::raise) launcher.fetch(&is_wrong, wrong->data(), sizeof is_wrong);
  if (is_wrong) throw_index_error(launcher, where);
}

void take_slabs(Launcher& launcher, const TakenSlabs& slabs, const char* x, const char* index, char* out) {
  const Ref<runtime::Buffer> wrong = make_flag(launcher);
  queue_take(launcher, slabs, IndexMode::clip, DType::int64, {x, index, out, wrong->data()});
  launcher.flush();
}

}  // namespace tessera::routines
