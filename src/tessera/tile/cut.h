/// cut_evenly: which place owns which bytes of an array, by its size alone.
#pragma once

#include <vector>

#include "tessera/tile/ranges.h"

namespace tessera::tile {

/// One range for each place, in order: together all `nbytes`, each about as long as the others. No row of `row` bytes
/// is cut. Long axes are cut between the leaves by which sums are reduced, where that unbalances less than 1%.
std::vector<Range> cut_evenly(int64_t nbytes, int64_t row, int places);

}  // namespace tessera::tile
