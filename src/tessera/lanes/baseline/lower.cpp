#include "tessera/lanes/baseline/lower.h"

#include <algorithm>
#include <cstring>

#include "tessera/ir/opcode.h"
#include "tessera/lanes/baseline/forms.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

DType operand_type(const ir::Kernel& kernel, Value v) {
  // As ir::find_loop expects: the type of a select is that of its alternatives.
  const ir::Instruction& i = kernel.instructions[v];
  return kernel.instructions[kernel.operands(v)[i.op == Opcode::select ? 1 : 0]].type;
}

std::span<const Value> indices_of(const ir::Kernel& kernel, Value access) {
  return kernel.operands(access).subspan(kernel.instructions[access].op == Opcode::store ? 1 : 0);
}

bool has_place(const ir::Kernel& kernel, Value v) {
  const Opcode op = kernel.instructions[v].op;
  return op != Opcode::index && op != Opcode::extent && op != Opcode::dimension && op != Opcode::region_arg;
}

/// Whether v is the index along a row, which differs between lanes.
bool is_lane_index(const ir::Kernel& kernel, Value v) {
  return kernel.instructions[v].op == Opcode::index && static_cast<int>(kernel.instructions[v].imm) + 1 == kernel.ndim;
}

bool has_form(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  std::span<const Value> operands = kernel.operands(v);
  switch (i.op) {
    case Opcode::constant:
    case Opcode::scalar:
    case Opcode::index: return true;
    case Opcode::load:
      if (kernel.buffers[i.imm].writable || !kernel.buffers[i.imm].no_alias) return false;
      break;
    case Opcode::store:
      if (!kernel.buffers[i.imm].no_alias || !(has_place(kernel, operands[0]) || is_lane_index(kernel, operands[0])))
        return false;
      break;
    case Opcode::check:
      return alarm_of(kernel, i, operands) != Alarm::unknown &&
             std::ranges::all_of(operands, [&](Value x) { return has_place(kernel, x); });
    default:
      return ir::is_pure(i.op) &&
             std::ranges::all_of(operands, [&](Value x) { return has_place(kernel, x) || is_lane_index(kernel, x); }) &&
             (is_direct(kernel, v) || (!operands.empty() && ir::find_loop(i.op, operand_type(kernel, v), i.type)));
  }
  return std::ranges::all_of(indices_of(kernel, v),
                             [&](Value x) { return kernel.instructions[x].op == Opcode::index; });
}

/// Whether a store copies an element from memory that an earlier store may have overwritten. (An operand is not loaded
/// again after a result has replaced it, but copies read it late.)
bool copies_results(const ir::Kernel& kernel) {
  std::vector<uint32_t> written;
  for (Value v : kernel.regions[0].body) {
    const ir::Instruction& i = kernel.instructions[v];
    if (i.op != Opcode::store) continue;
    const ir::Instruction& read = kernel.instructions[kernel.operands(v)[0]];
    if (read.op == Opcode::load && !is_register_type(read.type) &&
        std::ranges::any_of(written, [&](uint32_t w) { return may_share_lanes(kernel, read.imm, w); }))
      return true;
    written.push_back(i.imm);
  }
  return false;
}

void put_stores_last(std::vector<LaneOp>& ops) {
  const auto is_store = [](const LaneOp& op) { return op.kind == LaneOp::Kind::store; };
  std::vector<LaneOp> stores;
  std::ranges::copy_if(ops, std::back_inserter(stores), is_store);
  std::erase_if(ops, is_store);
  ops.insert(ops.end(), stores.begin(), stores.end());
}

bool has_alarms(const ir::Kernel& kernel) {
  return kernel.flag_slots > 0 && std::ranges::any_of(kernel.regions[0].body, [&](Value v) {
           const ir::Instruction& i = kernel.instructions[v];
           return i.op == Opcode::check && alarm_of(kernel, i, kernel.operands(v)) != Alarm::never;
         });
}

}  // namespace

bool has_baseline(const ir::Kernel& kernel) {
  if (kernel.ndim < 1 || kernel.ndim > max_baseline_axes || !kernel.arrays.empty() || kernel.regions.size() != 1)
    return false;
  return std::ranges::all_of(kernel.regions[0].body, [&](Value v) { return has_form(kernel, v); }) &&
         !copies_results(kernel);
}

