/// The types that inference found, as text.
#pragma once

#include <string>

#include "tessera/kernel/function.h"
#include "tessera/kernel/typed/program.h"

namespace tessera::kernel {

/// The function's statements, each with the expressions in it and their types; before them parameters, result and
/// variables.
std::string print(const Function& function, const typed::Program& program);

}  // namespace tessera::kernel
