/// Recording: the part of the engine that makes arrays and records operations on them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/engine/kernels/launch_shape.h"
#include "tessera/engine/support/context.h"
#include "tessera/graph/array.h"
#include "tessera/ops/op.h"
#include "tessera/ops/routine.h"

namespace tessera::ir {
struct Kernel;
struct KernelArguments;
}  // namespace tessera::ir

namespace tessera {

namespace engine {
struct State;
}

struct FunctionArguments;
struct FunctionCode;
struct ProgramLaunch;
namespace runtime {
class Module;
}

struct ReduceOptions {
  std::span<const int> axes;  // normalised, distinct; lists all axes for a full reduction
  bool keepdims = false;
  std::optional<DType> dtype;  // dtype of the accumulator
  std::optional<Operand> initial;
  std::optional<Operand> where;  // boolean, broadcast against the input
};

/// Each thread records into its own window.
class Recording {
 public:
  explicit Recording(engine::State& state) : state_(&state) {}

  /// Contents are undefined. `like` gives the memory order for Order::k.
  Array empty(std::span<const int64_t> shape, DType dtype, Order order = Order::c, const View* like = nullptr);
  /// Copies the elements at `data`, which have `layout` without gaps, to where this thread's work runs.
  Array copy_of(const char* data, const View& layout);
  Array full(std::span<const int64_t> shape, const Scalar& value, Order order = Order::c);
  /// The range that starts with these two numbers, computed as NumPy does.
  Array arange(const Scalar& first, const Scalar& second, int64_t count);
  /// start + i * step, for any dtype except half precision and bool. `last` (floats only) replaces the final element.
  Array evenly_spaced(const Scalar& start, const Scalar& step, int64_t count, const Scalar* last = nullptr);
  /// Memory shared with other code: pinned, never renamed, always settled.
  Array wrap(void* data, int64_t nbytes, View view, bool writable, std::function<void()> release);

  /// result[k] = op(operands...) with operands broadcast and cast to the signature's types. Null outputs are allocated
  /// (C order, or the operands' common order); the others are written through their views with a cast.
  /// Elements where the boolean operand `where` is false keep the output's value.
  void map(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
           std::span<Array> outputs, const Operand* where, const Context& context);
  /// The first result of the op of that name (ops/), with operands promoted as in NumPy. Throws ValueError for an
  /// unknown name.
  Array map(std::string_view op, std::initializer_list<Operand> operands);
  /// Does record_binary() if exactly this operation comes next in a known loop, for operands of any shapes and dtypes,
  /// and constructs the result at `result`; else returns false and does nothing.
  bool follow_binary(const ops::Op& op, const Array* a, const Array* b, const Scalar& scalar, const Context& context,
                     void* result);
  /// A fast path of map for the commonest case: two operands of one shape and of the signature's own dtypes. One of
  /// them may be null; `scalar` then takes its place.
  Array record_binary(const ops::Op& op, const ops::Signature& signature, const Array* a, const Array* b,
                      const Scalar& scalar, const Context& context);
  /// Does assign() from an array of the destination's shape, or from the scalar, if exactly this write comes next in a
  /// known loop; else returns false and does nothing.
  bool follow_write(const Array& destination, const Array* source, const Scalar& scalar, const Context& context);
  /// destination[...] = source, broadcast and cast; gives NumPy's result when the two overlap.
  void assign(const Array& destination, const Operand& source, const Context& context);
  void assign(const Array& destination, const Array& source, const Context& context);
  /// A new array of this layout whose parts along an axis are the arrays, cast to its dtype.
  Array join(std::span<const Array> arrays, int axis, const View& layout);
  /// A new array with the elements of `source`, cast to `dtype`.
  Array copy(const Array& source, DType dtype, Order order);
  /// Reduces with op.reduce, which must be set, over options.axes. The result has the reduced shape.
  Array reduce(const ops::Op& op, const Array& source, const ReduceOptions& options, const Context& context);
  /// The routine of that name; throws ValueError for an unknown one.
  static const ops::Routine& routine(std::string_view name);
  /// All routines, in the order of the table.
  static std::vector<const ops::Routine*> routines();
  /// The results of a routine; errors for shapes, dtypes and arguments are thrown now. ops::CallTime says which calls
  /// are recorded; those on few settled elements in host memory run at once.
  void call(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments,
            const Context& context, std::span<Array> results);
  std::vector<Array> call(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments,
                          const Context& context);
  /// The same for a routine of one result.
  Array call_for_one(const ops::Routine& routine, std::span<const Array> operands, const ops::Arguments& arguments,
                     const Context& context);
  /// The first result of the routine of that name; throws ValueError for an unknown name.
  Array call(std::string_view routine, std::initializer_list<Array> operands, const ops::Arguments& arguments = {},
             const Context& context = {});
  /// Launches a user kernel (ir/kernel.h: six axes) on arrays and scalars of exactly its parameters' dtypes, in their
  /// order: on this thread's device, or on the GPU where the engine chooses and there is one, else on the host. It
  /// writes in place; reading waits for it. Throws for shapes that CUDA would refuse, and where it would write an array
  /// that is read-only.
  void launch(const std::shared_ptr<const ir::Kernel>& kernel, const LaunchShape& shape, std::span<const Array> arrays,
              std::span<const Scalar> scalars);
  /// Launches a kernel from CUDA C++ or machine code; the same holds for it.
  void launch_program(const ProgramLaunch& launch);
  /// Code for the cores of what clang has made of CUDA C++. Throws NotImplementedError for what only a GPU has, and
  /// where there is no compiler of native code. Launches of kernels that are checked throw engine::KernelFaults.
  std::shared_ptr<runtime::Module> load_on_cores(std::string_view bitcode, bool is_checked);
  /// Calls `body`, whose launches run together where one call of this cost on these arrays is done sooner.
  void call_together(std::span<const Array* const> operands, const ops::Cost& cost, const std::function<void()>& body);
  /// Calls a user's function: a kernel without axes, on the host, at once. The caller has settled the arrays whose
  /// memory it gets.
  void call_function(const std::shared_ptr<const ir::Kernel>& kernel, const FunctionArguments& given,
                     FunctionCode& last);
  /// Runs the function's code on any thread, with memory of this layout, for as long as it is there. The function calls
  /// nothing of the host and has no parallel loops.
  std::function<void(const ir::KernelArguments&)> function_runner(const std::shared_ptr<const ir::Kernel>& kernel,
                                                                  std::span<const View> views,
                                                                  std::span<char* const> memory);
  /// The array itself when C-contiguous (and of this dtype), else a contiguous copy.
  Array contiguous(const Array& array, std::optional<DType> dtype = {});

 private:
  engine::State* state_;
};

}  // namespace tessera
