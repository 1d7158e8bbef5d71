/// match_keys: finds the keys of one column among those of another.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/routines/frames/codes.h"
#include "tessera/routines/frames/column.h"
#include "tessera/routines/frames/texts.h"

namespace tessera::routines::frames {

/// Writes the codes of `built` by first appearance, missing keys as one of them, and for each key of `probe` the code
/// of its equal, -1 where there is none. Returns how many codes there are; nothing, and may have written codes, where
/// `built` is too long for a table in the cache, or texts are. Both columns have the same dtype.
std::optional<int64_t> match_keys(const ColumnView& built, const ColumnView& probe, const CodesSpan& built_codes,
                                  const CodesSpan& probe_codes);
std::optional<int64_t> match_keys(const TextsView& built, const TextsView& probe, const CodesSpan& built_codes,
                                  const CodesSpan& probe_codes);

}  // namespace tessera::routines::frames
