/// Scans along an axis in device memory, for the routines that consist of them.
#pragma once

#include "tessera/library/host/scan.h"
#include "tessera/routines/axis_lanes.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

/// A scan of elements of type `from`, computed in `dtype`.
struct ScanKind {
  library::ScanOp op;
  DType from, dtype;
};

/// Whether a device has kernels for it.
bool suits_device(const ScanKind& kind);
/// Scans the lanes of x into out as library/host/scan.h does; what it queues is launched when it returns.
void scan_lanes(Launcher& launcher, const ScanKind& kind, const AxisLanes& lanes, const char* x, const char* out);
/// The same of rows [onward.begin, onward.begin + lanes.n) of onward.extent: their totals, or what goes on from those.
void scan_onward(Launcher& launcher, const ScanKind& kind, const AxisLanes& lanes, const char* x, const char* out,
                 const PartOfCall& onward);
/// Of how many rows parts are multiples.
int64_t scan_rows_together(DType dtype, int64_t inner);

}  // namespace tessera::routines
