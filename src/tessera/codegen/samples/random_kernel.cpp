#include "tessera/codegen/samples/random_kernel.h"

#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"

namespace tessera::codegen {

using ir::Builder;
using ir::InnerStride;
using ir::Opcode;
using ir::Value;
using Values = std::vector<Value>;

namespace {

constexpr DType all_types[] = {DType::boolean,  DType::int8,    DType::uint8,   DType::int16,     DType::uint16,
                               DType::int32,    DType::uint32,  DType::int64,   DType::uint64,    DType::float16,
                               DType::bfloat16, DType::float32, DType::float64, DType::complex64, DType::complex128};

constexpr DType register_types[] = {DType::boolean, DType::int32,   DType::uint32, DType::int64,
                                    DType::uint64,  DType::float32, DType::float64};

/// Whether the result depends on the sign of a NaN, which is undefined.
bool shows_nan_sign(Opcode op) { return op == Opcode::copysign || op == Opcode::sign_bit || op == Opcode::bitcast; }

Scalar random_scalar(std::mt19937_64& random, DType dtype) {
  const auto real = [&]() -> double {
    switch (random() % 12) {
      case 0: return 0.0;
      case 1: return -0.0;
      case 2: return std::numeric_limits<double>::infinity();
      case 3: return std::nan("");
      case 4: return static_cast<double>(static_cast<int64_t>(random() % 7)) - 3;
      default:
        return (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * std::exp2(static_cast<double>(random() % 12));
    }
  };
  if (is_boolean(dtype)) return Scalar::of_bool(random() & 1);
  if (is_integer(dtype)) return Scalar::of_int(dtype, static_cast<int64_t>(random()) >> (random() % 64));
  if (is_complex(dtype)) return Scalar::of_complex(dtype, {real(), real()});
  return Scalar::of_float(dtype, real());
}

}  // namespace

/// Writes the body: a pool of values grows by random instructions on values of the pool.
class KernelWriter {
 public:
  KernelWriter(RandomKernel& target, uint64_t seed, Forms mappings)
      : target_(target),
        random_(seed),
        is_straight_(mappings == Forms::straight),
        has_blocks_(mappings == Forms::blocks),
        b_(draw_ndim(), "random", draw_block_axes()) {
    const int longest = is_straight_ && pick(8) == 0 ? 5000 : has_blocks_ ? 40 : 70;
    const int others = has_blocks_ ? 4 : 6;
    for (int axis = 0; axis < ndim_; ++axis) target_.extents_.push_back(1 + pick(axis + 1 == ndim_ ? longest : others));
    for (int k = 1 + pick(4); k > 0; --k) add_buffer(any_type(), false);
    for (int k = pick(3); k > 0; --k) {
      const DType type = any_type();
      target_.scalars_.push_back(random_scalar(random_, type));
      b_.add_scalar(type);
    }
    for (int axis = 0; axis < ndim_; ++axis) indices_.push_back(b_.index(axis));
    for (uint32_t k = 0; k < target_.buffers_.size(); ++k) add(b_.load(k, indices_of(k)));
    for (uint32_t k = 0; k < target_.scalars_.size(); ++k) add(b_.scalar(k));
    for (Value index : indices_)
      if (!is_straight_ || index == indices_.back()) add(index);
    is_plain_ = is_straight_ || pick(3) == 0;
    for (int k = 4 + pick(is_straight_ ? 60 : 20); k > 0; --k) write_instruction(is_plain_ ? 0 : 2);
    // Kernels of several results load some operands after the first stores.
    for (int k = is_plain_ ? pick(3) : 0; k > 0; --k) {
      write_store();
      const uint32_t late = add_buffer(any_type(), false);
      add(b_.load(late, indices_of(late)));
      for (int more = pick(6); more > 0; --more) write_instruction(0);
    }
    for (int k = has_blocks_ ? 1 + pick(3) : 0; k > 0; --k) {
      write_meeting();
      for (int more = pick(6); more > 0; --more) write_instruction(2);
    }
    for (int k = 1 + pick(3); k > 0; --k) write_store();
    target_.kernel_ = b_.take();
  }

