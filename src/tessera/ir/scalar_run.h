/// ScalarRun: executes a kernel one lane and one instruction at a time, as simply as possible, for tests.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "tessera/ir/arguments.h"
#include "tessera/ir/builder.h"
#include "tessera/ir/loop_index.h"
#include "tessera/ir/loops.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

/// Barriers and shared arrays are not supported; local arrays, branches, loops and reductions are.
class ScalarRun {
 public:
  ScalarRun(const Kernel& kernel, const KernelArguments& arguments)
      : kernel_(kernel), arguments_(arguments), values_(kernel.instructions.size()), bodies_(kernel.bodies) {}

  void run(std::vector<int64_t> lane) {
    lane_ = std::move(lane);
    results_.assign(kernel_.instructions.size(), {});
    own_arrays_.clear();
    for (const ArrayDecl& a : kernel_.arrays) own_arrays_.emplace_back(static_cast<size_t>(a.size * itemsize(a.dtype)));
    region(0);
  }

 private:
  ScalarRun(const Kernel& function, ScalarRun& caller)
      : kernel_(function),
        arguments_(caller.arguments_),
        values_(function.instructions.size()),
        results_(function.instructions.size()),
        arrays_(caller.arrays_),
        bodies_(caller.bodies_),
        lane_(caller.lane_) {}

  std::vector<Scalar> call(const Instruction& i, std::span<const Value> operands) {
    Kernel declared = kernel_;
    declared.bodies = bodies_;
    const Kernel function = function_kernel(declared, i.imm);
    ScalarRun run(function, *this);
    run.bind(0, values_of(operands));
    return run.region(0);
  }

  std::vector<Scalar> region(RegionId id) {
    for (Value v : kernel_.regions[id].body) {
      if (kernel_.instructions[v].op == Opcode::yield) return values_of(kernel_.operands(v));
      execute(v);
    }
    return {};
  }

  std::vector<Scalar> values_of(std::span<const Value> operands) const {
    std::vector<Scalar> values;
    for (Value v : operands) values.push_back(values_[v]);
    return values;
  }
  int64_t number(Value v) const { return values_[v].as_int(); }
  static Scalar integer(int64_t value) { return Scalar::of_int(DType::int64, value); }

  void bind(RegionId id, const std::vector<Scalar>& given) {
    for (size_t k = 0; k < given.size(); ++k) values_[kernel_.regions[id].arg_values[k]] = given[k];
  }

  char* element(const Instruction& i, std::span<const Value> indices) {
    if (i.op == Opcode::load_array || i.op == Opcode::store_array || i.op == Opcode::atomic_array) {
      return (*arrays_)[i.imm].data() + number(indices[0]) * itemsize(i.type);
    }
    const int64_t* strides = arguments_.strides;
    for (uint32_t b = 0; b < i.imm; ++b) strides += kernel_.buffers[b].ndim;
    char* p = arguments_.buffers[i.imm];
    for (size_t k = 0; k < indices.size(); ++k) p += number(indices[k]) * strides[k];
    return p;
  }

  void apply(Loop loop, std::vector<Scalar> operands, Scalar& result) {
    std::array<char*, 4> pointers{};
    constexpr std::array<int64_t, 4> strides{};
    for (size_t k = 0; k < operands.size(); ++k) pointers[k] = reinterpret_cast<char*>(operands[k].bytes);
    pointers[operands.size()] = reinterpret_cast<char*>(result.bytes);
    loop(pointers.data(), strides.data(), 1);
  }

  Scalar combine(const Instruction& i, const Scalar& a, const Scalar& b) {
    Scalar result{.dtype = i.type};
    apply(find_loop(combining_opcode(reduce_kind(i.attr)), i.type, i.type), {a, b}, result);
    return result;
  }

  Scalar tree(const Instruction& i, std::span<const Scalar> a, size_t lanes) {
    if (a.size() < lanes || a.size() <= 16 * lanes) {
      std::vector<Scalar> r(a.begin(), a.begin() + static_cast<long>(a.size() < lanes ? 1 : lanes));
      size_t k = r.size();
      for (; r.size() == lanes && k + lanes <= a.size(); k += lanes) {
        for (size_t j = 0; j < lanes; ++j) r[j] = combine(i, r[j], a[k + j]);
      }
      while (r.size() > 1) {
        for (size_t j = 0; j < r.size() / 2; ++j) r[j] = combine(i, r[2 * j], r[2 * j + 1]);
        r.resize(r.size() / 2);
      }
      for (; k < a.size(); ++k) r[0] = combine(i, r[0], a[k]);
      return r[0];
    }
    const size_t half = a.size() / 2 - a.size() / 2 % lanes;
    return combine(i, tree(i, a.first(half), lanes), tree(i, a.subspan(half), lanes));
  }

  Scalar reduce(const Instruction& i, std::vector<Scalar> elements, std::span<const Value> operands) {
    if (operands.size() > 2) elements.insert(elements.begin(), values_[operands[2]]);
    if (elements.empty()) return identity(reduce_kind(i.attr), i.type);
    std::vector<Scalar> level;
    const ReduceOrder order = reduce_order(i.attr);
    if (order == ReduceOrder::sequential) {
      level.push_back(elements[0]);
      for (size_t k = 1; k < elements.size(); ++k) level[0] = combine(i, level[0], elements[k]);
    } else {
      for (size_t at = 0; at < elements.size(); at += 8192) {
        const std::span<const Scalar> chunk =
            std::span(elements).subspan(at, std::min<size_t>(8192, elements.size() - at));
        level.push_back(tree(i, chunk, order == ReduceOrder::pairwise ? 8 : 4));
      }
    }
    while (level.size() > 1) {
      std::vector<Scalar> next;
      for (size_t k = 0; k < level.size(); k += 2)
        next.push_back(k + 1 < level.size() ? combine(i, level[k], level[k + 1]) : level[k]);
      level = next;
    }
    return level[0];
  }

