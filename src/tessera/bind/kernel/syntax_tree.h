/// tree_of: the tree of a user's function from Python's `ast`.
#pragma once

#include <nanobind/nanobind.h>

#include "tessera/kernel/syntax/syntax.h"

namespace tessera::bind {

/// `function` is an ast.FunctionDef whose lines have been counted from the file's first one and whose columns are
/// characters.
kernel::Node tree_of(nanobind::handle function);

}  // namespace tessera::bind
