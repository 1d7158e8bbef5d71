/// Kernel: the one IR. A SIMT program over a parallel index space, with structured control flow and typed accesses.
///
/// A kernel runs its body once for each point (a lane) of a parallel space of `ndim` axes. Lanes are independent except
/// through atomics, shared arrays and barriers. Array expressions, reductions and user kernels are all kernels; the
/// block interpreter, native code and PTX each execute the same text with the same bits.
///
/// The lanes of the last `block_axes` axes, with the same coordinates on all others, form a block: barriers, shared
/// arrays and warps are a block's. Its lanes are numbered in C order, the last axis fastest, and a warp is 32 lanes
/// numbered in a row. A launch of such a kernel covers whole blocks. A user kernel has six axes: blockIdx.z, .y, .x,
/// threadIdx.z, .y, .x, with block_axes = 3; `extent` then is gridDim and blockDim.
///
/// Semantics common to all executions:
///   integers     wrap; division by zero gives 0; MIN / -1 gives MIN; shifts by >= width give 0, arithmetic ones to the
///                right the sign
///   floats       IEEE, round to nearest, denormals kept, never contracted; NaNs equal as a class
///   casts        float to integer truncates; out of range and NaN as x86 (MIN of int32 and int64, narrower ones by
///                truncation)
///   complex      only load, store, make_complex, real, imag, select and constant see complex values
///   float16/bf16 only load, store, cast, select and constant see them; arithmetic is done in float32 and cast back
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/layout/dtype.h"