  void finish(Value v, const std::vector<Scalar>& results) {
    results_[v] = results;
    if (!results.empty()) values_[v] = results[0];
  }

  void execute(Value v) {
    const Instruction& i = kernel_.instructions[v];
    const std::span<const Value> operands = kernel_.operands(v);
    values_[v] = Scalar{.dtype = i.type};
    switch (i.op) {
      case Opcode::constant:
      case Opcode::scalar:
      case Opcode::index:
      case Opcode::extent:
      case Opcode::dimension: return read_leaf(i, values_[v]);
      case Opcode::load:
      case Opcode::load_array: std::memcpy(values_[v].bytes, element(i, operands), itemsize(i.type)); return;
      case Opcode::store:
      case Opcode::store_array:
        std::memcpy(element(i, operands.subspan(1)), values_[operands[0]].bytes, itemsize(i.type));
        return;
      case Opcode::atomic: return add_atomically(i, operands, values_[v]);
      case Opcode::if_: {
        const int side = values_[operands[0]].bytes[0] ? 0 : 1;
        return finish(v, side < i.region_count ? region(i.first_region + side) : std::vector<Scalar>{});
      }
      case Opcode::for_: return finish(v, run_for(i, operands));
      case Opcode::while_: return finish(v, run_while(i, operands));
      case Opcode::reduce: values_[v] = reduce(i, elements_of(i, operands), operands); return;
      case Opcode::call: return finish(v, call(i, operands));
      case Opcode::result: values_[v] = results_[operands[0]][i.imm]; return;
      case Opcode::barrier:
      case Opcode::grid_barrier:
      case Opcode::warp_barrier:
      case Opcode::pause: return;
      case Opcode::check: return check(i, operands);
      default: {
        const DType operand = kernel_.instructions[operands[i.op == Opcode::select ? 1 : 0]].type;
        Scalar result{.dtype = i.type};
        apply(find_loop(i.op, operand, i.type), values_of(operands), result);
        values_[v] = result;
      }
    }
  }

  void read_leaf(const Instruction& i, Scalar& out) {
    switch (i.op) {
      case Opcode::constant: out = kernel_.constants[i.imm]; return;
      case Opcode::scalar: std::memcpy(out.bytes, arguments_.scalars + 16 * i.imm, 16); return;
      case Opcode::index: out = integer(lane_[i.imm]); return;
      case Opcode::extent: out = integer(arguments_.extents[i.imm]); return;
      default: {
        const int64_t* dimensions = arguments_.dimensions;
        for (uint32_t b = 0; b < i.imm / 64; ++b) dimensions += kernel_.buffers[b].ndim;
        out = integer(dimensions[i.imm % 64]);
      }
    }
  }

  /// Only integer sums are supported, which is what the tests need.
  void add_atomically(const Instruction& i, std::span<const Value> operands, Scalar& old) {
    char* p = element(i, operands.subspan(1));
    std::memcpy(old.bytes, p, itemsize(i.type));
    Scalar sum{.dtype = i.type};
    apply(find_loop(Opcode::add, i.type, i.type), {old, values_[operands[0]]}, sum);
    std::memcpy(p, sum.bytes, itemsize(i.type));
  }

  std::vector<Scalar> run_for(const Instruction& i, std::span<const Value> operands) {
    std::vector<Scalar> carried = values_of(operands.subspan(3));
    const int64_t upper = number(operands[1]), step = number(operands[2]);
    for (int64_t k = number(operands[0]); step > 0 ? k < upper : step < 0 && k > upper;
         k = next_index(k, upper, step)) {
      std::vector<Scalar> given{integer(k)};
      given.insert(given.end(), carried.begin(), carried.end());
      bind(i.first_region, given);
      carried = region(i.first_region);
    }
    return carried;
  }

  std::vector<Scalar> run_while(const Instruction& i, std::span<const Value> operands) {
    std::vector<Scalar> carried = values_of(operands);
    for (;;) {
      bind(i.first_region, carried);
      std::vector<Scalar> passed = region(i.first_region);
      const bool goes_on = passed[0].bytes[0];
      passed.erase(passed.begin());
      if (!goes_on) return passed;
      bind(i.first_region + 1, passed);
      carried = region(i.first_region + 1);
    }
  }

  /// The elements that a reduction combines.
  std::vector<Scalar> elements_of(const Instruction& i, std::span<const Value> operands) {
    std::vector<Scalar> elements;
    const int64_t upper = number(operands[1]);
    for (int64_t k = number(operands[0]); k < upper; ++k) {
      bind(i.first_region, {integer(k)});
      elements.push_back(region(i.first_region)[0]);
    }
    return elements;
  }

  void check(const Instruction& i, std::span<const Value> operands) {
    const auto bytes = [&](size_t k) {
      return k < operands.size() ? reinterpret_cast<const char*>(values_[operands[k]].bytes) : nullptr;
    };
    arguments_.flags[i.imm] |= find_events(static_cast<ErrorRule>(i.attr), kernel_.instructions[operands[1]].type,
                                           i.type, bytes(0), 0, bytes(1), 0, bytes(2), 0, 1);
  }

  const Kernel& kernel_;
  const KernelArguments& arguments_;
  std::vector<Scalar> values_;
  std::vector<std::vector<Scalar>> results_;
  std::vector<std::vector<char>> own_arrays_;
  std::vector<std::vector<char>>* arrays_ = &own_arrays_;  // a function's are the kernel's
  const std::vector<Kernel>& bodies_;
  std::vector<int64_t> lane_;
};

}  // namespace tessera::ir