BaselineLowering::BaselineLowering(const ir::Kernel& kernel, BaselineProgram& out, MachineCode& code)
    : kernel_(kernel),
      out_(out),
      code_(code),
      dependence_(kernel),
      schedule_(kernel, dependence_, has_alarms(kernel), is_baseline_call) {}

bool BaselineLowering::run() {
  out_.ndim = kernel_.ndim;
  out_.watches = has_alarms(kernel_);
  out_.buffers = kernel_.buffers;
  uint32_t strides = 0;
  for (const ir::BufferParam& buffer : kernel_.buffers) {
    out_.first_stride.push_back(strides);
    strides += buffer.ndim;
  }
  for (uint32_t result = 0; result < kernel_.buffers.size(); ++result)
    for (uint32_t operand = 0; operand < kernel_.buffers.size(); ++operand)
      if (kernel_.buffers[result].writable && !kernel_.buffers[operand].writable &&
          may_share_lanes(kernel_, result, operand))
        out_.sharing.emplace_back(result, operand);
  stops_ = out_.watches && is_one_loop();
  add_accesses();
  add_slots();
  add_results();
  for (const Step& step : schedule_.steps) {
    switch (step.kind) {
      case Step::Kind::lanes: lower_group(step.group); break;
      case Step::Kind::call: lower_call(step.value); break;
      case Step::Kind::uniform: lower_uniform(step.value); break;
      case Step::Kind::vote:
      case Step::Kind::control: return false;
    }
  }
  const auto is_call = [](const Step& step) { return step.kind == Step::Kind::call; };
  out_.gathers =
      out_.ndim >= 2 && out_.row.empty() && !out_.counts_from && std::ranges::any_of(schedule_.steps, is_call);
  return choose_lanes() && out_.places.size() <= max_places && out_.uniforms.size() <= max_uniforms;
}

/// Strips are as long as their slots allow; without slots, their length is limited only where alarms are tested or
/// results streamed.
bool BaselineLowering::choose_lanes() {
  constexpr int64_t watched_lanes = 2048, streamed_lanes = 512, most_lanes = int64_t{1} << 40;
  out_.lanes = out_.watches ? watched_lanes : most_lanes;
  if (std::ranges::any_of(out_.results, &BaselineProgram::Result::streams)) out_.lanes = streamed_lanes;
  if (slot_bytes_ > 0) out_.lanes = std::min({out_.lanes, watched_lanes, slot_budget / slot_bytes_ / 64 * 64});
  return out_.lanes > 0;
}

uint32_t BaselineLowering::add_place(PlaceForm form) {
  out_.places.push_back(form);
  return static_cast<uint32_t>(out_.places.size()) - 1;
}

uint32_t BaselineLowering::add_slot(DType dtype) {
  const auto size = static_cast<uint8_t>(itemsize(dtype));
  slot_bytes_ += size;
  return add_place({Kind::slot, size, static_cast<uint32_t>(slot_bytes_ - size)});
}

void BaselineLowering::add_accesses() {
  for (Value v : kernel_.regions[0].body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op != Opcode::load && i.op != Opcode::store) continue;
    BaselineProgram::Access access{.buffer = i.imm, .axes = {}};
    for (Value index : indices_of(kernel_, v)) access.axes.push_back(static_cast<int>(kernel_.instructions[index].imm));
    access_of_[v] = add_place({Kind::access, 0, static_cast<uint32_t>(out_.accesses.size())});
    out_.accesses.push_back(std::move(access));
    if (i.op == Opcode::load && !is_uniform(v))
      out_.loads.emplace_back(access_of_[v], ir::find_loop(Opcode::load, i.type, i.type));
  }
}

void BaselineLowering::add_slots() {
  for (DType dtype : schedule_.array_types) slots_.push_back(add_slot(dtype));
}

bool BaselineLowering::is_one_loop() const {
  const auto is_lane_loop = [](const Step& step) { return step.kind == Step::Kind::lanes; };
  const auto is_uniform_step = [](const Step& step) { return step.kind == Step::Kind::uniform; };
  if (std::ranges::count_if(schedule_.steps, is_lane_loop) != 1) return false;
  return std::ranges::all_of(schedule_.steps,
                             [&](const Step& step) { return is_lane_loop(step) || is_uniform_step(step); }) &&
         std::ranges::all_of(kernel_.regions[0].body, [&](Value v) {
           return kernel_.instructions[v].op != Opcode::store || is_register_type(kernel_.instructions[v].type);
         });
}