namespace tessera::ir {

/// Index of an instruction in Kernel::instructions; its result, when it has one.
using Value = uint32_t;
inline constexpr Value no_value = ~0u;
/// Index of a region in Kernel::regions.
using RegionId = uint32_t;
inline constexpr RegionId no_region = ~0u;

enum class Opcode : uint8_t {
  // leaves
  constant,    // imm: index into constants
  scalar,      // imm: index of the scalar parameter
  index,       // imm: axis; this lane's coordinate, int64
  extent,      // imm: axis; the size of the parallel space, int64
  dimension,   // imm: buffer * 64 + axis; extent of a buffer parameter, int64
  region_arg,  // imm: which argument of the enclosing region (induction variable, carried value)
  // arithmetic, two operands of one type
  add,
  sub,
  mul,
  div,        // floats: IEEE; integers: truncating
  floor_div,  // Python's floor division, integers and floats (NumPy's npy_floor_divide)
  rem,        // C's remainder (fmod), sign of the dividend
  floor_mod,  // Python's remainder, sign of the divisor (NumPy's npy_remainder)
  pow,        // floats; integers by repeated squaring (negative exponent: 0, or +-1)
  min,        // NaN if either is NaN; min(-0, +0) is -0
  max,        // NaN if either is NaN; max(-0, +0) is +0
  min_num,    // fmin: the other operand when one is NaN
  max_num,
  atan2,
  hypot,
  copysign,
  next_after,
  ldexp,  // float, int32
  gcd,
  lcm,
  bit_and,  // booleans and integers
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  mul_high,  // the upper half of the product, which is twice as wide
  // arithmetic, three operands
  fma,
  // one operand
  neg,
  abs,
  sign,
  bit_not,
  popcount,       // of the bits as they are; uint8
  leading_zeros,  // of the bits as they are, 0 has them all; uint8
  reverse_bits,
  sqrt,
  cbrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  tgamma,
  lgamma,
  floor,
  ceil,
  trunc,
  rint,
  spacing,
  frexp_mantissa,
  frexp_exponent,    // int32
  guess_reciprocal,  // 1 / x to 20 bits at least; those beyond are up to the execution
  is_nan,            // boolean
  is_inf,
  is_finite,
  sign_bit,
  // comparisons, boolean result
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  // conversions
  select,        // boolean, a, b
  cast,          // to Instruction::type
  bitcast,       // same width
  make_complex,  // real, imag
  real,
  imag,
  // memory; imm: buffer parameter (or local / shared array id for the *_array forms)
  load,   // indices...
  store,  // value, indices...
  load_array,
  store_array,
  atomic,  // attr: atomic_attr(); [expected,] value, indices...; result: the old value; expected: compare_exchange
           // only;
           // on a complex element one of its parts, whose type the instruction has
  atomic_array,   // the same on an array; imm: array; [expected,] value, index
  address,        // imm: buffer; indices...; int64: where the element is in memory, for functions in other code
  address_array,  // imm: array; index; the same of an array's element
  is_aligned,  // imm: buffer; attr: bytes; indices...; boolean: whether the element is at a multiple of so many bytes
  // control; regions say what their arguments and results are
  if_,     // condition; region 0 then, region 1 else (optional); results by yield
  for_,    // lower, upper, step, initial carried values...; region args: index, carried...; see loop_index.h
  while_,  // initial carried values...; region 0 (args: carried) yields (condition, passed...); while true region 1
           // (args: passed) yields the next carried; results: what region 0 passed last
  reduce,  // lower, upper (step 1), [initial]; attr: reduce_attr(); region arg: index; region yields the element; see
           // below
  yield,   // values...; ends a region
  result,  // imm: k; extra results of the preceding for_/while_/if_ (argument 0)
  // Meeting points. Those of a block are reached by all its lanes or, in control flow that differs between lanes, by
  // all
  // that still run; those of a warp (32 lanes in a row, counted from the block's first) by the lanes in their mask,
  // which
  // is a uint32 and names this lane, too: bit k is the warp's lane k.
  barrier,        // all lanes of a block
  barrier_count,  // condition; int32: the number of lanes for which it holds; a barrier
  grid_barrier,   // all lanes of all blocks; writes before it are visible to all after it
  warp_barrier,   // [mask]; writes before it are visible to the warp's lanes after it; without a mask all lanes
  ballot,         // condition, [mask]; uint32: bit k is the condition in lane k; without a mask all lanes
  match_byte,     // uint32; uint32: bit k is set when the warp's lane k has the same lowest byte; all lanes
  match_any,      // value of 4 or 8 bytes, mask; uint32: the lanes of the mask with the same bits
  shuffle,        // attr: ShuffleKind; imm: width; value of 4 or 8 bytes, int32 which, mask; see ShuffleKind
  active_mask,    // uint32: lanes that execute this together; which ones is up to the execution
  fence,          // attr: FenceScope; this lane's accesses before it are seen before those after it
  pause,          // [uint32 nanoseconds]; this lane waits for what others store: a hint to let those run
  call_host,      // imm: a number of the host's; int64s...; int64: what KernelArguments::host gives; on the host only
  call_foreign,   // imm: index into foreign; its arguments; its result, or int64 0 where it has none; on a device only
  call,           // imm: index into functions; its arguments; its results
  check,          // attr: ErrorRule; imm: slot; (result, operands...): ORs floating-point events into the flags
};

/// Reductions of `reduce`. `pairwise` sums follow NumPy's tree: 8 interleaved lanes on leaves of at most 128 elements,
/// halving at multiples of 8, in chunks of 8192. Chunk results are joined level by level: neighbours 2k and 2k+1 are
/// joined, an odd last one moves up. `pairwise_complex`, for the parts of complex sums, halves the leaf: 4 lanes,
/// leaves of at most 64, halving at multiples of 4. `sequential` combines in index order. All start from the first
/// element, or, where it is given (`sequential` only), from `initial`, which continues another reduction; an empty
/// range gives that, else the identity. The elements are independent: the region may run for them in any order, or for
/// all at once.
enum class ReduceKind : uint8_t { add, mul, min, max, min_num, max_num, bit_and, bit_or, bit_xor };
enum class ReduceOrder : uint8_t { pairwise, sequential, pairwise_complex };

/// Instruction::attr of a reduce.
constexpr uint8_t reduce_attr(ReduceKind kind, ReduceOrder order) {
  return static_cast<uint8_t>(static_cast<int>(kind) | static_cast<int>(order) << 4);
}
constexpr ReduceKind reduce_kind(uint8_t attr) { return static_cast<ReduceKind>(attr & 15); }
constexpr ReduceOrder reduce_order(uint8_t attr) { return static_cast<ReduceOrder>(attr >> 4); }
/// Instruction::attr of a `for_` without carried values whose iterations are independent: they may run in any order,
/// and at once.
inline constexpr uint8_t parallel_iterations = 1;
/// Instruction::attr of a `for_` to whose carried sums the terms may be added in any order.
inline constexpr uint8_t free_sums = 2;
/// The two-operand instruction that a reduction repeats.
Opcode combining_opcode(ReduceKind kind);

/// `min` and `max` replace the old value where the new one is less (greater), so a NaN on either side keeps it;
/// `min_num` and `max_num` replace NaN, too. `increment`: old >= value ? 0 : old + 1; `decrement`: old == 0 || old >
/// value ? value : old - 1; both on unsigned integers.
enum class AtomicKind : uint8_t {
  add,
  sub,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange,
  min_num,
  max_num,
  increment,
  decrement,
};
inline constexpr AtomicKind last_atomic_kind = AtomicKind::decrement;

/// Instruction::attr of an atomic.
constexpr uint8_t atomic_attr(AtomicKind kind, bool is_imaginary) {
  return static_cast<uint8_t>(static_cast<int>(kind) | static_cast<int>(is_imaginary) << 7);
}
constexpr AtomicKind atomic_kind(uint8_t attr) { return static_cast<AtomicKind>(attr & 127); }
constexpr bool is_of_imaginary_part(uint8_t attr) { return attr >> 7; }

/// The lane from which `shuffle` takes the value, of a segment of `width` (a power of two up to 32) neighbours, as PTX
/// defines it: `which` is taken modulo 32; `index` counts in the segment; up and down stay in the segment, and
/// `exchange` (of lane numbers by exclusive or) does not go above it, else the lane keeps its own value. It keeps it,
/// too, where the other lane does not run (on a device the result then is undefined).
enum class ShuffleKind : uint8_t { index, up, down, exchange };

/// Who sees a lane's accesses in the order of its fences.
enum class FenceScope : uint8_t { block, device, system };

/// Instruction::attr of loads and stores of buffers: which of a device's caches should keep the line; the host's keep
/// it. `reread` loads from memory each time, so that a loop sees what other lanes store.
enum class CacheHint : uint8_t { none, all, second_level, streaming, last_use, reread, write_back, write_through };

/// Floating-point events, as bits of KernelArguments::flags[slot].
enum FloatEvent : uint8_t { event_divide = 1, event_overflow = 2, event_underflow = 4, event_invalid = 8 };

/// How `check(result, operands...)` derives floating-point events from values; the same on every device.
enum class ErrorRule : uint8_t {
  none,
  arithmetic,      // invalid: NaN from no NaN operand; overflow: inf from finite operands
  divide,          // divide: x/0 with x finite nonzero; 0/0 and inf/inf invalid; overflow as arithmetic
  integer_divide,  // divide: divisor 0; overflow: MIN / -1
  pole,            // log and friends: inf from a finite operand is divide; NaN from no NaN is invalid
  power,           // 0 to a negative power is divide; else arithmetic
  cast,    // float to integer: NaN or outside cast_range is invalid; to a narrower float: inf from finite is overflow
  inside,  // of an op of the user's, whose body has checks of its own (event_checks.h); no instruction has it
};

/// The range in which a float converts to an integer without a floating-point event. It is the range of the machine
/// conversion that C uses for that type, which is wider than the type itself; excess bits are dropped. Both limits are
/// exact in either float type.
struct CastRange {
  double first;  // the truncated value is at least this
  double limit;  // and less than this
};
inline CastRange cast_range(DType to) {
  if (itemsize(to) < 4 || to == DType::int32) return {-0x1p31, 0x1p31};
  return {-0x1p63, to == DType::uint64 ? 0x1p64 : 0x1p63};
}

/// Static facts about how a buffer parameter is accessed along its last axis.
enum class InnerStride : uint8_t { strided, contiguous, broadcast };

struct BufferParam {
  DType dtype;
  uint8_t ndim;
  bool readable = true;
  bool writable = false;
  bool streaming = false;  // non-temporal store: the result is large and not read soon
  bool no_alias = true;    // shares no element with another parameter, except at the same lane; see iterations_apart.h
  InnerStride inner = InnerStride::strided;
  bool aligned = false;       // element 0 is at a multiple of 16 bytes
  int16_t strides_like = -1;  // an earlier parameter with identical strides, or -1
  friend bool operator==(const BufferParam&, const BufferParam&) = default;
};

struct Instruction {
  Opcode op;
  DType type = DType::boolean;  // of the result; for store and check, of the value
  uint8_t attr = 0;
  /// Of loads and stores of buffers: bytes, 2 to 16, a multiple of which the element is at (`is_aligned` tells); 0: of
  /// its part's. Targets join accesses of neighbours that are aligned so, and both parts of a complex number.
  uint8_t alignment = 0;
  uint32_t imm = 0;
  uint32_t first_arg = 0;  // into Kernel::args
  uint16_t arg_count = 0;
  uint16_t region_count = 0;
  RegionId first_region = no_region;
};

struct Region {
  std::vector<DType> arg_types;
  std::vector<Value> body;        // instructions in order; the last is a yield when the region has results
  std::vector<Value> arg_values;  // the region_arg instructions
};

struct ArrayDecl {
  DType dtype;
  int64_t size;
  bool shared;  // one per block; else one per lane; contents undefined at the start
  /// Shared arrays of size 0 all begin at the block's dynamic memory, whose size the launch gives.
  bool is_dynamic() const { return shared && size == 0; }
  friend bool operator==(const ArrayDecl&, const ArrayDecl&) = default;
};

/// What a user asks of a kernel's code on a device; on the host they change nothing.
struct DeviceOptions {
  int16_t max_registers = 0;  // of a thread; 0: the assembler's choice
  int16_t max_threads = 0;    // of a block, so that registers are allotted for them; 0: those of the launch
  int16_t min_blocks = 0;     // a multiprocessor; 0: the assembler's choice
  int16_t max_cluster = 0;    // blocks of a cluster; 0: no clusters
  int16_t carveout = -1;  // per cent of a multiprocessor's first-level memory that are shared; -1: the driver's choice
  int8_t optimization = -1;  // of the assembler, 0 to 4; -1: its own
  friend bool operator==(const DeviceOptions&, const DeviceOptions&) = default;
};

/// A function in other code for a device. It may read and write whatever its arguments are addresses of.
struct ForeignFunction {
  std::string name;  // its symbol
  std::optional<DType> result{};
  std::vector<DType> parameters{};  // addresses are int64
  bool is_numbas = false;           // int name(result*, parameters...); else result name(parameters...)
  bool meets_in_grid = false;       // it waits for other blocks, so all have to run together
  friend bool operator==(const ForeignFunction&, const ForeignFunction&) = default;
};

/// A function that the kernel and its functions call, itself included. It runs for the lane that calls it, takes
/// scalars and yields scalars, and reads and writes the kernel's buffers, scalar parameters and local arrays. Its lanes
/// meet nowhere, and it uses no shared arrays. Chains of calls must end: whoever builds kernels counts how deep they
/// are.
struct FunctionDecl {
  std::string name = "function";
  std::vector<DType> parameters{}, results{};
  friend bool operator==(const FunctionDecl&, const FunctionDecl&) = default;
};

/// A kernel is a value: it copies, prints, parses and compares.
struct Kernel {
  std::string name = "kernel";
  uint8_t ndim = 1;        // axes of the parallel space; the last is innermost
  uint8_t block_axes = 1;  // how many of them, the last ones, are a block
  /// Of the last axes, where all launches have the same; 0: what a launch says.
  std::array<int16_t, 3> known_extents{};
  bool fast_math = false;  // device: approximate float32 functions, no subnormals; host: sums of loops in any order
  DeviceOptions device{};
  std::vector<BufferParam> buffers;
  std::vector<DType> scalars;
  std::vector<ArrayDecl> arrays;
  std::vector<ForeignFunction> foreign;
  uint64_t linked = 0;  // a hash of the code that defines `foreign`, which whoever links the kernel has; 0: none
  std::vector<FunctionDecl> functions;
  std::vector<Kernel> bodies;  // of the functions, without what the kernel declares; see function_kernel
  std::vector<Scalar> constants;
  std::vector<Instruction> instructions;
  std::vector<Value> args;
  std::vector<Region> regions{Region{}};  // regions[0] is the body
  uint32_t flag_slots = 0;

