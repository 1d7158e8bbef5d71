#include "tessera/mapping/turned.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::mapping {

using ir::Opcode;
using ir::Value;

namespace {

/// Whether all indices of a load are those of its lane, so that it is known before the lane is computed.
bool is_at_lane(const ir::Kernel& kernel, const ir::Instruction& load, Value v) {
  return load.op == Opcode::load && std::ranges::all_of(kernel.operands(v), [&](Value index) {
           const Opcode op = kernel.instructions[index].op;
           return op == Opcode::index || op == Opcode::constant || op == Opcode::scalar;
         });
}

/// The axis along which an operand is contiguous if that is not the lanes'; else -1.
int turned_axis(const ir::BufferParam& buffer, const Dims& strides, const Dims& extents,
                const std::function<int64_t(int)>& elements) {
  constexpr int64_t far_apart = 32;  // bytes from one lane to the next: a sector of memory for each
  const int lanes = static_cast<int>(extents.size()) - 1;
  if (buffer.writable || strides.size() != extents.size() || std::abs(strides[lanes]) < far_apart) return -1;
  for (int axis = 0; axis < lanes; ++axis)
    if (std::abs(strides[axis]) == itemsize(buffer.dtype) && elements(axis) > 0) return axis;
  return -1;
}

}  // namespace

std::optional<Turned> find_turned(const ir::Kernel& kernel, const Operands& operands, const Target& target,
                                  const std::function<int64_t(int axis)>& elements) {
  Turned turned{.axis = -1, .buffers = std::vector<bool>(kernel.buffers.size())};
  int64_t bytes = 0;
  for (size_t k = 0; k < kernel.buffers.size(); ++k) {
    int64_t loads = 0;
    bool are_at_lanes = true;
    for (Value v : kernel.regions[0].body) {
      const ir::Instruction& i = kernel.instructions[v];
      if (i.op != Opcode::load || i.imm != k) continue;
      ++loads;
      are_at_lanes = are_at_lanes && is_at_lane(kernel, i, v);
    }
    if (loads == 0 || !are_at_lanes) continue;
    const int axis = turned_axis(kernel.buffers[k], operands.strides[k], operands.extents, elements);
    if (axis < 0 || (turned.axis >= 0 && axis != turned.axis)) continue;
    bytes += loads * elements(axis) * itemsize(kernel.buffers[k].dtype);
    if (bytes > target.shared_bytes) break;
    turned.axis = axis;
    turned.buffers[k] = true;
  }
  if (turned.axis < 0) return {};
  return turned;
}

TurnedLoads::TurnedLoads(GridBuilder& to, const ir::Kernel& kernel, const Turned& turned, int64_t elements)
    : to_(to), kernel_(kernel) {
  for (Value v : kernel.regions[0].body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (i.op != Opcode::load || !turned.buffers[i.imm]) continue;
    const ir::ArrayDecl array{.dtype = real_dtype(i.type), .size = elements, .shared = true};
    Arrays& arrays = arrays_.emplace(v, Arrays{to.add_array(array)}).first->second;
    if (is_complex(i.type)) arrays.second = to.add_array(array);
  }
}

void TurnedLoads::load(std::span<const Value> at, Value slot) {
  for (const auto& [v, arrays] : arrays_) {
    const Value element = write_load(to_, kernel_, v, at);
    loaded_.push_back({arrays.first, arrays.second ? to_.real(element) : element, slot});
    if (arrays.second) loaded_.push_back({*arrays.second, to_.imag(element), slot});
  }
}

void TurnedLoads::store() {
  for (const Element& element : loaded_) to_.store_array(element.array, element.value, to_.wide(element.slot));
  loaded_.clear();
}

GivenLoad TurnedLoads::from(Value slot) const {
  return [this, slot](Value load) -> std::optional<Value> {
    const auto known = arrays_.find(load);
    if (known == arrays_.end()) return {};
    const Value place = to_.wide(slot), first = to_.load_array(known->second.first, place);
    return known->second.second ? to_.make_complex(first, to_.load_array(*known->second.second, place)) : first;
  };
}

}  // namespace tessera::mapping
