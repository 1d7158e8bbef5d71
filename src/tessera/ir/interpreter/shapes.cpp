#include "tessera/ir/interpreter/shapes.h"

#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

constexpr Shape varying{Spread::varying, 0};

Shape affine(int64_t step) { return step == 0 ? Shape{} : Shape{Spread::affine, step}; }
Shape join(Shape a, Shape b) { return a == b ? a : varying; }

// Whether a region has side effects: then every lane has to run it.
bool acts(const Kernel& kernel, RegionId region) {
  for (Value v : kernel.regions[region].body) {
    const Instruction& i = kernel.instructions[v];
    switch (i.op) {
      case Opcode::store:
      case Opcode::store_array:
      case Opcode::atomic:
      case Opcode::atomic_array:
      case Opcode::call_host:
      case Opcode::call:
      case Opcode::pause:
      case Opcode::check: return true;
      default: break;
    }
    for (int k = 0; k < i.region_count; ++k) {
      if (acts(kernel, i.first_region + k)) return true;
    }
  }
  return false;
}

}  // namespace

Shapes::Shapes(const Kernel& kernel)
    : kernel_(kernel),
      outermost_(true),
      shapes_(kernel.instructions.size()),
      divergent_(shapes_.size()),
      needs_lanes_(shapes_.size()),
      seen_(shapes_.size()) {
  for (Value v : kernel.regions[0].arg_values) shapes_[v] = varying;  // of a function
  settle(0);
}

Shapes::Shapes(const Kernel& kernel, Value reduction)
    : kernel_(kernel),
      outermost_(false),
      shapes_(kernel.instructions.size()),
      divergent_(shapes_.size()),
      needs_lanes_(shapes_.size()),
      seen_(shapes_.size()) {
  shapes_[kernel.region(reduction, 0).arg_values[0]] = affine(1);
  settle(kernel.instructions[reduction].first_region);
}

// Shapes only widen, so this terminates; kernels without loops need one pass and one more to confirm it.
void Shapes::settle(RegionId region) {
  do {
    changed_ = false;
    visit_region(region);
  } while (changed_);
  mark_lanes(region);
}

Shape Shapes::result(Value control, uint32_t k) const {
  const auto found = results_.find(control);
  return found == results_.end() || k >= found->second.size() ? Shape{} : found->second[k];
}

void Shapes::set(Value v, Shape shape) {
  if (shapes_[v] == shape) return;
  shapes_[v] = shape;
  changed_ = true;
}

void Shapes::widen(Value v, Shape shape) {
  set(v, seen_[v] ? join(shapes_[v], shape) : shape);
  seen_[v] = true;
}

void Shapes::set_result(Value control, size_t k, Shape shape) {
  std::vector<Shape>& results = results_[control];
  if (results.size() <= k) results.resize(k + 1);
  if (!(results[k] == shape)) {
    results[k] = shape;
    changed_ = true;
  }
  if (k == 0) set(control, shape);
}

void Shapes::visit_region(RegionId region) {
  for (Value v : kernel_.regions[region].body) visit(v);
}

Shape Shapes::yielded(RegionId region, size_t k) const {
  return shapes_[kernel_.operands(kernel_.regions[region].body.back())[k]];
}

Shape Shapes::pure(Value v) const {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  bool uniform = true;
  bool steady = i.type == DType::int64;
  for (Value operand : operands) {
    uniform &= shapes_[operand].spread == Spread::uniform;
    steady &= shapes_[operand].spread != Spread::varying;
  }
  if (uniform) return {};
  if (!steady) return varying;
  switch (i.op) {
    case Opcode::add: return affine(shapes_[operands[0]].step + shapes_[operands[1]].step);
    case Opcode::sub: return affine(shapes_[operands[0]].step - shapes_[operands[1]].step);
    case Opcode::neg: return affine(-shapes_[operands[0]].step);
    case Opcode::mul:
      for (int k = 0; k < 2; ++k) {
        const Instruction& factor = kernel_.instructions[operands[k]];
        if (factor.op == Opcode::constant) {
          return affine(kernel_.constants[factor.imm].as_int() * shapes_[operands[1 - k]].step);
        }
      }
      return varying;
    default: return varying;
  }
}

