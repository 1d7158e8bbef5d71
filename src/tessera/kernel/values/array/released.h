/// Memory of new arrays that is free again before the function ends.
#pragma once

#include <functional>

#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/syntax/syntax.h"

namespace tessera::kernel {

class Lowering;

/// Behind the body, which is that of a statement or of an iteration, what it has made is free again where nobody can
/// reach it: what it passes on has no arrays, and the function has nothing that keeps them.
void releasing(Lowering& l, const Node& statement, const std::function<Passed()>& passes,
               const std::function<void()>& body);

}  // namespace tessera::kernel
