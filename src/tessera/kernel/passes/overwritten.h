/// overwritten: which of a function's arrays hold, in the end, nothing of what they held before.
#pragma once

#include <span>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// Names of lengths, one for each axis of an array: axes of one name are of one length.
using AxisNames = std::vector<int>;
/// The name of the length 1.
inline constexpr int length_one = -1;

/// Whether the function surely stores every element of each of its first buffers, and reads none before. It follows
/// from the kernel's text: loops over whole axes, what both sides of a branch store. Where it cannot tell, it says no.
std::vector<bool> overwritten(const ir::Kernel& kernel, std::span<const AxisNames> lengths);

}  // namespace tessera::kernel
