#include "tessera/codegen/emit/schedule.h"

#include <algorithm>

#include "tessera/base/error.h"

namespace tessera::codegen {

using ir::Opcode;
using ir::Value;

namespace {

constexpr SlotId no_slot = ~0u;

/// The last lane group of a list, made when the list does not end with one.
LaneGroup& last_group(std::vector<Step>& steps) {
  if (steps.empty() || steps.back().kind != Step::Kind::lanes) steps.push_back({.kind = Step::Kind::lanes});
  return steps.back().group;
}

/// Whether the loop being collected has a long function already. A second one goes into a loop of its own: a processor's
/// window holds few turns of a longer loop, so it would wait for each function's chain of dependent steps, which costs
/// more than values that cross from loop to loop in the nearest cache.
bool has_long_function(const ir::Kernel& kernel, const std::vector<Step>& steps) {
  if (steps.empty() || steps.back().kind != Step::Kind::lanes) return false;
  return std::ranges::any_of(steps.back().group.members,
                             [&](Value v) { return is_long_function(kernel.instructions[v].op); });
}

}  // namespace

bool is_long_function(Opcode op) {
  return (op >= Opcode::cbrt && op <= Opcode::lgamma) || op == Opcode::pow || op == Opcode::atan2;
}

Schedule::Schedule(const ir::Kernel& kernel, const Dependence& dependence) : kernel_(kernel), dependence_(dependence) {
  cut_region(0, steps);
  find_homes(steps);
  find_crossings(steps);
}

SlotId Schedule::slot(Value v) {
  auto [entry, is_new] = slot_of.try_emplace(v, static_cast<SlotId>(slot_types.size()));
  if (is_new) slot_types.push_back(kernel_.instructions[v].type);
  return entry->second;
}

void Schedule::cut_region(ir::RegionId region, std::vector<Step>& out) {
  for (Value v : kernel_.regions[region].body) {
    switch (kernel_.instructions[v].op) {
      case Opcode::constant:
      case Opcode::scalar:
      case Opcode::extent:
      case Opcode::dimension:
      case Opcode::index:
      case Opcode::region_arg:
      case Opcode::yield: continue;
      case Opcode::barrier:
        has_barrier = true;
        out.push_back({.kind = Step::Kind::lanes});
        continue;
      case Opcode::result: {
        const Value control = kernel_.operands(v)[0];
        if (!dependence_.surrounds_lanes(control) || !dependence_.varies(v)) break;
        slot_of[v] = result_slots_[control].at(kernel_.instructions[v].imm);
        continue;
      }
      default: break;
    }
    if (dependence_.surrounds_lanes(v)) {
      cut_control(v, out);
    } else if (dependence_.varies(v)) {
      if (is_long_function(kernel_.instructions[v].op) && has_long_function(kernel_, out)) {
        out.push_back({.kind = Step::Kind::lanes});
        has_cut_functions = true;
      }
      last_group(out).members.push_back(v);
    } else {
      // Uniform values never depend on lanes, so they move in front of the loop being collected.
      const bool open = !out.empty() && out.back().kind == Step::Kind::lanes;
      out.insert(out.end() - open, Step{.kind = Step::Kind::uniform, .value = v});
    }
  }
}

/// Makes the end of a list copy each source that belongs in a slot into its target's slot.
void Schedule::assign(std::vector<Step>& steps, std::span<const Value> targets, std::span<const Value> sources) {
  for (size_t k = 0; k < targets.size(); ++k) {
    if (!dependence_.varies(targets[k])) continue;
    last_group(steps).assignments.push_back({Assignment::Kind::copy, slot(targets[k]), sources[k]});
  }
}

/// The results of a loop live on in the slots of these region arguments.
void Schedule::share_slots(Value control, std::span<const Value> arguments) {
  std::vector<SlotId>& slots = result_slots_[control];
  for (Value argument : arguments) slots.push_back(dependence_.varies(argument) ? slot(argument) : no_slot);
  if (!slots.empty() && slots[0] != no_slot) slot_of[control] = slots[0];
}

void Schedule::cut_control(Value v, std::vector<Step>& out) {
  const ir::Instruction& i = kernel_.instructions[v];
  std::span<const Value> operands = kernel_.operands(v);
  switch (i.op) {
    case Opcode::for_: {
      std::span<const Value> carried = std::span(kernel_.region(v, 0).arg_values).subspan(1);
      assign(out, carried, operands.subspan(3));
      share_slots(v, carried);
      break;
    }
    case Opcode::while_:
      assign(out, kernel_.region(v, 0).arg_values, operands);
      share_slots(v, kernel_.region(v, 1).arg_values);
      break;
    case Opcode::reduce:
      last_group(out).assignments.push_back({Assignment::Kind::start, slot(v), ir::no_value, v});
      break;
    default: break;
  }
  Step step{.kind = Step::Kind::control, .value = v};
  cut_inside(v, step);
  out.push_back(std::move(step));
}

void Schedule::cut_inside(Value v, Step& step) {
  const ir::Instruction& i = kernel_.instructions[v];
  step.inside.resize(i.region_count);
  for (int k = 0; k < i.region_count; ++k) cut_region(i.first_region + k, step.inside[k]);
  std::span<const Value> results = yielded(kernel_, kernel_.region(v, 0));
  switch (i.op) {
    case Opcode::for_: assign(step.inside[0], std::span(kernel_.region(v, 0).arg_values).subspan(1), results); return;
    case Opcode::while_:
      assign(step.inside[0], kernel_.region(v, 1).arg_values, results.subspan(1));
      assign(step.inside[1], kernel_.region(v, 0).arg_values, yielded(kernel_, kernel_.region(v, 1)));
      return;
    case Opcode::reduce:
      last_group(step.inside[0]).assignments.push_back({Assignment::Kind::fold, slot(v), results[0], v});
      return;
    case Opcode::if_: break;
    default: invariant(false, "schedule: {} does not surround lanes", ir::name(i.op));
  }
  std::vector<SlotId>& slots = result_slots_[v];
  for (size_t r = 0; r < results.size(); ++r) {
    slots.push_back(no_slot);
    bool varies = false;
    for (int k = 0; k < i.region_count; ++k) varies |= dependence_.varies(yielded(kernel_, kernel_.region(v, k))[r]);
    if (!varies) continue;
    slots[r] = static_cast<SlotId>(slot_types.size());
    slot_types.push_back(kernel_.instructions[results[r]].type);
    for (int k = 0; k < i.region_count; ++k) {
      const Value source = yielded(kernel_, kernel_.region(v, k))[r];
      last_group(step.inside[k]).assignments.push_back({Assignment::Kind::copy, slots[r], source});
    }
  }
  if (!slots.empty() && slots[0] != no_slot) slot_of[v] = slots[0];
}

void Schedule::find_homes(std::vector<Step>& list) {
  for (Step& step : list) {
    for (Value v : step.group.members) home_[v] = &step.group;
    for (std::vector<Step>& inside : step.inside) find_homes(inside);
  }
}

void Schedule::find_crossings(std::vector<Step>& list) {
  for (Step& step : list) {
    for (Value v : step.group.members) note_operands(v, step.group);
    // By index: an operand at home in this very group adds nothing, others add to their own group.
    for (size_t k = 0; k < step.group.assignments.size(); ++k) {
      const Assignment& a = step.group.assignments[k];
      if (a.source != ir::no_value) note_use(a.source, step.group);
    }
    for (std::vector<Step>& inside : step.inside) find_crossings(inside);
  }
}

void Schedule::note_operands(Value user, LaneGroup& group) {
  const ir::Instruction& i = kernel_.instructions[user];
  for (Value operand : kernel_.operands(user)) note_use(operand, group);
  for (int k = 0; k < i.region_count; ++k)
    for (Value v : kernel_.region(user, k).body) note_operands(v, group);
}

void Schedule::note_use(Value operand, LaneGroup& group) {
  auto home = home_.find(operand);
  if (home == home_.end()) {
    if (slot_of.contains(operand)) group.inputs.insert(operand);
    return;
  }
  if (home->second == &group) return;
  if (!slot_of.contains(operand)) home->second->assignments.push_back({Assignment::Kind::copy, slot(operand), operand});
  group.inputs.insert(operand);
}

}  // namespace tessera::codegen