 private:
  int draw_ndim() {
    is_user_ = has_blocks_ && pick(2);
    return ndim_ = is_user_ ? 6 : has_blocks_ ? 2 + pick(3) : 1 + pick(3);
  }
  int draw_block_axes() { return block_axes_ = is_user_ ? 3 : has_blocks_ ? 2 + pick(std::min(ndim_, 3) - 1) : 1; }
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  DType any_type() {
    if (is_straight_ && pick(12) != 0) return register_types[pick(std::size(register_types))];
    return all_types[pick(std::size(all_types))];
  }
  void add(Value v) { pool_[b_.type(v)].push_back(v); }

  /// A value of this type: from the pool, else a constant.
  Value value_of(DType type) {
    const Values& known = pool_[type];
    if (known.empty() || pick(8) == 0) return b_.constant(random_scalar(random_, type));
    return known[random_() % known.size()];
  }
  /// A small count: uniform for all lanes, or different between lanes.
  Value small_count(bool uniform) {
    if (uniform) return b_.constant(DType::int64, pick(6));
    return b_.bit_and(value_of(DType::int64), b_.constant(DType::int64, 3));
  }

  std::vector<Value> indices_of(uint32_t buffer) {
    const size_t rank = target_.buffers_[buffer].shape.size();
    return {indices_.end() - static_cast<ptrdiff_t>(rank), indices_.end()};
  }

  /// A parameter that the lanes traverse, with strides that match its declared property of the last axis.
  uint32_t add_buffer(DType type, bool is_output) {
    RandomKernel::Buffer buffer;
    const int rank = is_output ? ndim_ : pick(4) ? ndim_ : 1;
    buffer.shape.assign(target_.extents_.end() - rank, target_.extents_.end());
    buffer.param = {.dtype = type, .ndim = static_cast<uint8_t>(rank)};
    buffer.param.inner = pick(3)                ? InnerStride::contiguous
                         : is_output || pick(2) ? InnerStride::strided
                                                : InnerStride::broadcast;
    if (is_output) {
      buffer.param.writable = true;
      buffer.param.readable = false;
      buffer.param.streaming = pick(3) == 0;
    }
    int64_t stride = itemsize(type);
    int64_t lowest = 0, highest = 0;
    buffer.strides.resize(rank);
    for (int axis = rank - 1; axis >= 0; --axis) {
      const bool is_inner = axis == rank - 1;
      if (is_inner && buffer.param.inner == InnerStride::strided) stride *= 1 + pick(3);
      int64_t here = stride;
      if (is_inner && buffer.param.inner == InnerStride::broadcast) here = 0;
      if (!is_output && !is_inner && pick(6) == 0) here = 0;
      if ((!is_inner || buffer.param.inner == InnerStride::strided) && pick(4) == 0) here = -here;
      buffer.strides[axis] = here;
      (here < 0 ? lowest : highest) += here * (buffer.shape[axis] - 1);
      stride *= buffer.shape[axis];
    }
    buffer.start = -lowest;
    buffer.data.resize(static_cast<size_t>(highest - lowest + itemsize(type)));
    for (size_t at = 0; at + itemsize(type) <= buffer.data.size(); at += itemsize(type))
      std::memcpy(&buffer.data[at], random_scalar(random_, type).bytes, itemsize(type));
    target_.buffers_.push_back(buffer);
    return b_.add_buffer(buffer.param);
  }

  void write_instruction(int depth) {
    const bool in_reduce = in_reduce_;
    try {
      switch (pick(depth > 0 ? 14 : 9)) {
        case 0:
        case 1:
        case 2: return write_unary();
        case 3:
        case 4:
        case 5: return write_binary();
        case 6: return add(b_.cast(value_of(any_type()), any_type()));
        case 7: {
          const DType type = any_type();
          return add(b_.select(value_of(DType::boolean), value_of(type), value_of(type)));
        }
        case 8: return in_reduce_ || is_user_ ? void() : write_check();
        case 9: return write_if(depth);
        case 10: return write_for(depth);
        case 11: return write_while(depth);
        case 12: return write_reduce(depth);
        default: return in_reduce_ ? void() : write_array();
      }
    } catch (const InvariantError&) {
      in_reduce_ = in_reduce;
      // The type has no such operation: this draw adds no instruction.
    }
  }

