#include "tessera/routines/bins/count.h"

#include "tessera/base/format.h"

namespace tessera::routines {

void count_bins(Launcher& launcher, const char* x, int64_t n, const char* out, int64_t bins) {
  const bool shared = bins <= shared_bins;
  const BinChunks chunks(n);
  launcher.run({.name = format("count_bins {}", shared),
                .make = [=] { return count_bins_kernel(shared); },
                .extents = chunks.extents(),
                .buffers = {x, out},
                .scalars = {n, chunks.size, bins},
                .is_block = true});
}

}  // namespace tessera::routines
