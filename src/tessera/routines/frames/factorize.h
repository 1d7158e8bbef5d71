/// factorize: numbers keys by their distinct values, in the order of first appearance or of the values.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/routines/frames/buffer.h"
#include "tessera/routines/frames/codes.h"
#include "tessera/routines/frames/column.h"
#include "tessera/routines/frames/factorize_options.h"
#include "tessera/routines/frames/texts.h"

namespace tessera::routines::frames {

/// Writes the code of each key, and returns by code the row in which it appears first. Neither depends on the number of
/// threads. The codes' integers must hold the number of rows.
Rows factorize(const ColumnView& column, bool times, bool keep_null, bool sorted, const CodesSpan& codes);
Rows factorize(std::span<const uint64_t> words, const FactorizeOptions& options, const CodesSpan& codes);
Rows factorize(const TextsView& texts, const FactorizeOptions& options, const CodesSpan& codes);
/// Of several keys, given by their codes, each below its size. Rows where one is -1 get -1. In order: by the first key
/// first. The product of the sizes must be below 2^63.
Rows factorize(std::span<const CodesView> keys, std::span<const int64_t> sizes, bool sorted, const CodesSpan& codes);

}  // namespace tessera::routines::frames
