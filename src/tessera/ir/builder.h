/// Builder: appends instructions to a kernel, with constant folding and expansion of complex and half arithmetic.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::ir {

/// Every method returns the Value of its result. The operands of an arithmetic method have one type. Complex operands
/// are expanded into arithmetic on their parts and float16/bfloat16 into float32 arithmetic here, so executions never
/// see them.
class Builder {
 public:
  /// Without `keeps_code` it has what values are computed from and no code: to ask of them what they are.
  explicit Builder(int ndim, std::string name = "kernel", int block_axes = 1, bool keeps_code = true);

  Kernel take();  // verifies in debug builds
  DType type(Value v) const { return kernel_.instructions[v].type; }
  const Kernel& kernel() const { return kernel_; }

  uint32_t add_buffer(BufferParam param);
  uint32_t add_scalar(DType type);
  uint32_t add_array(ArrayDecl array);
  uint32_t add_flag_slot();

  // Leaves.
  Value constant(const Scalar& value);
  Value constant(DType type, double value);  // converts exactly or rounds as NumPy's cast does
  Value zero_like(Value x) { return constant(type(x), 0); }
  Value one_like(Value x) { return constant(type(x), 1); }
  Value scalar(uint32_t param);
  Value index(int axis);
  Value extent(int axis);
  Value dimension(uint32_t buffer, int axis);

  // Any arithmetic opcode; checks types. The named methods below cover the opcodes that bodies use most.
  Value unary(Opcode op, Value x);
  Value binary(Opcode op, Value x, Value y);
  Value add(Value x, Value y) { return binary(Opcode::add, x, y); }
  Value sub(Value x, Value y) { return binary(Opcode::sub, x, y); }
  Value mul(Value x, Value y) { return binary(Opcode::mul, x, y); }
  Value div(Value x, Value y) { return binary(Opcode::div, x, y); }
  Value min(Value x, Value y) { return binary(Opcode::min, x, y); }
  Value max(Value x, Value y) { return binary(Opcode::max, x, y); }
  Value bit_and(Value x, Value y) { return binary(Opcode::bit_and, x, y); }
  Value bit_or(Value x, Value y) { return binary(Opcode::bit_or, x, y); }
  Value bit_xor(Value x, Value y) { return binary(Opcode::bit_xor, x, y); }
  Value bit_not(Value x) { return unary(Opcode::bit_not, x); }
  Value fma(Value x, Value y, Value z);
  Value neg(Value x) { return unary(Opcode::neg, x); }
  Value abs(Value x) { return unary(Opcode::abs, x); }  // complex: the magnitude, real type
  Value sqrt(Value x) { return unary(Opcode::sqrt, x); }
  Value exp(Value x) { return unary(Opcode::exp, x); }
  Value log(Value x) { return unary(Opcode::log, x); }
  Value compare(Opcode op, Value x, Value y);  // complex: eq and ne by parts, ordering lexicographic as in NumPy
  Value eq(Value x, Value y) { return compare(Opcode::eq, x, y); }
  Value ne(Value x, Value y) { return compare(Opcode::ne, x, y); }
  Value lt(Value x, Value y) { return compare(Opcode::lt, x, y); }
  Value le(Value x, Value y) { return compare(Opcode::le, x, y); }
  Value gt(Value x, Value y) { return compare(Opcode::gt, x, y); }
  Value ge(Value x, Value y) { return compare(Opcode::ge, x, y); }
  Value select(Value condition, Value x, Value y);
  Value cast(Value x, DType to);  // identity when x has the type already; complex to real drops the imaginary part
  Value bitcast(Value x, DType to);
  Value make_complex(Value real, Value imag);
  Value real(Value x);  // identity on real types
  Value imag(Value x);  // zero on real types

  // Memory.
  // `alignment`: bytes, a multiple of which the element is known to be at; 0: of its part's.
  Value load(uint32_t buffer, std::span<const Value> indices, CacheHint hint = CacheHint::none, int alignment = 0);
  void store(uint32_t buffer, Value value, std::span<const Value> indices, CacheHint hint = CacheHint::none,
             int alignment = 0);
  Value is_aligned(uint32_t buffer, std::span<const Value> indices, int bytes);
  Value load_array(uint32_t array, Value index);
  void store_array(uint32_t array, Value value, Value index);
  Value atomic(AtomicKind kind, uint32_t buffer, Value value, std::span<const Value> indices,
               bool is_imaginary = false);
  Value atomic_array(AtomicKind kind, uint32_t array, Value value, Value index, bool is_imaginary = false);
  Value compare_exchange(uint32_t buffer, Value expected, Value value, std::span<const Value> indices,
                         bool is_imaginary = false);
  Value compare_exchange_array(uint32_t array, Value expected, Value value, Value index, bool is_imaginary = false);

