#include "tessera/kernel/passes/outline.h"

#include <algorithm>
#include <set>

#include "tessera/ir/builder.h"
#include "tessera/ir/region_copy.h"
#include "tessera/kernel/options.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

/// What a region's instructions refer to.
struct Uses {
  std::set<Value> defined;
  std::vector<Value> outside;  // in the order of their first use
  std::set<uint32_t> arrays;
};

bool uses_array(const ir::Instruction& i) {
  return i.op == Opcode::load_array || i.op == Opcode::store_array || i.op == Opcode::atomic_array;
}

void collect(const ir::Kernel& kernel, const ir::Region& region, Uses& uses) {
  uses.defined.insert(region.arg_values.begin(), region.arg_values.end());
  for (Value v : region.body) {
    const ir::Instruction& i = kernel.instructions[v];
    for (Value operand : kernel.operands(v))
      if (!uses.defined.contains(operand) && std::ranges::find(uses.outside, operand) == uses.outside.end())
        uses.outside.push_back(operand);
    if (uses_array(i)) uses.arrays.insert(i.imm);
    if (i.op == Opcode::call)  // any of the functions
      for (const ir::Kernel& body : kernel.bodies)
        for (const ir::Instruction& inner : body.instructions)
          if (uses_array(inner)) uses.arrays.insert(inner.imm);
    uses.defined.insert(v);
    for (int k = 0; k < i.region_count; ++k) collect(kernel, kernel.region(v, k), uses);
  }
}

/// Leaves need not be passed.
bool is_leaf(const ir::Instruction& i) {
  return i.op == Opcode::constant || i.op == Opcode::scalar || i.op == Opcode::dimension;
}

Value copy_leaf(ir::Builder& b, const ir::Kernel& from, Value v) {
  const ir::Instruction& i = from.instructions[v];
  if (i.op == Opcode::constant) return b.constant(from.constants[i.imm]);
  if (i.op == Opcode::scalar) return b.scalar(i.imm);
  return b.dimension(i.imm / 64, static_cast<int>(i.imm % 64));
}

void declare_parameters(ir::Builder& b, const ir::Kernel& kernel) {
  for (const ir::BufferParam& buffer : kernel.buffers) b.add_buffer(buffer);
  for (DType scalar : kernel.scalars) b.add_scalar(scalar);
}

/// The value's bits, as its type or the widest of its kind.
void append_words(ir::Builder& b, Value value, std::vector<Value>& words) {
  const auto word = [&](Value v) {
    return is_floating(b.type(v)) ? b.bitcast(b.cast(v, DType::float64), DType::int64) : b.cast(v, DType::int64);
  };
  words.push_back(word(b.real(value)));
  words.push_back(is_complex(b.type(value)) ? word(b.imag(value)) : b.constant(DType::int64, 0));
}

class Outliner {
 public:
  explicit Outliner(const ir::Kernel& kernel) : kernel_(kernel), b_(kernel.ndim, kernel.name), copy_(b_, kernel) {
    declare_parameters(b_, kernel);
    for (size_t v = 0; v < kernel.instructions.size(); ++v) {
      const auto value = static_cast<Value>(v);
      if (is_parallel(value)) shares_arrays_of(value);
    }
    copy_.copy(kernel.regions[0], [this](Value v) { return is_parallel(v) && !kept_.contains(v) && outline(v); });
  }

  Outlined take() { return {ir::compact(b_.take()), std::move(parts_)}; }

 private:
  bool is_parallel(Value v) const {
    const ir::Instruction& i = kernel_.instructions[v];
    return i.op == Opcode::for_ && i.attr == ir::parallel_iterations;
  }

  // An array that is used by one loop only is that loop's own.
  void shares_arrays_of(Value loop) {
    Uses uses;
    collect(kernel_, kernel_.region(loop, 0), uses);
    Uses all;
    collect(kernel_, kernel_.regions[0], all);
    for (size_t v = 0; v < kernel_.instructions.size(); ++v) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (uses_array(i) && uses.arrays.contains(i.imm) && all.defined.contains(static_cast<Value>(v)) &&
          !uses.defined.contains(static_cast<Value>(v)))
        kept_.insert(loop);
    }
  }

  bool outline(Value loop) {
    const ir::Region& body = kernel_.region(loop, 0);
    Uses uses;
    collect(kernel_, body, uses);
    ir::Builder part(0, kernel_.name + ".parallel");
    declare_parameters(part, kernel_);
    ir::RegionCopy copy(part, kernel_);
    std::vector<Value> words{copy_[kernel_.operands(loop)[1]]};
    for (Value v : uses.outside) {
      if (is_leaf(kernel_.instructions[v])) {
        copy.set(v, copy_leaf(part, kernel_, v));
        continue;
      }
      copy.set(v, part.scalar(part.add_scalar(kernel_.instructions[v].type)));
      append_words(b_, copy_[v], words);
    }
    copy.set(body.arg_values[0], part.scalar(part.add_scalar(DType::int64)));
    copy.copy(body, [](Value) { return false; });
    b_.call_host(first_part + static_cast<uint32_t>(parts_.size()), words);
    parts_.push_back(std::make_shared<const ir::Kernel>(ir::compact(part.take())));
    return true;
  }

  const ir::Kernel& kernel_;
  ir::Builder b_;
  ir::RegionCopy copy_;
  std::set<Value> kept_;
  std::vector<std::shared_ptr<const ir::Kernel>> parts_;
};

}  // namespace

Outlined outline_parallel(ir::Kernel kernel) {
  const auto is_parallel = [](const ir::Instruction& i) {
    return i.op == Opcode::for_ && i.attr == ir::parallel_iterations;
  };
  if (std::ranges::none_of(kernel.instructions, is_parallel)) return {std::move(kernel), {}};
  return Outliner(kernel).take();
}

}  // namespace tessera::kernel
