/// Jumps of the Mersenne twister: polynomials that give words far ahead from those at hand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::library {

/// Words of the twister's recurrence (untempered) are linear in those before: with the positions j of
/// twister_jump(k), word i + 2^k is the exclusive or of the words i + j. The positions are below 19,937 and ascend.
/// Holds for all words but the first of a key, of which only the highest bit counts. k is below 48; polynomials are
/// made when first asked for, and kept.
std::span<const uint32_t> twister_jump(int k);

/// The twister's words begin at the second of the key; these are the first `size` of them.
std::vector<uint32_t> twister_window(std::span<const uint32_t> key);

}  // namespace tessera::library
