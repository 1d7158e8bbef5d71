#include "tessera/lanes/schedule/schedule.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/ir/checks.h"
#include "tessera/ir/implied_checks.h"
#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/call_depth.h"

namespace tessera::lanes {

using ir::Opcode;
using ir::Value;

namespace {

constexpr SlotId no_slot = ~0u;

/// The last lane group of a list, appended when the list does not end with one.
LaneGroup& last_group(std::vector<Step>& steps) {
  if (steps.empty() || steps.back().kind != Step::Kind::lanes) steps.push_back({.kind = Step::Kind::lanes});
  return steps.back().group;
}

/// The values that depend on the argument of a reduction's region.
std::unordered_set<Value> find_element_values(const ir::Kernel& kernel, const ir::Region& region) {
  std::unordered_set<Value> values(region.arg_values.begin(), region.arg_values.end());
  for (Value v : region.body)
    if (std::ranges::any_of(kernel.operands(v), [&](Value operand) { return values.contains(operand); }))
      values.insert(v);
  return values;
}

/// Of a checked launch, in front of a barrier. Here all lanes of a block come to it.
bool is_barrier_check(const ir::Kernel& kernel, Value v) {
  constexpr int axes_of_a_launch = 6;
  return kernel.ndim == axes_of_a_launch && kernel.operands(v).size() == 2 &&
         kernel.instructions[v].imm == ir::check_number(ir::CheckCall::barrier);
}

}  // namespace

bool has_element_calls(const ir::Kernel& kernel, Value reduction) {
  const ir::Region& region = kernel.region(reduction, 0);
  const std::unordered_set<Value> values = find_element_values(kernel, region);
  bool has_call = false;
  for (Value v : region.body) {
    const Opcode op = kernel.instructions[v].op;
    if (!ir::is_pure(op) && op != Opcode::load && op != Opcode::check && op != Opcode::yield) return false;
    has_call |= is_long_function(kernel, v) && values.contains(v);
  }
  return has_call;
}

Schedule::Schedule(const ir::Kernel& kernel, const Dependence& dependence, bool watches, CallRule is_call)
    : kernel_(kernel), dependence_(dependence), is_call_(is_call), watches_(watches) {
  if (watches) implied_checks_ = find_implied_checks(kernel, kernel.regions[0].body);
  cut_region(0, steps);
  find_homes(steps);
  find_transposed_loads(steps);
  share_arrays();
}

Schedule::Schedule(const ir::Kernel& kernel, const Dependence& dependence, Value reduction)
    : kernel_(kernel), dependence_(dependence) {
  const ir::Region& region = kernel.region(reduction, 0);
  element_values_ = find_element_values(kernel, region);
  cut_region(kernel.instructions[reduction].first_region, steps);
  const Value element = yielded(kernel, region)[0];
  if (!slot_of.contains(element))
    last_group(steps).assignments.push_back({Assignment::Kind::copy, slot(element), element});
  result_slot = slot(element);
  find_homes(steps);
  find_transposed_loads(steps);
  share_arrays();
}

SlotId Schedule::slot(Value v) {
  auto [entry, is_new] = slot_of.try_emplace(v, static_cast<SlotId>(slot_types_.size()));
  if (is_new) slot_types_.push_back(kernel_.instructions[v].type);
  return entry->second;
}

void Schedule::cut_region(ir::RegionId region, std::vector<Step>& out) {
  std::vector<Value> run;
  const auto end_run = [&] {
    cut_run(run, out);
    run.clear();
  };
  for (Value v : kernel_.regions[region].body) {
    switch (kernel_.instructions[v].op) {
      case Opcode::constant:
      case Opcode::scalar:
      case Opcode::extent:
      case Opcode::dimension:
      case Opcode::index:
      case Opcode::region_arg:
      case Opcode::yield: continue;
      case Opcode::check:
        if (implied_checks_.contains(v)) continue;
        break;
      case Opcode::call_host:
        if (!is_barrier_check(kernel_, v)) break;
        end_run();
        out.push_back({.kind = Step::Kind::vote, .value = v});
        continue;
      case Opcode::barrier:
      case Opcode::grid_barrier:
      case Opcode::warp_barrier:
      case Opcode::barrier_count:
      case Opcode::ballot:
      case Opcode::shuffle:
        end_run();
        cut_meeting(v, out);
        if (kernel_.instructions[v].op == Opcode::shuffle) run.push_back(v);
        continue;
      case Opcode::result: {
        const Value control = kernel_.operands(v)[0];
        if (!dependence_.surrounds_lanes(control) || !varies(v)) break;
        slot_of[v] = result_slots_[control].at(kernel_.instructions[v].imm);
        continue;
      }
      default: break;
    }
    if (dependence_.surrounds_lanes(v)) {
      end_run();
      cut_control(v, out);
    } else if (varies(v)) {
      run.push_back(v);
    } else {
      // Uniform values never depend on lanes, so they are placed before the run being collected.
      const bool open = !out.empty() && out.back().kind == Step::Kind::lanes;
      out.insert(out.end() - open, Step{.kind = Step::Kind::uniform, .value = v});
    }
  }
  end_run();
}

/// The lanes before and behind a meeting point are in different loops. What others learn there is in a slot of its own,
/// which no loop writes that reads it.
void Schedule::cut_meeting(Value v, std::vector<Step>& out) {
  const Opcode op = kernel_.instructions[v].op;
  has_barrier = true;
  const bool is_vote = op == Opcode::ballot || op == Opcode::barrier_count || op == Opcode::shuffle;
  if (is_vote) {
    is_straight = false;
    const Value value = kernel_.operands(v)[0];
    asked[v] = static_cast<SlotId>(slot_types_.size());
    slot_types_.push_back(kernel_.instructions[value].type);
    last_group(out).assignments.push_back({Assignment::Kind::copy, asked[v], value});
  }
  if (op == Opcode::grid_barrier) out.push_back({.kind = Step::Kind::vote, .value = v});
  if (op == Opcode::ballot || op == Opcode::barrier_count) {
    if (op == Opcode::ballot) slot(v);
    out.push_back({.kind = Step::Kind::vote, .value = v});
  }
  out.push_back({.kind = Step::Kind::lanes});
}

/// Emits, depth by depth, a lane loop and its calls. The first loop is merged into a lane loop at the end of the list.
void Schedule::cut_run(std::span<const Value> run, std::vector<Step>& out) {
  if (run.empty()) return;
  const CallDepths depths(kernel_, run, is_call_);
  for (Value v : run) {
    if (!depths.is_leaf(v)) continue;
    leaf_loads_.insert(v);
    leaves.push_back(v);
  }
  for (int depth = 0; depth <= depths.last(); ++depth) {
    LaneGroup& group = last_group(out);
    for (Value v : run)
      if (depths.depth(v) == depth && !is_call_(kernel_, v) && !depths.is_leaf(v)) group.members.push_back(v);
    for (Value v : run) {
      if (depths.depth(v) != depth || !is_call_(kernel_, v)) continue;
      out.push_back({.kind = Step::Kind::call, .value = v});
      slot(v);
      ++call_count;
    }
  }
}

/// Makes the last lane loop of a list copy each source into its target's slot.
void Schedule::assign(std::vector<Step>& steps, std::span<const Value> targets, std::span<const Value> sources) {
  for (size_t k = 0; k < targets.size(); ++k) {
    if (!varies(targets[k])) continue;
    last_group(steps).assignments.push_back({Assignment::Kind::copy, slot(targets[k]), sources[k]});
  }
}

/// The results of a loop stay in the slots of these region arguments.
void Schedule::share_slots(Value control, std::span<const Value> arguments) {
  std::vector<SlotId>& slots = result_slots_[control];
  for (Value argument : arguments) slots.push_back(varies(argument) ? slot(argument) : no_slot);
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
      last_group(out).assignments.push_back(operands.size() > 2
                                                ? Assignment{Assignment::Kind::copy, slot(v), operands[2]}
                                                : Assignment{Assignment::Kind::start, slot(v), ir::no_value, v});
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
  is_straight = false;
  for (int k = 0; k < i.region_count; ++k) cut_region(i.first_region + k, step.inside[k]);
  std::span<const Value> results = yielded(kernel_, kernel_.region(v, 0));
  switch (i.op) {
    case Opcode::for_: assign(step.inside[0], std::span(kernel_.region(v, 0).arg_values).subspan(1), results); return;
    case Opcode::while_:
      assign(step.inside[0], kernel_.region(v, 1).arg_values, results.subspan(1));
      assign(step.inside[1], kernel_.region(v, 0).arg_values, yielded(kernel_, kernel_.region(v, 1)));
      return;
    case Opcode::reduce:
      last_group(step.inside[0]).assignments.push_back({Assignment::Kind::reduce, slot(v), results[0], v});
      return;
    case Opcode::if_: break;
    default: invariant(false, "schedule: {} does not surround lanes", ir::name(i.op));
  }
  std::vector<SlotId>& slots = result_slots_[v];
  for (size_t r = 0; r < results.size(); ++r) {
    slots.push_back(no_slot);
    bool differs = false;
    for (int k = 0; k < i.region_count; ++k) differs |= varies(yielded(kernel_, kernel_.region(v, k))[r]);
    if (!differs) continue;
    slots[r] = static_cast<SlotId>(slot_types_.size());
    slot_types_.push_back(kernel_.instructions[results[r]].type);
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

void Schedule::find_transposed_loads(std::vector<Step>& list) {
  for (Step& step : list) {
    if (step.kind == Step::Kind::call) note_operands(step.value, nullptr);
    for (Value v : step.group.members) note_operands(v, &step.group);
    // By index, because note_use() may append assignments to other groups; operands of this very group append none.
    for (size_t k = 0; k < step.group.assignments.size(); ++k) {
      const Assignment& a = step.group.assignments[k];
      if (a.source != ir::no_value) note_use(a.source, &step.group);
    }
    for (std::vector<Step>& inside : step.inside) find_transposed_loads(inside);
  }
}

void Schedule::note_operands(Value user, LaneGroup* group) {
  const ir::Instruction& i = kernel_.instructions[user];
  std::span<const Value> operands = kernel_.operands(user);
  if (watches_ && tests_result(kernel_, i)) operands = operands.first(1);
  for (Value operand : operands) note_use(operand, group);
  for (int k = 0; k < i.region_count; ++k)
    for (Value v : kernel_.region(user, k).body) note_operands(v, group);
}

/// Whether v is integer arithmetic on coordinates and uniform values: the addresses of a user kernel. Computing it
/// again is faster than a slot, and shows which elements are neighbours.
bool Schedule::is_cheap(Value v, int depth) const {
  constexpr int deepest = 4;
  const ir::Instruction& i = kernel_.instructions[v];
  if (i.op == Opcode::index || !varies(v)) return true;
  const bool is_quick = (i.op >= Opcode::add && i.op <= Opcode::mul) || i.op == Opcode::cast ||
                        ir::is_comparison(i.op) || (i.op >= Opcode::bit_and && i.op <= Opcode::shift_right);
  if (depth == deepest || !is_quick || !home_.contains(v)) return false;
  return std::ranges::all_of(kernel_.operands(v), [&](Value operand) {
    const DType type = kernel_.instructions[operand].type;
    return (is_integer(type) || is_boolean(type)) && is_cheap(operand, depth + 1);
  });
}

void Schedule::recompute(Value v, LaneGroup& group) {
  if (!varies(v) || kernel_.instructions[v].op == Opcode::index || std::ranges::count(group.recomputed, v)) return;
  if (home_.at(v) == &group) return;
  for (Value operand : kernel_.operands(v)) recompute(operand, group);
  group.recomputed.push_back(v);
}

/// Records a use in a lane loop, or in a call when group is null.
void Schedule::note_use(Value operand, LaneGroup* group) {
  if (leaf_loads_.contains(operand)) {
    if (group) group->leaves.insert(operand);
    return;
  }
  auto home = home_.find(operand);
  if (home == home_.end()) {
    if (group && slot_of.contains(operand)) group->inputs.insert(operand);
    return;
  }
  if (home->second == group) return;
  if (group && kernel_.block_axes > 1 && is_cheap(operand, 0)) return recompute(operand, *group);
  if (!slot_of.contains(operand)) home->second->assignments.push_back({Assignment::Kind::copy, slot(operand), operand});
  if (group) group->inputs.insert(operand);
}

/// The slots a step writes.
std::vector<SlotId> Schedule::written_slots(const Step& step) const {
  if (step.kind == Step::Kind::call) return {slot_of.at(step.value)};
  std::vector<SlotId> slots;
  for (const Assignment& a : step.group.assignments) slots.push_back(a.slot);
  return slots;
}

/// The last step that writes or reads each slot.
std::vector<size_t> Schedule::last_times() const {
  std::vector<size_t> last(slot_types_.size(), 0);
  const auto use = [&](Value v, size_t time) {
    if (auto known = slot_of.find(v); known != slot_of.end()) last[known->second] = time;
  };
  for (size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].kind == Step::Kind::call)
      for (Value operand : kernel_.operands(steps[k].value)) use(operand, k);
    for (Value v : steps[k].group.inputs) use(v, k);
    for (SlotId slot : written_slots(steps[k])) last[slot] = k;
  }
  if (result_slot) last[*result_slot] = steps.size();
  return last;
}

/// Linear scan. A step reads a lane before it writes it, so a result may reuse the array of an operand whose last use
/// it is.
void Schedule::share_arrays() {
  const auto add_array = [&](SlotId slot) {
    array_of[slot] = static_cast<uint32_t>(array_types.size());
    array_types.push_back(slot_types_[slot]);
  };
  array_of.resize(slot_types_.size());
  if (!is_straight) {
    for (SlotId slot = 0; slot < slot_types_.size(); ++slot) add_array(slot);
    return;
  }
  const std::vector<size_t> last = last_times();
  std::vector<SlotId> live;
  std::vector<uint32_t> idle;
  for (size_t k = 0; k < steps.size(); ++k) {
    std::erase_if(live, [&](SlotId slot) {
      if (last[slot] > k) return false;
      idle.push_back(array_of[slot]);
      return true;
    });
    for (SlotId slot : written_slots(steps[k])) {
      auto fits = std::ranges::find_if(idle, [&](uint32_t array) { return array_types[array] == slot_types_[slot]; });
      if (fits == idle.end()) {
        add_array(slot);
      } else {
        array_of[slot] = *fits;
        idle.erase(fits);
      }
      live.push_back(slot);
    }
  }
}

}  // namespace tessera::lanes
