/// Calls of BLAS and LAPACK on the host, which several threads may make at once.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// The word that the routine gives for these arrays, some of which it writes.
ir::Value call_linear_algebra(Lowering& l, const Node& node, LinearAlgebra routine, const std::vector<Item>& arrays);
/// Where BLAS computes a product of these factors: both in memory, of one dtype that it has.
bool takes_blas(const Lowering& l, const Item& left, const Item& right);

}  // namespace tessera::kernel