  std::span<const Value> operands(Value v) const {
    const Instruction& i = instructions[v];
    return {args.data() + i.first_arg, i.arg_count};
  }
  const Region& region(Value v, int k) const { return regions[instructions[v].first_region + k]; }
  /// 0 if only a launch says it.
  int known_extent(int axis) const {
    return ndim - axis <= 3 ? known_extents[static_cast<size_t>(axis - ndim + 3)] : 0;
  }
  /// The first axis of a block.
  int first_block_axis() const { return ndim > block_axes ? ndim - block_axes : 0; }
  /// The number of results of v; result 0 is v itself, the others are `result` instructions.
  int result_count(Value v) const;

  /// Structural equality, independent of numbering and names.
  friend bool operator==(const Kernel& a, const Kernel& b);
};

/// Structural hash: equal kernels have equal hashes; names are ignored.
uint64_t structural_hash(const Kernel& kernel);
/// The values a region yields; empty when it yields none.
std::span<const Value> yielded(const Kernel& kernel, const Region& region);
/// The k-th function as a kernel of its own: its body with all that the kernel declares. The body's region takes the
/// function's arguments and yields its results.
Kernel function_kernel(const Kernel& kernel, size_t k);
/// The body of such a kernel, without what it declares.
Kernel function_body(Kernel function);
/// Whether the lanes of a block can observe each other: by barriers, shared arrays, votes or shuffles.
bool meets_in_blocks(const Kernel& kernel);
/// Whether all blocks have to run together: their lanes wait for each other at barriers of the grid.
bool meets_in_grid(const Kernel& kernel);
/// Whether lanes wait at barriers of the grid or for what others store (`pause`), so that those must run meanwhile.
bool waits_for_others(const Kernel& kernel);
/// The same program without unused pure instructions, numbered in textual order.
Kernel compact(const Kernel& kernel);
/// The textual form; parse(print(k)) is k.
std::string print(const Kernel& kernel);
Kernel parse(std::string_view text);  // throws ValueError with line and column
/// Throws InvariantError naming the first broken rule (types, dominance, buffer ranks, yields).
void verify(const Kernel& kernel);

std::string_view name(Opcode op);
/// The primitive of this name, as the printer writes it.
std::optional<Opcode> opcode_from_name(std::string_view name);

}  // namespace tessera::ir
