/// QR and singular values of matrices with far more rows than columns, in few passes over the rows.
#pragma once

#include "tessera/library/lapack/decompose.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

/// Makes the results of "qr" with the signs of LAPACK's reflections: the thin factors, or the triangle alone. False
/// where the columns are too nearly dependent for this method: all results then have to be made anew.
bool try_tall_qr(DeviceCall& call, bool only_triangle);
/// The same for the results of "svd": singular values, and thin singular vectors if requested.
bool try_tall_svd(DeviceCall& call, library::Vectors vectors);

}  // namespace tessera::routines