  bool fits(Opcode op, DType type) {
    return !shows_nan_sign(op) && (is_complex(type) || itemsize(type) == 2 || ir::accepts(op, type));
  }

  void write_unary() {
    const Opcode op = static_cast<Opcode>(
        static_cast<int>(Opcode::neg) + pick(static_cast<int>(Opcode::is_finite) - static_cast<int>(Opcode::neg) + 1));
    const DType type = any_type();
    if (fits(op, type)) add(b_.unary(op, value_of(type)));
  }

  void write_binary() {
    const int last = static_cast<int>(Opcode::shift_right);
    const int drawn = pick(last - static_cast<int>(Opcode::add) + 7);
    const Opcode op =
        drawn > last - static_cast<int>(Opcode::add)
            ? static_cast<Opcode>(static_cast<int>(Opcode::eq) + drawn - last + static_cast<int>(Opcode::add) - 1)
            : static_cast<Opcode>(static_cast<int>(Opcode::add) + drawn);
    const DType type = any_type();
    if (op == Opcode::ldexp || !fits(op, type)) return;
    add(b_.binary(op, value_of(type), value_of(type)));
  }

  void write_check() {
    if (pick(6) == 0) return write_checked_division();
    const DType type = pick(2) ? DType::float64 : DType::float32;
    constexpr ir::ErrorRule rules[] = {ir::ErrorRule::arithmetic, ir::ErrorRule::divide, ir::ErrorRule::pole,
                                       ir::ErrorRule::power, ir::ErrorRule::cast};
    const ir::ErrorRule rule = rules[pick(5)];
    const Value x = value_of(type), y = value_of(type);
    const uint32_t slot = b_.add_flag_slot();
    Values operands = {x, y};
    Value result = b_.add(x, y);
    if (rule == ir::ErrorRule::divide) result = b_.div(x, y);
    if (rule == ir::ErrorRule::power) result = b_.binary(Opcode::pow, x, y);
    if (rule == ir::ErrorRule::pole || rule == ir::ErrorRule::cast) operands = {x};
    if (rule == ir::ErrorRule::pole) result = b_.log(x);
    if (rule == ir::ErrorRule::cast) result = b_.cast(x, all_types[pick(11)]);
    add(result);
    b_.check(rule, slot, result, operands);
  }

  void write_checked_division() {
    const DType type = pick(2) ? DType::int32 : DType::int64;
    const Value x = value_of(type), y = value_of(type);
    const Value result = b_.binary(pick(2) ? Opcode::floor_div : Opcode::floor_mod, x, y);
    add(result);
    b_.check(ir::ErrorRule::integer_divide, b_.add_flag_slot(), result, {{x, y}});
  }

  /// Writes a region, in which the values outside are available, and drops its values afterwards.
  Values inside(int depth, std::span<const Value> args, const std::vector<DType>& results) {
    const auto outside = pool_;
    for (Value arg : args) add(arg);
    for (int k = 1 + pick(4); k > 0; --k) write_instruction(depth - 1);
    Values yields;
    for (DType type : results) yields.push_back(value_of(type));
    pool_ = outside;
    return yields;
  }

  std::vector<DType> some_types() {
    std::vector<DType> types;
    for (int k = 1 + pick(3); k > 0; --k) types.push_back(any_type());
    return types;
  }

  Values values_of(const std::vector<DType>& types) {
    Values values;
    for (DType type : types) values.push_back(value_of(type));
    return values;
  }

