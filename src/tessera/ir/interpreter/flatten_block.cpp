#include "tessera/ir/interpreter/flatten_block.h"

#include <cstring>
#include <unordered_map>

namespace tessera::ir {

namespace {

/// Replaces the indices and extents of the block's axes by values at the beginning of the body.
class Flattening {
 public:
  explicit Flattening(const Kernel& kernel) : out_(kernel), first_(kernel.first_block_axis()) {}

  Kernel run() {
    const int axes = out_.ndim;
    out_.ndim = static_cast<uint8_t>(first_ + 1);
    out_.block_axes = 1;
    for (int axis = first_; axis < axes; ++axis) {
      extents_.push_back(append({.op = Opcode::scalar, .type = DType::int64, .imm = add_scalar()}, {}));
    }
    Value rest = append({.op = Opcode::index, .type = DType::int64, .imm = static_cast<uint32_t>(first_)}, {});
    indices_.resize(extents_.size());
    for (size_t axis = extents_.size(); axis-- > 1;) {
      indices_[axis] = append({.op = Opcode::rem, .type = DType::int64}, {rest, extents_[axis]});
      rest = append({.op = Opcode::div, .type = DType::int64}, {rest, extents_[axis]});
    }
    indices_[0] = rest;
    replace_leaves();
    std::vector<Value>& body = out_.regions[0].body;
    body.insert(body.begin(), first_body_.begin(), first_body_.end());
    return compact(out_);
  }

 private:
  uint32_t add_scalar() {
    out_.scalars.push_back(DType::int64);
    return static_cast<uint32_t>(out_.scalars.size() - 1);
  }

  Value append(Instruction i, std::initializer_list<Value> operands) {
    i.first_arg = static_cast<uint32_t>(out_.args.size());
    i.arg_count = static_cast<uint16_t>(operands.size());
    out_.args.insert(out_.args.end(), operands);
    const Value v = static_cast<Value>(out_.instructions.size());
    out_.instructions.push_back(i);
    first_body_.push_back(v);
    return v;
  }

  void replace_leaves() {
    std::unordered_map<Value, Value> replaced;
    for (Region& region : out_.regions) {
      std::erase_if(region.body, [&](Value v) {
        const Instruction& i = out_.instructions[v];
        const bool is_index = i.op == Opcode::index;
        if ((!is_index && i.op != Opcode::extent) || static_cast<int>(i.imm) < first_) return false;
        replaced[v] = (is_index ? indices_ : extents_)[i.imm - static_cast<uint32_t>(first_)];
        return true;
      });
    }
    for (Value& operand : out_.args) {
      if (const auto found = replaced.find(operand); found != replaced.end()) operand = found->second;
    }
  }

  Kernel out_;
  const int first_;
  std::vector<Value> extents_, indices_, first_body_;
};

}  // namespace

Kernel flatten_block(const Kernel& kernel) {
  Kernel flat = Flattening(kernel).run();
  for (size_t k = 0; k < kernel.bodies.size(); ++k)
    flat.bodies[k] = function_body(Flattening(function_kernel(kernel, k)).run());
  return flat;
}

FlatBox::FlatBox(const KernelArguments& arguments, const int64_t* begin, const int64_t* end, int axes, int first,
                 size_t scalars)
    : begin_(begin, begin + first),
      end_(end, end + first),
      extents_(arguments.extents, arguments.extents + first),
      scalars_(2 * (scalars + static_cast<size_t>(axes - first))),
      arguments_(arguments) {
  int64_t lanes = 1;
  for (int axis = first; axis < axes; ++axis) {
    lanes *= arguments.extents[axis];
    scalars_[2 * (scalars + static_cast<size_t>(axis - first))] = arguments.extents[axis];
  }
  begin_.push_back(0);
  end_.push_back(lanes);
  extents_.push_back(lanes);
  if (scalars > 0) std::memcpy(scalars_.data(), arguments.scalars, 16 * scalars);
  arguments_.scalars = reinterpret_cast<const char*>(scalars_.data());
  arguments_.extents = extents_.data();
}

}  // namespace tessera::ir