/// Results that are not contiguous or are written by non-temporal stores are staged in a slot; so are those that
/// overlap operands which are still needed if an alarm is raised.
void BaselineLowering::add_results() {
  for (Value v : kernel_.regions[0].body) {
    const ir::Instruction& i = kernel_.instructions[v];
    if (i.op != Opcode::store) continue;
    const bool streams = kernel_.buffers[i.imm].streaming && is_dense(v);
    const bool waits = streams || !is_dense(v);
    const bool may_wait =
        out_.watches && !stops_ && std::ranges::any_of(out_.sharing, [&](auto pair) { return pair.first == i.imm; });
    BaselineProgram::Result result{.access = access_of_.at(v),
                                   .slot = BaselineProgram::no_place,
                                   .waits = waits,
                                   .streams = streams,
                                   .copy = ir::find_loop(Opcode::load, i.type, i.type)};
    if (waits || may_wait) result.slot = add_slot(i.type);
    target_of_[v] =
        add_place({Kind::target, static_cast<uint8_t>(itemsize(i.type)), static_cast<uint32_t>(out_.results.size())});
    out_.results.push_back(result);
  }
}

bool BaselineLowering::is_uniform(Value v) const { return !dependence_.varies(v); }

/// Whether the lanes' elements are contiguous.
bool BaselineLowering::is_dense(Value access) const {
  const ir::BufferParam& buffer = kernel_.buffers[kernel_.instructions[access].imm];
  const std::vector<int>& axes = out_.accesses[out_.places[access_of_.at(access)].at].axes;
  return buffer.inner == ir::InnerStride::contiguous && !axes.empty() && axes.back() + 1 == kernel_.ndim &&
         std::ranges::count(axes, axes.back()) == 1;
}

uint32_t BaselineLowering::uniform_of(Value v) {
  auto [known, is_new] = uniforms_.try_emplace(v, static_cast<uint32_t>(out_.uniforms.size()));
  if (!is_new) return known->second;
  std::array<char, 16>& bytes = out_.uniforms.emplace_back();
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op == Opcode::constant) std::memcpy(bytes.data(), kernel_.constants[i.imm].bytes, bytes.size());
  if (i.op == Opcode::scalar) out_.scalars.emplace_back(known->second, i.imm);
  return known->second;
}

/// Fills `place` with the lanes' indices, converted to the type.
void BaselineLowering::add_count(DType type, uint32_t place) {
  if (!out_.counts_from) {
    out_.counts_from = static_cast<uint32_t>(out_.uniforms.size());
    out_.uniforms.emplace_back();
    counts_from_ = add_place({Kind::uniform, 0, *out_.counts_from});
  }
  out_.steps.push_back({.call = {ir::find_loop(Opcode::index, DType::int64, type), {counts_from_, place}}});
}

uint32_t BaselineLowering::place_of(Value v) {
  if (is_lane_index(kernel_, v)) {
    auto [copy, is_new] = copy_of_.try_emplace(v);
    if (is_new) add_count(DType::int64, copy->second = add_slot(DType::int64));
    return copy->second;
  }
  if (is_uniform(v)) {
    const uint32_t uniform = uniform_of(v);
    auto [known, is_new] = uniform_places_.try_emplace(uniform);
    if (is_new) known->second = add_place({Kind::uniform, 0, uniform});
    return known->second;
  }
  if (auto copy = copy_of_.find(v); copy != copy_of_.end()) return copy->second;
  if (auto slot = schedule_.slot_of.find(v); slot != schedule_.slot_of.end())
    return slots_[schedule_.array_of[slot->second]];
  return access_of_.at(v);
}

void BaselineLowering::lower_uniform(Value v) {
  const ir::Instruction& i = kernel_.instructions[v];
  Call call{};
  if (i.op == Opcode::load) {
    call = {ir::find_loop(Opcode::load, i.type, i.type), {access_of_.at(v), place_of(v)}};
  } else {
    call.loop = ir::find_loop(i.op, operand_type(kernel_, v), i.type);
    for (Value operand : kernel_.operands(v)) call.places.push_back(place_of(operand));
    call.places.push_back(place_of(v));
  }
  (dependence_.level(v) == 0 ? out_.once : out_.row).push_back(std::move(call));
}