  // Control flow. Bodies are callbacks that receive the region's arguments and return the values it yields.
  using Body = std::function<std::vector<Value>(std::span<const Value> args)>;
  std::vector<Value> if_(Value condition, const Body& then_body, const Body& else_body);
  std::vector<Value> for_(Value lower, Value upper, Value step, std::span<const Value> initial, const Body& body,
                          uint8_t attr = 0);
  /// Runs body for 0 to count - 1; the iterations are independent.
  void for_parallel(Value count, const std::function<void(Value)>& body);
  /// `condition` returns (condition, passed...), or only the condition, which passes the carried values on unchanged.
  std::vector<Value> while_(std::span<const Value> initial, const Body& condition, const Body& body);
  /// Complex elements are reduced by parts: add in NumPy's complex tree, mul/min/max in index order.
  /// From `initial` on, in the elements' type, where it is given.
  Value reduce(ReduceKind kind, ReduceOrder order, Value lower, Value upper, const std::function<Value(Value)>& element,
               Value initial = no_value);
  /// What is built from here on has effects, reads memory and loops only where the condition holds: up to end_guards,
  /// or to the end of the innermost region, beyond which what the region gives is zero where it does not hold, and the
  /// same goes for what is built there by the condition that `still_holds` gives. New memory is allocated all the same.
  void guard(Value condition) { code_.due.push_back(condition); }
  void set_still_holds(std::function<Value()> still_holds) { still_holds_ = std::move(still_holds); }
  /// How many guards are open: from the first instruction on that needs them.
  size_t guards() const { return code_.guards.size(); }
  void open_guards();
  /// Whether there are guards that no instruction has needed yet.
  bool has_due_guards() const { return !code_.due.empty(); }
  void drop_due_guards() { code_.due.clear(); }
  /// What body builds is under no guard but those that are open.
  template <class Body>
  auto unguarded(Body&& body) {
    std::vector<Value> due = std::exchange(code_.due, {});
    struct Back {
      std::vector<Value>&to, &due;
      ~Back() { to.insert(to.begin(), due.begin(), due.end()); }
    } const back{code_.due, due};
    return body();
  }
  /// Ends all open guards but the first so many. Returns what these values are beyond them: where a condition does not
  /// hold, what `otherwise` gives then, or zeros.
  std::vector<Value> end_guards(size_t first, std::vector<Value> values,
                                const std::function<std::vector<Value>()>& otherwise = {});
  /// Whether what is built next may use the value.
  bool is_visible(Value v) const { return is_open(code_.home[v]); }
  void barrier();
  void grid_barrier();
  Value barrier_count(Value condition);
  // Masks are uint32; without one all lanes of the warp take part.
  void warp_barrier(Value mask = no_value);
  Value ballot(Value condition, Value mask = no_value);
  Value match_byte(Value x);
  Value match_any(Value x, Value mask);
  Value shuffle(ShuffleKind kind, Value x, Value which, Value mask, uint32_t width = 32);
  Value active_mask();
  void fence(FenceScope scope);
  void pause(Value nanoseconds = no_value);
  /// Calls the host's function of this number.
  Value call_host(uint32_t function, std::span<const Value> operands);
  /// The number of the function in Kernel::foreign.
  uint32_t add_foreign(const ForeignFunction& function);
  Value call_foreign(uint32_t function, std::span<const Value> operands);
  /// Declares a function, whose body is built between begin_function, which gives its arguments, and end_function.
  /// Values of the code around it are not seen in between.
  uint32_t add_function(FunctionDecl function);
  std::vector<Value> begin_function(uint32_t function);
  void end_function(uint32_t function, std::span<const Value> results);
  std::vector<Value> call(uint32_t function, std::span<const Value> operands);
  /// All functions of another kernel, which has the same buffers, scalars and arrays.
  void copy_functions(const Kernel& from);
  /// Of an element of a buffer, or of an array.
  Value address(Opcode op, uint32_t of, std::span<const Value> indices);
  void check(ErrorRule rule, uint32_t slot, Value result, std::span<const Value> operands);

  /// Copies a kernel over one axis that loads an element of each operand and stores one of each result: its first
  /// buffers are operands, the others results.
  void inline_body(const Kernel& body, std::span<const Value> in, std::span<Value> out, uint32_t flag_slot = 0);

 private:
  friend class RegionCopy;
  friend class BuilderPosition;
  Value append(Instruction instruction, std::span<const Value> args);
  Value append(Instruction instruction, std::initializer_list<Value> args) {
    return append(instruction, std::span<const Value>(args.begin(), args.size()));
  }
  bool is_open(RegionId region) const;
  RegionId add_regions(int count);
  /// Runs body inside the region and closes it with a yield of the values that body returns.
  std::vector<DType> fill_region(RegionId region, std::span<const DType> arg_types, const Body& body);
  /// Copies a closed region; returns the copy's value that corresponds to v.
  Value clone_region(RegionId from, RegionId to, Value v);
  std::vector<Value> results_of(Value control, std::span<const DType> types);
  /// Guards what follows, if guards have ended inside the regions that were just built.
  void guard_again(bool has_ended_around);
  void swap_code(Kernel& with);

  Kernel kernel_;
  /// The code being built: its instructions are in the kernel.
  struct Code {
    bool is_kept = true;
    std::vector<RegionId> open{0};
    std::vector<RegionId> home;  // the region that contains each instruction
    std::vector<Value> known;    // open-addressing hash table of pure instructions, by content
    uint32_t known_count = 0;
    struct Guard {
      RegionId region;  // the first of two
      Value condition;
    };
    std::vector<Guard> guards;
    std::vector<Value> due;  // conditions of guards that are not open yet
    /// Guards were open at the end of a region of the instruction that is being built: where they did not hold, values
    /// that the region gives are zeros, so what follows that instruction is guarded again. Instructions inside that
    /// region look at what lies in their own regions.
    bool has_ended = false;
  };
  Code code_;
  std::function<Value()> still_holds_;
  std::vector<std::pair<Kernel, Code>> suspended_;  // around the function being built
};

/// The value of a reduction over an empty range, in `type`.
Scalar identity(ReduceKind kind, DType type);

}  // namespace tessera::ir
