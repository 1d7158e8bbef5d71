/// factorize: numbers keys by their distinct values, in the order of first appearance or of the values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/routines/frames/column.h"
#include "tessera/routines/frames/texts.h"

namespace tessera::routines::frames {

struct FactorizeOptions {
  bool nullable = false;   ///< null_word, or a missing text, stands for a missing key
  bool keep_null = false;  ///< missing keys are a value of their own, the last one in order; otherwise their code is -1
  bool sorted = false;     ///< codes in the order of the values, not of first appearance
};

/// Writes the code of each key, and returns by code the row in which it appears first. Neither depends on the number of
/// threads.
std::vector<int64_t> factorize(const ColumnView& column, bool times, bool keep_null, bool sorted,
                               std::span<int64_t> codes);
std::vector<int64_t> factorize(std::span<const uint64_t> words, const FactorizeOptions& options,
                               std::span<int64_t> codes);
std::vector<int64_t> factorize(const TextsView& texts, const FactorizeOptions& options, std::span<int64_t> codes);

/// Several keys as one word each row, first key first in order: ((code0 * size1 + code1) * size2 + ...). A row with a
/// code of -1 gets null_word. The product of the sizes must be below 2^63.
void combine_codes(std::span<const int64_t* const> codes, std::span<const int64_t> sizes, std::span<uint64_t> words);

}  // namespace tessera::routines::frames
