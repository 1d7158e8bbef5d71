/// Contraction: a product that is only added to something becomes one operation with it.
#pragma once

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// Replaces x * y + z, and the same with differences, by fma, which rounds once, where the product has no other use and
/// stands in the same region. Done on the IR, so that every device computes the same bits. What nvcc does by default.
ir::Kernel contract_products(ir::Kernel kernel);

}  // namespace tessera::kernel