void Shapes::visit(Value v) {
  const Instruction& i = kernel_.instructions[v];
  switch (i.op) {
    case Opcode::index:
      if (outermost_ && i.imm + 1 == kernel_.ndim) set(v, affine(1));
      return;
    case Opcode::load:
    case Opcode::load_array: {
      bool uniform = i.op == Opcode::load || kernel_.arrays[i.imm].shared || !outermost_;
      for (Value index : kernel_.operands(v)) uniform &= shapes_[index].spread == Spread::uniform;
      return set(v, uniform ? Shape{} : varying);
    }
    case Opcode::atomic:
    case Opcode::atomic_array:
    case Opcode::ballot:
    case Opcode::match_byte:
    case Opcode::match_any:
    case Opcode::shuffle:
    case Opcode::call_host:
    case Opcode::is_aligned:
    case Opcode::active_mask: return set(v, varying);
    case Opcode::call:
      for (int k = 0; k < kernel_.result_count(v); ++k) set_result(v, static_cast<size_t>(k), varying);
      return;
    case Opcode::if_: return visit_if(v);
    case Opcode::for_: return visit_for(v);
    case Opcode::while_: return visit_while(v);
    case Opcode::reduce: {
      visit_region(i.first_region);
      bool uniform = yielded(i.first_region, 0).spread == Spread::uniform && !acts(kernel_, i.first_region);
      for (Value bound : kernel_.operands(v)) uniform &= shapes_[bound].spread == Spread::uniform;
      return set(v, uniform ? Shape{} : varying);
    }
    case Opcode::result: return set(v, result(kernel_.operands(v)[0], i.imm));
    default:
      if (is_pure(i.op) && info(i.op).form != OpcodeForm::leaf) set(v, pure(v));
  }
}

void Shapes::visit_if(Value v) {
  const Instruction& i = kernel_.instructions[v];
  divergent_[v] = shapes_[kernel_.operands(v)[0]].spread != Spread::uniform;
  for (int k = 0; k < i.region_count; ++k) visit_region(i.first_region + k);
  for (int k = 0; k < kernel_.result_count(v); ++k) {
    const bool uniform = !divergent_[v] && yielded(i.first_region, k).spread == Spread::uniform &&
                         yielded(i.first_region + 1, k).spread == Spread::uniform;
    set_result(v, k, uniform ? Shape{} : varying);
  }
}

void Shapes::visit_for(Value v) {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> operands = kernel_.operands(v);
  const Region& region = kernel_.regions[i.first_region];
  const auto is_uniform = [&](int k) { return shapes_[operands[k]].spread == Spread::uniform; };
  const bool counted_together = is_uniform(0) && is_uniform(2);
  divergent_[v] = !counted_together || !is_uniform(1);
  set(region.arg_values[0], counted_together ? Shape{} : varying);
  for (size_t k = 3; k < operands.size(); ++k) {
    widen(region.arg_values[k - 2], shapes_[operands[k]]);
  }
  visit_region(i.first_region);
  for (size_t k = 0; k + 3 < operands.size(); ++k) {
    const Value carried = region.arg_values[k + 1];
    widen(carried, yielded(i.first_region, k));
    const bool uniform = !divergent_[v] && shapes_[carried].spread == Spread::uniform;
    set_result(v, k, uniform ? Shape{} : varying);
  }
}

void Shapes::visit_while(Value v) {
  const Instruction& i = kernel_.instructions[v];
  const std::span<const Value> initial = kernel_.operands(v);
  const Region& test = kernel_.regions[i.first_region];
  const Region& body = kernel_.regions[i.first_region + 1];
  for (size_t k = 0; k < initial.size(); ++k) {
    widen(test.arg_values[k], shapes_[initial[k]]);
  }
  visit_region(i.first_region);
  divergent_[v] = yielded(i.first_region, 0).spread != Spread::uniform;
  for (size_t k = 0; k < body.arg_values.size(); ++k) set(body.arg_values[k], yielded(i.first_region, k + 1));
  visit_region(i.first_region + 1);
  for (size_t k = 0; k < initial.size(); ++k) {
    widen(test.arg_values[k], yielded(i.first_region + 1, k));
  }
  for (size_t k = 0; k < body.arg_values.size(); ++k) {
    const bool uniform = !divergent_[v] && shapes_[body.arg_values[k]].spread == Spread::uniform;
    set_result(v, k, uniform ? Shape{} : varying);
  }
}

// Buffer indices and reduction bounds accept the affine representation; every other use needs one number per lane.
void Shapes::mark_lanes(RegionId region) {
  for (Value v : kernel_.regions[region].body) {
    const Instruction& i = kernel_.instructions[v];
    const std::span<const Value> operands = kernel_.operands(v);
    const bool takes_affine = i.op == Opcode::load || i.op == Opcode::load_array || i.op == Opcode::reduce ||
                              i.op == Opcode::is_aligned || (is_pure(i.op) && shapes_[v].spread == Spread::affine);
    size_t first_index = operands.size();
    if (i.op == Opcode::store || i.op == Opcode::store_array) first_index = 1;
    if (i.op == Opcode::atomic || i.op == Opcode::atomic_array)
      first_index = atomic_kind(i.attr) == AtomicKind::compare_exchange ? 2 : 1;
    if (i.op == Opcode::reduce && operands.size() > 2 && shapes_[operands[2]].spread == Spread::affine)
      needs_lanes_[operands[2]] = true;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!takes_affine && k < first_index && shapes_[operands[k]].spread == Spread::affine)
        needs_lanes_[operands[k]] = true;
    }
    for (int k = 0; k < i.region_count; ++k) mark_lanes(i.first_region + k);
  }
}

}  // namespace tessera::ir
