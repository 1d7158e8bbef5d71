/// The distributions of NumPy's legacy generator, from its uniform and normal numbers: the same numbers of the same
/// stream.
#pragma once

#include <cstdint>
#include <functional>

namespace tessera::bind {

/// The bits of a number of a kernel::Distribution; operands are its number and three doubles. `next` gives the next
/// number from 0 to 1, `normal` the next normal one.
int64_t draw_distribution(const int64_t* operands, const std::function<double()>& next,
                          const std::function<double()>& normal);

}  // namespace tessera::bind
