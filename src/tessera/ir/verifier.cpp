#include <algorithm>
#include <array>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel), defined_(kernel.instructions.size()) {}

  void run() {
    invariant(kernel_.ndim <= 64, "verify: {} axes", int{kernel_.ndim});
    invariant(kernel_.block_axes >= 1 && kernel_.block_axes <= std::max<uint8_t>(kernel_.ndim, 1),
              "verify: a block of {} axes in a kernel of {}", int{kernel_.block_axes}, int{kernel_.ndim});
    invariant(!kernel_.regions.empty() && kernel_.regions[0].arg_types.empty(), "verify: the body takes no arguments");
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const BufferParam& param = kernel_.buffers[b];
      invariant(param.strides_like < static_cast<int>(b), "verify: buffer {} has strides like a later one", b);
      invariant(param.ndim <= 64, "verify: buffer {} has {} axes", b, int{param.ndim});
      if (param.strides_like >= 0) {
        invariant(kernel_.buffers[param.strides_like].ndim == param.ndim,
                  "verify: buffer {} has strides of another rank", b);
      }
    }
    for (const ArrayDecl& a : kernel_.arrays) {
      invariant(a.size >= 0 && a.size <= int64_t{1} << 31, "verify: array of {} elements", a.size);
    }
    invariant(kernel_.bodies.size() == kernel_.functions.size(), "verify: {} functions with {} bodies",
              kernel_.functions.size(), kernel_.bodies.size());
    for (size_t k = 0; k < kernel_.functions.size(); ++k) {
      const Kernel function = function_kernel(kernel_, k);
      Verifier(function).run_function(kernel_.functions[k]);
    }
    check_region(0, no_value);
  }

 private:
  void run_function(const FunctionDecl& declared) {
    is_function_ = true;
    invariant(!kernel_.regions.empty() && kernel_.regions[0].arg_types == declared.parameters,
              "verify: the body of {} takes other arguments", declared.name);
    check_region(0, no_value);
    const std::span<const Value> results = yielded(kernel_, kernel_.regions[0]);
    invariant(types_of(results) == declared.results, "verify: the body of {} yields other results", declared.name);
  }

  /// What a function's lane must not do: others may not call it at the same time.
  void check_in_function(Value v, const Instruction& i) const {
    const bool of_array = i.op == Opcode::load_array || i.op == Opcode::store_array || i.op == Opcode::atomic_array;
    invariant(!of_array || i.imm >= kernel_.arrays.size() || !kernel_.arrays[i.imm].shared,
              "verify: %{} {} uses a shared array in a function", v, name(i.op));
    const bool meets = is_meeting(i.op) || i.op == Opcode::pause || i.op == Opcode::call_foreign ||
                       i.op == Opcode::address || i.op == Opcode::address_array || i.op == Opcode::check;
    invariant(!meets, "verify: %{} {} in a function", v, name(i.op));
  }

  DType type(Value v) const { return kernel_.instructions[v].type; }

  void check_region(RegionId id, Value owner) {
    invariant(id < kernel_.regions.size(), "verify: region {} of {}", id, kernel_.regions.size());
    const Region& region = kernel_.regions[id];
    invariant(region.arg_types.size() == region.arg_values.size(), "verify: region {} lacks arguments", id);
    std::vector<Value> scope;
    for (size_t k = 0; k < region.arg_values.size(); ++k) {
      const Value v = region.arg_values[k];
      invariant(
          v < defined_.size() && kernel_.instructions[v].op == Opcode::region_arg && type(v) == region.arg_types[k],
          "verify: argument {} of region {}", k, id);
      define(v, scope);
    }
    for (Value v : region.body) {
      invariant(v < defined_.size(), "verify: %{} of {} instructions", v, defined_.size());
      const Instruction& i = kernel_.instructions[v];
      invariant(i.op != Opcode::yield || ((owner != no_value || is_function_) && v == region.body.back()),
                "verify: %{} yields midway", v);
      check_instruction(v);
      define(v, scope);
    }
    // Values of a region are not visible outside it.
    for (Value v : scope) defined_[v] = false;
  }

  void define(Value v, std::vector<Value>& scope) {
    invariant(!defined_[v], "verify: %{} is defined twice", v);
    defined_[v] = true;
    scope.push_back(v);
  }

  void check_instruction(Value v) {
    const Instruction& i = kernel_.instructions[v];
    const std::span<const Value> operands = kernel_.operands(v);
    for (Value operand : operands) {
      invariant(operand < defined_.size() && defined_[operand], "verify: %{} {} uses an undefined value", v,
                name(i.op));
      invariant(kernel_.result_count(operand) > 0 || i.op == Opcode::result,
                "verify: %{} {} uses %{}, which has no value", v, name(i.op), operand);
    }
    if (is_function_) check_in_function(v, i);
    const int wanted = info(i.op).operands;
    invariant(wanted < 0 || wanted == i.arg_count, "verify: %{} {} has {} operands", v, name(i.op), i.arg_count);
    const int regions = i.op == Opcode::if_ || i.op == Opcode::while_ ? 2 : has_regions(i.op) ? 1 : 0;
    invariant(i.region_count == regions || (i.op == Opcode::if_ && i.region_count == 1),
              "verify: %{} {} has {} regions", v, name(i.op), i.region_count);
    switch (info(i.op).form) {
      case OpcodeForm::leaf: check_leaf(v, i); return;
      case OpcodeForm::arithmetic:
      case OpcodeForm::predicate:
      case OpcodeForm::comparison: check_arithmetic(v, i, operands); return;
      case OpcodeForm::conversion: check_conversion(v, i, operands); return;
      case OpcodeForm::memory: check_memory(v, i, operands); return;
      case OpcodeForm::control: check_control(v, i, operands); return;
    }
  }

  void expect_type(Value v, DType wanted) {
    invariant(type(v) == wanted, "verify: %{} {} is {}, wanted {}", v, name(kernel_.instructions[v].op), type(v),
              wanted);
  }
  void expect_below(Value v, uint64_t imm, uint64_t limit) {
    invariant(imm < limit, "verify: %{} {} refers to {} of {}", v, name(kernel_.instructions[v].op), imm, limit);
  }

  void check_leaf(Value v, const Instruction& i) {
    switch (i.op) {
      case Opcode::constant:
        expect_below(v, i.imm, kernel_.constants.size());
        return expect_type(v, kernel_.constants[i.imm].dtype);
      case Opcode::scalar:
        expect_below(v, i.imm, kernel_.scalars.size());
        return expect_type(v, kernel_.scalars[i.imm]);
      case Opcode::index:
      case Opcode::extent: expect_below(v, i.imm, kernel_.ndim); return expect_type(v, DType::int64);
      case Opcode::dimension:
        expect_below(v, i.imm / 64, kernel_.buffers.size());
        expect_below(v, i.imm % 64, kernel_.buffers[i.imm / 64].ndim);
        return expect_type(v, DType::int64);
      default: invariant(false, "verify: %{} {} outside a region's arguments", v, name(i.op));
    }
  }

  void check_arithmetic(Value v, const Instruction& i, std::span<const Value> operands) {
    DType types[3];
    for (size_t k = 0; k < operands.size(); ++k) {
      types[k] = type(operands[k]);
      const bool exponent = i.op == Opcode::ldexp && k == 1;
      invariant(exponent ? types[k] == DType::int32 : types[k] == types[0] && accepts(i.op, types[k]),
                "verify: %{} {} takes {} as operand {}", v, name(i.op), types[k], k);
    }
    expect_type(v, result_type(i.op, {types, operands.size()}));
  }

  void check_conversion(Value v, const Instruction& i, std::span<const Value> operands) {
    const DType first = type(operands[0]);
    switch (i.op) {
      case Opcode::select:
        invariant(is_boolean(first) && type(operands[1]) == type(operands[2]), "verify: %{} select of {}, {}, {}", v,
                  first, type(operands[1]), type(operands[2]));
        return expect_type(v, type(operands[1]));
      case Opcode::cast:
        invariant(!is_complex(first) && !is_complex(i.type), "verify: %{} casts {} to {}", v, first, i.type);
        return;
      case Opcode::bitcast:
        invariant(itemsize(first) == itemsize(i.type) && !is_boolean(i.type), "verify: %{} bitcasts {} to {}", v, first,
                  i.type);
        return;
      case Opcode::make_complex:
        invariant(first == type(operands[1]) && is_floating(first) && itemsize(first) >= 4,
                  "verify: %{} make_complex of {}, {}", v, first, type(operands[1]));
        return expect_type(v, complex_dtype(first));
      default:
        invariant(is_complex(first), "verify: %{} {} of {}", v, name(i.op), first);
        return expect_type(v, real_dtype(first));
    }
  }

  void check_indices(Value v, std::span<const Value> indices, size_t wanted) {
    invariant(indices.size() == wanted, "verify: %{} has {} indices for {} axes", v, indices.size(), wanted);
    for (Value index : indices) expect_type(index, DType::int64);
  }

  static bool is_alignment(uint8_t bytes) { return bytes >= 2 && bytes <= 16 && (bytes & (bytes - 1)) == 0; }

  void check_memory(Value v, const Instruction& i, std::span<const Value> operands) {
    const bool of_array = i.op == Opcode::load_array || i.op == Opcode::store_array || i.op == Opcode::atomic_array ||
                          i.op == Opcode::address_array;
    const bool is_address = i.op == Opcode::address || i.op == Opcode::address_array;
    expect_below(v, i.imm, of_array ? kernel_.arrays.size() : kernel_.buffers.size());
    const DType stored = of_array ? kernel_.arrays[i.imm].dtype : kernel_.buffers[i.imm].dtype;
    const bool is_atomic = i.op == Opcode::atomic || i.op == Opcode::atomic_array;
    const bool is_of_part = is_atomic && is_complex(stored);
    if (i.op == Opcode::is_aligned) {
      expect_type(v, DType::boolean);
      invariant(is_alignment(i.attr), "verify: %{} is_aligned by {}", v, int{i.attr});
      return check_indices(v, operands, kernel_.buffers[i.imm].ndim);
    }
    expect_type(v, is_address ? DType::int64 : is_of_part ? real_dtype(stored) : stored);
    const bool may_be_aligned = i.op == Opcode::load || i.op == Opcode::store;
    invariant(i.alignment == 0 || (may_be_aligned && is_alignment(i.alignment)), "verify: %{} {} is aligned by {}", v,
              name(i.op), int{i.alignment});
    const size_t axes = of_array ? 1 : kernel_.buffers[i.imm].ndim;
    size_t values = 0;
    if (i.op == Opcode::load || i.op == Opcode::store)
      invariant(i.attr <= static_cast<uint8_t>(CacheHint::write_through), "verify: %{} has no such hint", v);
    if (i.op == Opcode::store || i.op == Opcode::store_array) values = 1;
    if (is_atomic) {
      const AtomicKind kind = atomic_kind(i.attr);
      invariant(is_of_part || !is_of_imaginary_part(i.attr), "verify: %{} is on a part of {}", v, stored);
      invariant(kind <= last_atomic_kind, "verify: %{} has no such kind", v);
      values = kind == AtomicKind::compare_exchange ? 2 : 1;
      const bool counts = kind == AtomicKind::increment || kind == AtomicKind::decrement;
      const bool bitwise = counts || (kind >= AtomicKind::bit_and && kind <= AtomicKind::bit_xor);
      invariant(!counts || !is_signed_integer(i.type), "verify: %{} atomic {} on {}", v, name(kind), i.type);
      invariant(is_integer(i.type) || (itemsize(i.type) >= 4 && is_floating(i.type) && !bitwise),
                "verify: %{} atomic {} on {}", v, name(kind), i.type);
    }
    invariant(operands.size() >= values, "verify: %{} lacks operands", v);
    for (size_t k = 0; k < values; ++k) expect_type(operands[k], i.type);
    check_indices(v, operands.subspan(values), axes);
    if (of_array) return;
    invariant(i.op != Opcode::load || kernel_.buffers[i.imm].readable, "verify: %{} loads from a buffer not readable",
              v);
    invariant(!is_address || kernel_.buffers[i.imm].readable, "verify: %{} gives a buffer that is not readable", v);
    invariant(i.op == Opcode::load || kernel_.buffers[i.imm].writable, "verify: %{} stores to a buffer not writable",
              v);
  }

  // Returns the region's yield (or none) after checking it against the expected types.
  void check_yield(Value v, const Region& region, std::span<const DType> wanted) {
    const bool yields = !region.body.empty() && kernel_.instructions[region.body.back()].op == Opcode::yield;
    invariant(yields || wanted.empty(), "verify: %{} has a region that yields nothing", v);
    if (!yields) return;
    const std::span<const Value> given = kernel_.operands(region.body.back());
    invariant(given.size() == wanted.size(), "verify: %{} has a region that yields {} values, wanted {}", v,
              given.size(), wanted.size());
    for (size_t k = 0; k < given.size(); ++k) expect_type(given[k], wanted[k]);
  }

  void check_regions(Value v, const Instruction& i) {
    for (int k = 0; k < i.region_count; ++k) check_region(i.first_region + k, v);
  }

  void check_control(Value v, const Instruction& i, std::span<const Value> operands) {
    switch (i.op) {
      case Opcode::if_: return check_if(v, i, operands);
      case Opcode::for_: return check_for(v, i, operands);
      case Opcode::while_: return check_while(v, i, operands);
      case Opcode::reduce: return check_reduce(v, i, operands);
      case Opcode::result: {
        const Value owner = operands[0];
        invariant(has_regions(kernel_.instructions[owner].op) || kernel_.instructions[owner].op == Opcode::call,
                  "verify: %{} is the result of %{}", v, owner);
        expect_below(v, i.imm, kernel_.result_count(owner));
        return check_result_type(v, owner, i.imm);
      }
      case Opcode::call_host:
        for (Value operand : operands) expect_type(operand, DType::int64);
        return expect_type(v, DType::int64);
      case Opcode::call_foreign: return check_foreign(v, i, operands);
      case Opcode::call: return check_call(v, i, operands);
      case Opcode::check:
        expect_below(v, i.imm, kernel_.flag_slots);
        invariant(i.attr <= static_cast<uint8_t>(ErrorRule::cast), "verify: %{} check has no such rule", v);
        invariant(operands.size() >= 2 && operands.size() <= 3, "verify: %{} check has {} operands", v,
                  operands.size());
        return expect_type(operands[0], i.type);
      default: return check_meeting(v, i, operands);
    }
  }

  void check_foreign(Value v, const Instruction& i, std::span<const Value> operands) {
    expect_below(v, i.imm, kernel_.foreign.size());
    const ForeignFunction& called = kernel_.foreign[i.imm];
    invariant(operands.size() == called.parameters.size(), "verify: %{} calls {} with {} arguments of {}", v,
              called.name, operands.size(), called.parameters.size());
    for (size_t k = 0; k < operands.size(); ++k) expect_type(operands[k], called.parameters[k]);
    expect_type(v, called.result.value_or(DType::int64));
  }

  void check_call(Value v, const Instruction& i, std::span<const Value> operands) {
    expect_below(v, i.imm, kernel_.functions.size());
    const FunctionDecl& called = kernel_.functions[i.imm];
    invariant(types_of(operands) == called.parameters, "verify: %{} calls {} with other arguments", v, called.name);
    invariant(reductions_ == 0, "verify: %{} calls {} inside a reduction", v, called.name);
    if (!called.results.empty()) expect_type(v, called.results[0]);
  }

  void check_meeting(Value v, const Instruction& i, std::span<const Value> operands) {
    const auto check_mask = [&](size_t at) {
      invariant(operands.size() <= at + 1, "verify: %{} {} has {} operands", v, name(i.op), operands.size());
      if (operands.size() > at) expect_type(operands[at], DType::uint32);
    };
    const auto check_word = [&] {
      const DType t = type(operands[0]);
      invariant((itemsize(t) == 4 || itemsize(t) == 8) && (is_integer(t) || is_floating(t)), "verify: %{} {} of {}", v,
                name(i.op), t);
    };
    switch (i.op) {
      case Opcode::barrier_count: expect_type(operands[0], DType::boolean); return expect_type(v, DType::int32);
      case Opcode::warp_barrier:
      case Opcode::pause: return check_mask(0);
      case Opcode::ballot:
        invariant(!operands.empty(), "verify: %{} ballot lacks operands", v);
        expect_type(operands[0], DType::boolean);
        check_mask(1);
        return expect_type(v, DType::uint32);
      case Opcode::match_byte: expect_type(operands[0], DType::uint32); return expect_type(v, DType::uint32);
      case Opcode::match_any:
        check_word();
        check_mask(1);
        return expect_type(v, DType::uint32);
      case Opcode::shuffle:
        check_word();
        expect_type(operands[1], DType::int32);
        check_mask(2);
        invariant(i.attr <= static_cast<uint8_t>(ShuffleKind::exchange), "verify: %{} shuffle has no such kind", v);
        invariant(i.imm >= 1 && i.imm <= 32 && (i.imm & (i.imm - 1)) == 0, "verify: %{} shuffles {} lanes", v, i.imm);
        return expect_type(v, type(operands[0]));
      case Opcode::active_mask: return expect_type(v, DType::uint32);
      case Opcode::fence:
        invariant(i.attr <= static_cast<uint8_t>(FenceScope::system), "verify: %{} fence has no such scope", v);
        return;
      default: return;
    }
  }

  std::vector<DType> types_of(std::span<const Value> values) const {
    std::vector<DType> result;
    for (Value v : values) result.push_back(type(v));
    return result;
  }

  void check_if(Value v, const Instruction& i, std::span<const Value> operands) {
    std::vector<DType> results;
    expect_type(operands[0], DType::boolean);
    check_regions(v, i);
    const std::vector<Value>& then_body = kernel_.region(v, 0).body;
    if (kernel_.result_count(v) > 0) {
      results = types_of(kernel_.operands(then_body.back()));
      invariant(i.region_count == 2, "verify: %{} if has results but no else", v);
      expect_type(v, results[0]);
    }
    for (int k = 0; k < i.region_count; ++k) {
      invariant(kernel_.region(v, k).arg_types.empty(), "verify: %{} if has region arguments", v);
      check_yield(v, kernel_.region(v, k), results);
    }
  }

  void check_for(Value v, const Instruction& i, std::span<const Value> operands) {
    invariant(operands.size() >= 3, "verify: %{} for lacks bounds", v);
    invariant(i.attr == 0 || i.attr == free_sums || (i.attr == parallel_iterations && operands.size() == 3),
              "verify: %{} for with independent iterations carries values", v);
    for (int k = 0; k < 3; ++k) expect_type(operands[k], DType::int64);
    const std::vector<DType> carried = types_of(operands.subspan(3));
    std::vector<DType> arguments{DType::int64};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    invariant(kernel_.region(v, 0).arg_types == arguments, "verify: %{} for has other region arguments", v);
    if (!carried.empty()) expect_type(v, carried[0]);
    check_regions(v, i);
    check_yield(v, kernel_.region(v, 0), carried);
  }

  void check_while(Value v, const Instruction& i, std::span<const Value> operands) {
    const std::vector<DType> carried = types_of(operands);
    invariant(kernel_.region(v, 0).arg_types == carried, "verify: %{} while has other region arguments", v);
    std::vector<DType> passed = kernel_.region(v, 1).arg_types;
    if (!passed.empty()) expect_type(v, passed[0]);
    passed.insert(passed.begin(), DType::boolean);
    check_regions(v, i);
    check_yield(v, kernel_.region(v, 0), passed);
    check_yield(v, kernel_.region(v, 1), carried);
  }

  void check_reduce(Value v, const Instruction& i, std::span<const Value> operands) {
    invariant(operands.size() == 2 || (operands.size() == 3 && reduce_order(i.attr) == ReduceOrder::sequential),
              "verify: %{} reduces from {} operands", v, operands.size());
    for (Value bound : operands.first(2)) expect_type(bound, DType::int64);
    if (operands.size() == 3) expect_type(operands[2], i.type);
    invariant(reduce_kind(i.attr) <= ReduceKind::bit_xor && reduce_order(i.attr) <= ReduceOrder::pairwise_complex &&
                  accepts(combining_opcode(reduce_kind(i.attr)), i.type),
              "verify: %{} reduces {}", v, i.type);
    invariant(kernel_.region(v, 0).arg_types == std::vector{DType::int64}, "verify: %{} reduce takes an index", v);
    ++reductions_;
    check_regions(v, i);
    --reductions_;
    check_yield(v, kernel_.region(v, 0), std::array{i.type});
  }

  void check_result_type(Value v, Value owner, uint32_t k) {
    const Instruction& i = kernel_.instructions[owner];
    if (i.op == Opcode::for_) return expect_type(v, type(kernel_.operands(owner)[3 + k]));
    if (i.op == Opcode::while_) return expect_type(v, kernel_.region(owner, 1).arg_types[k]);
    if (i.op == Opcode::reduce) return expect_type(v, i.type);
    if (i.op == Opcode::call) return expect_type(v, kernel_.functions[i.imm].results[k]);
    expect_type(v, type(kernel_.operands(kernel_.region(owner, 0).body.back())[k]));
  }

  const Kernel& kernel_;
  std::vector<char> defined_;
  bool is_function_ = false;
  int reductions_ = 0;  // around the current instruction
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace tessera::ir
