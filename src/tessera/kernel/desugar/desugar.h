/// desugar: the tree of a function as Python has it becomes the smaller language that is typed and lowered.
#pragma once

#include <set>
#include <string>

#include "tessera/kernel/function.h"

namespace tessera::kernel {

/// The passes, in order; each is a function from tree to tree in a file of its name.
///
/// | pass | what it writes otherwise |
/// |---|---|
/// | matches | `match` on values: conditions |
/// | nonlocals | variables of a function around that are assigned: parameters and results |
/// | named_values | `name := value`: assignments before the statement |
/// | with_blocks | `with parallel_chunksize(n)`: try and finally |
/// | typed_variables | assignments of variables whose types are given: conversions |
/// | versions | variables that are assigned anew: other variables |
/// | expressions | comprehensions, f-strings, assertions, `del` |
/// | generators | functions that yield: conditions that lead back to where they were left, loops by the place in what
/// they run over |
///
/// `converted`: the variables whose types are given; the name `x:type` stands for that of x. Throws CompileError.
void desugar(Function& function, const std::set<std::string>& converted = {});

/// Whether a function that yields has something to do where it is not asked up to its end: what stands in `finally`
/// around the place where it waits.
bool closes_generator(const Node& tree);

}  // namespace tessera::kernel