void BaselineLowering::lower_call(Value v) {
  const bool counts = kernel_.instructions[v].op == Opcode::cast && is_lane_index(kernel_, kernel_.operands(v)[0]);
  if (counts && (type_of(v) == DType::float32 || type_of(v) == DType::float64))
    return add_count(type_of(v), place_of(v));
  Call call{ir::find_loop(kernel_.instructions[v].op, operand_type(kernel_, v), type_of(v)), {}};
  for (Value operand : kernel_.operands(v)) call.places.push_back(place_of(operand));
  call.places.push_back(place_of(v));
  out_.steps.push_back({.call = std::move(call)});
}

void BaselineLowering::add_load(Value v, LaneLoop& loop) {
  loop.ops.push_back({LaneOp::Kind::load, v, is_dense(v) ? access_of_.at(v) : add_copy(v)});
}

/// Copies the load's elements to a contiguous slot of its own, once for all users.
uint32_t BaselineLowering::add_copy(Value v) {
  auto [copy, is_new] = copy_of_.try_emplace(v);
  if (is_new) {
    copy->second = add_slot(type_of(v));
    out_.steps.push_back(
        {.call = {ir::find_loop(Opcode::load, type_of(v), type_of(v)), {access_of_.at(v), copy->second}}});
  }
  return copy->second;
}

/// Adds the operands that are not values of the lane loop's group: uniform values and lane indices.
void BaselineLowering::note_operands(Value user, LaneLoop& loop) {
  for (Value operand : kernel_.operands(user)) {
    if (is_uniform(operand) && has_place(kernel_, operand)) loop.uniform_of[operand] = uniform_of(operand);
    const auto loads = [&](const LaneOp& op) { return op.kind == LaneOp::Kind::load && op.value == operand; };
    if (is_lane_index(kernel_, operand) && std::ranges::none_of(loop.ops, loads))
      loop.ops.push_back({LaneOp::Kind::load, operand, place_of(operand)});
  }
}

void BaselineLowering::lower_member(Value v, LaneLoop& loop, std::vector<Call>& after) {
  const ir::Instruction& i = kernel_.instructions[v];
  switch (i.op) {
    case Opcode::load:
      if (is_register_type(i.type)) return add_load(v, loop);
      add_copy(v);
      return;
    case Opcode::store: {
      const Value value = kernel_.operands(v)[0];
      note_operands(v, loop);
      if (is_register_type(i.type)) {
        loop.ops.push_back({LaneOp::Kind::store, value, target_of_.at(v)});
      } else {
        after.push_back({ir::find_loop(Opcode::load, i.type, i.type), {place_of(value), target_of_.at(v)}});
      }
      return;
    }
    case Opcode::check:
      note_operands(v, loop);
      loop.ops.push_back({LaneOp::Kind::check, v});
      return;
    default: note_operands(v, loop); loop.ops.push_back({LaneOp::Kind::compute, v});
  }
}

void BaselineLowering::lower_group(const LaneGroup& group) {
  LaneLoop loop;
  std::vector<Call> after;
  for (Value v : group.leaves)
    if (is_register_type(type_of(v))) add_load(v, loop);
  for (Value v : group.inputs)
    if (is_register_type(type_of(v))) loop.ops.push_back({LaneOp::Kind::load, v, place_of(v)});
  for (Value v : group.members) lower_member(v, loop, after);
  for (const Assignment& a : group.assignments) {
    const uint32_t slot = slots_[schedule_.array_of[a.slot]];
    if (!is_register_type(type_of(a.source))) continue;  // copied when it was loaded
    if (is_uniform(a.source)) loop.uniform_of[a.source] = uniform_of(a.source);
    loop.ops.push_back({LaneOp::Kind::store, a.source, slot});
  }
  loop.stops = stops_;
  if (stops_) put_stores_last(loop.ops);
  if (!loop.ops.empty()) out_.steps.push_back({.code = code_.write(kernel_, loop)});
  for (Call& call : after) out_.steps.push_back({.call = std::move(call)});
}

}  // namespace tessera::lanes