  void write_if(int depth) {
    const std::vector<DType> types = some_types();
    const Value condition = pick(3) ? value_of(DType::boolean) : b_.constant(Scalar::of_bool(pick(2)));
    const auto body = [&](std::span<const Value> args) { return inside(depth, args, types); };
    for (Value v : b_.if_(condition, body, body)) add(v);
  }

  void write_for(int depth) {
    const std::vector<DType> types = some_types();
    const bool uniform = pick(2);
    const Value lower = small_count(true), upper = small_count(uniform),
                step = b_.constant(DType::int64, pick(4) ? 1 : -1);
    for (Value v : b_.for_(lower, upper, step, values_of(types),
                           [&](std::span<const Value> args) { return inside(depth, args, types); }))
      add(v);
  }

  void write_while(int depth) {
    std::vector<DType> types = some_types();
    types.insert(types.begin(), DType::int64);
    Values initial = values_of(types);
    initial[0] = small_count(pick(2));
    const Value zero = b_.constant(DType::int64, 0);
    const Values results = b_.while_(
        initial, [&](std::span<const Value> args) { return Values{b_.gt(args[0], zero)}; },
        [&](std::span<const Value> args) {
          Values next = inside(depth, args, types);
          next[0] = b_.sub(args[0], b_.constant(DType::int64, 1));
          return next;
        });
    for (Value v : results) add(v);
  }

  void write_reduce(int depth) {
    const DType type = any_type();
    const auto kind = static_cast<ir::ReduceKind>(pick(9));
    if (kind >= ir::ReduceKind::bit_and && (is_floating(type) || is_complex(type))) return;
    if (kind >= ir::ReduceKind::min && is_complex(type)) return;
    const auto order = static_cast<ir::ReduceOrder>(pick(2));
    const Value upper = pick(3) ? b_.constant(DType::int64, pick(300)) : small_count(pick(2));
    // Effects that the element does not depend on are not allowed in a reduction; a check of the element is.
    const bool outside = std::exchange(in_reduce_, true);
    const Value total = b_.reduce(kind, order, b_.constant(DType::int64, 0), upper, [&](Value k) {
      const Value args[] = {k};
      const Value x = inside(depth, args, {type})[0];
      if (type != DType::float64 || pick(2)) return x;
      const Value root = b_.sqrt(x);
      if (is_user_) return root;
      b_.check(ir::ErrorRule::arithmetic, b_.add_flag_slot(), root, {&x, 1});
      return root;
    });
    in_reduce_ = outside;
    add(total);
  }

  void write_array() {
    const DType type = any_type();
    const uint32_t array = b_.add_array({.dtype = type, .size = 4, .shared = false});
    for (int k = 0; k < 4; ++k) b_.store_array(array, value_of(type), b_.constant(DType::int64, k));
    if (pick(2)) b_.store_array(array, value_of(type), small_count(false));
    add(b_.load_array(array, small_count(false)));
  }

  /// This lane's number in its block.
  Value rank() {
    Value rank = b_.constant(DType::int64, 0);
    for (int axis = ndim_ - block_axes_; axis < ndim_; ++axis)
      rank = b_.add(b_.mul(rank, b_.extent(axis)), indices_[static_cast<size_t>(axis)]);
    return rank;
  }
  int64_t lanes() const {
    int64_t lanes = 1;
    for (int axis = ndim_ - block_axes_; axis < ndim_; ++axis) lanes *= target_.extents_[static_cast<size_t>(axis)];
    return lanes;
  }

