/// The types that inference found, as text.
#pragma once

#include <string>
#include <vector>

#include "tessera/kernel/compile.h"

namespace tessera::kernel {

/// The function's statements, each with the expressions in it and their types; before them parameters, result and
/// variables. Throws CompileError.
std::string typed_text(const Function& function, const std::vector<Type>& arguments, const Environment& environment,
                       CompileOptions options, const Declared& declared = {});

}  // namespace tessera::kernel
