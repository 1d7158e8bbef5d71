/// compile: a user's function and the types of its arguments become a kernel of six axes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/kernel/environment.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/host_object.h"
#include "tessera/kernel/lower/parameters.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/parallel_note.h"
#include "tessera/kernel/report.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/generator/generator.h"

namespace tessera::kernel {

/// Single random numbers that a function draws.
enum class Draws : uint8_t { none, uniform, normal };

/// What is known of the arguments.
struct ArgumentNotes {
  std::vector<std::string> array_names;  // of the buffers that they are: "a", "pair[0]"
  std::vector<size_t> unsigned_scalars;  // by number, integers that the signature has with the other sign
};

/// What a kernel asks of its launches.
struct LaunchNotes {
  bool has_grid_group = false;      // the group of all threads
  bool reads_shared_bytes = false;  // the last scalar is the size of the launch's dynamic shared memory
};

/// Loops of a function that run on several threads (outline.h).
struct CompiledLoops {
  std::vector<std::shared_ptr<const ir::Kernel>> parts;
  std::vector<ParallelNote> notes;
};

/// What a function does with lists, dicts and sets.
struct CompiledContainers {
  bool are_changed = false;    // also those that are arguments
  bool are_in_fields = false;  // or texts, of objects
};

/// A kernel. Its last buffers are its report (report.h) and lines if it has them, then the arrays outside of it that it
/// reads.
struct Compiled {
  std::shared_ptr<const ir::Kernel> kernel;
  std::vector<std::shared_ptr<const ConstantArray>> constants;
  std::vector<ReportSite> sites;
  std::vector<ReportSite> accesses;  // of a checked kernel: Lowering::access_sites
  bool reports = false;
  bool prints = false;
  ArgumentNotes arguments;
  std::vector<std::pair<std::string, std::string>> variables;  // of the kernel's own function, with their types
  bool calls_host = false;                                     // a function that allocates or calls functions of NumPy
  CompiledContainers containers;
  Draws draws = Draws::none;      // single random numbers
  bool assumes_distinct = false;  // where an array that it writes shares memory with another, may_overlap is needed
  LaunchNotes launch;
  /// Of a function: the type of its result, whose scalars are the words of the buffer behind report and lines, two
  /// words each, behind a word that is 1 if it has returned one; then a buffer for the arrays of each of these dtypes
  /// that it makes.
  Type result;
  std::vector<DType> heaps;
  std::optional<GeneratorFrame> generator;
  std::vector<std::shared_ptr<const HostObject>> host_objects;     // that it calls
  std::vector<std::shared_ptr<const ForeignDeclaration>> foreign;  // that it calls
  CompiledLoops loops;
  bool needs_lock = false;  // what it asks of the host is done under Python's lock
};

/// The kernel's axes 0 to 2 are blockIdx.z, .y and .x, axes 3 to 5 threadIdx.z, .y and .x. Its buffers and its scalars
/// are the arguments' in order, tuples flattened; of a buffer it says whether elements are read and written. A function
/// that the host calls has no axes. Throws CompileError.
Compiled compile(const Function& function, const std::vector<Type>& arguments, const Environment& environment,
                 const CompileOptions& options = {}, const Declared& declared = {});

/// The function of numbers as the body of an op (ops/user_op.h): a kernel over one axis that loads an operand of each
/// type in `in` and stores its result, or one for each element of a tuple, in the types `out` or, where that is empty,
/// in those that it has. Throws CompileError, also for a function that raises, prints, makes arrays or reads global
/// ones.
std::shared_ptr<const ir::Kernel> compile_body(const Function& function, std::span<const DType> in,
                                               std::span<const DType> out, const Environment& environment,
                                               bool contracts = false);

}  // namespace tessera::kernel