  /// Lanes exchange values through a shared array, perhaps in a loop or a branch that all lanes of the block take.
  void write_meeting() {
    const DType type = any_type();
    const int64_t count = lanes();
    const uint32_t shared = b_.add_array({.dtype = type, .size = count, .shared = true});
    const bool counts = (type == DType::int32 || type == DType::int64) && pick(2);
    const auto exchange = [&](Value given, Value shift) {
      const Value place = b_.binary(Opcode::rem, b_.add(rank(), b_.abs(shift)), b_.constant(DType::int64, count));
      b_.store_array(shared, given, rank());
      b_.barrier();
      if (counts) {
        b_.atomic_array(ir::AtomicKind::add, shared, b_.one_like(given), place);
        b_.barrier();
      }
      const Value taken = b_.load_array(shared, place);
      b_.barrier();
      return taken;
    };
    const Values initial{value_of(type)};
    const auto body = [&](std::span<const Value> args) {
      const Value index = args.empty() ? b_.constant(DType::int64, pick(9)) : args[0];
      const auto outside = pool_;
      write_instruction(1);
      const Value taken = exchange(args.empty() ? initial[0] : args[1], index);
      write_instruction(1);
      pool_ = outside;
      return Values{taken};
    };
    switch (pick(is_user_ ? 3 : 4)) {
      case 0: return add(exchange(initial[0], b_.constant(DType::int64, pick(9))));
      case 1:
        return add(
            b_.for_(b_.constant(DType::int64, 0), small_count(true), b_.constant(DType::int64, 1), initial, body)[0]);
      case 3: {
        // Lanes part here, which a device does not allow. Those that are away have left something to read.
        b_.store_array(shared, initial[0], rank());
        b_.barrier();
        const Value way = value_of(DType::boolean);
        if (pick(2)) return add(b_.if_(way, body, body)[0]);
        return add(b_.if_(way, body, [&](auto) { return Values{value_of(type)}; })[0]);
      }
      default: {
        const Value first = indices_[0];
        const Value chosen = ndim_ > block_axes_ ? b_.gt(first, b_.constant(DType::int64, 0))
                                                 : b_.gt(b_.extent(0), b_.constant(DType::int64, 2));
        return add(b_.if_(chosen, body, [&](auto) { return initial; })[0]);
      }
    }
  }

  /// Sometimes another type with elements of the same size.
  DType any_type_like(DType type) {
    const DType other = any_type();
    return itemsize(other) == itemsize(type) ? other : type;
  }

  /// Adds a result that shares an operand's memory, where one is contiguous row after row.
  bool write_replacement() {
    for (size_t k = 0; k < target_.buffers_.size(); ++k) {
      RandomKernel::Buffer result = target_.buffers_[k];
      if (result.param.writable || result.param.inner != InnerStride::contiguous ||
          static_cast<int>(result.shape.size()) != ndim_)
        continue;
      bool taken = false;
      for (const RandomKernel::Buffer& other : target_.buffers_) taken |= other.replaces == static_cast<int64_t>(k);
      for (int64_t stride : result.strides) taken |= stride <= 0;
      if (taken) continue;
      result.param.writable = true;
      result.param.readable = false;
      result.param.streaming = pick(3) == 0;
      result.param.dtype = any_type_like(result.param.dtype);
      result.replaces = static_cast<int64_t>(k);
      const Value v = value_of(result.param.dtype);
      target_.buffers_.push_back(result);
      b_.store(b_.add_buffer(result.param), v, indices_);
      return true;
    }
    return false;
  }

  void write_store() {
    if (is_plain_ && pick(2) && write_replacement()) return;
    DType type = any_type();
    for (int k = 0; k < 4 && pool_[type].empty(); ++k) type = any_type();
    const uint32_t out = add_buffer(type, true);
    const Value v = value_of(type);
    if (is_straight_ || pick(3)) return b_.store(out, v, indices_of(out));
    b_.if_(
        value_of(DType::boolean),
        [&](auto) {
          b_.store(out, v, indices_of(out));
          return Values{};
        },
        nullptr);
  }

  RandomKernel& target_;
  std::mt19937_64 random_;
  const bool is_straight_, has_blocks_;
  int ndim_ = 0, block_axes_ = 1;
  bool is_user_ = false;
  bool in_reduce_ = false;
  bool is_plain_ = false;  // no control flow
  Builder b_;
  std::vector<Value> indices_;
  std::map<DType, Values> pool_;
};

RandomKernel::RandomKernel(uint64_t seed, Forms mappings) { KernelWriter(*this, seed, mappings); }

}  // namespace tessera::codegen
