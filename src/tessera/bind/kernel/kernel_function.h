/// KernelFunction: a user's function as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/bind/kernel/launch/launch_report.h"
#include "tessera/graph/array.h"
#include "tessera/kernel/compile.h"

namespace tessera::bind {

struct KernelFunction {
  std::shared_ptr<const kernel::Function> function;
};

/// A kernel for one list of argument types.
struct CompiledKernel {
  std::shared_ptr<const ir::Kernel> kernel;
  std::shared_ptr<LaunchReport> report;  // null if it neither fails nor prints
  std::vector<std::string> array_names;  // of the arrays that launches pass
  std::vector<std::pair<std::string, std::string>> variables;
  std::shared_ptr<const std::vector<kernel::ReportSite>> accesses;  // of a checked kernel: kernel::Compiled::accesses
  std::vector<Array> constants;                                     // its last arrays, which no launch passes
  std::vector<std::shared_ptr<const kernel::ForeignDeclaration>> foreign;  // functions in other code that it calls
  bool has_grid_group = false;                                             // it asks for the group of all threads
  bool reads_shared_bytes = false;  // its last scalar is the size of the dynamic shared memory
};

/// The body of an op for one list of operand types (kernel::compile_body).
struct OpBody {
  std::shared_ptr<const ir::Kernel> kernel;
};

/// What a global name stands for, as tessera.cuda describes it: ("constant", 3), ("builtin", "math.sqrt"), ...
kernel::Entity to_entity(nanobind::handle description);
DType needed_dtype(nanobind::handle dtype);
/// That of a NumPy dtype of dates or spans of time; 0 for all others.
kernel::Unit needed_unit(nanobind::handle dtype);

}  // namespace tessera::bind
