#include "tessera/kernel/passes/object_flow.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "tessera/kernel/options.h"
#include "tessera/kernel/values/object/user_class.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

std::optional<int64_t> known_number(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  if (i.op != Opcode::constant || i.type != DType::int64) return {};
  return kernel.constants[i.imm].as_int();
}

std::optional<HostObjects> asked_of_objects(const ir::Kernel& kernel, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  if (i.op != Opcode::call_host || i.imm != static_cast<uint32_t>(HostFunction::objects)) return {};
  const std::optional<int64_t> what = known_number(kernel, kernel.operands(v)[0]);
  return what ? std::optional(static_cast<HostObjects>(*what)) : std::nullopt;
}

/// What a value is passed on as: the k-th value of a region or of the results of an instruction.
struct PassedAs {
  Value owner;
  int region;  // -1: the results
  size_t which;
  friend auto operator<=>(const PassedAs&, const PassedAs&) = default;
};

class Flow {
 public:
  explicit Flow(const ir::Kernel& kernel)
      : kernel_(kernel),
        users_(kernel.instructions.size()),
        order_(kernel.instructions.size(), 0),
        inside_(kernel.instructions.size(), ir::no_value),
        region_(kernel.instructions.size(), 0) {
    walk(0, ir::no_value);
    for (Value v : walked_)
      if (const int64_t number = made_class(kernel, v); number >= 0) add({.values = {v}, .is_made = true}, number);
    for (size_t k = 0; k < objects_.size(); ++k)  // of which there get more
      for (Value v : std::vector(objects_[k].values)) note_uses(k, v, 0);
    for (size_t k = 0; k < objects_.size(); ++k)
      if (!objects_[k].is_made) note_sources(k);
    join_same();
    for (size_t k = 0; k < objects_.size(); ++k) check_writes(k);
  }

  std::vector<LocalObject> local() {
    std::map<size_t, bool> is_lost;
    std::map<size_t, int64_t> class_of;
    for (size_t k = 0; k < objects_.size(); ++k) {
      const size_t group = root(k);
      is_lost[group] |= lost_[k];
      if (!objects_[k].is_made) continue;
      const auto [known, is_first] = class_of.try_emplace(group, classes_[k]);
      is_lost[group] |= !is_first && known->second != classes_[k];
    }
    std::vector<size_t> numbers(objects_.size());
    std::vector<LocalObject> found;
    for (size_t k = 0; k < objects_.size(); ++k) {
      if (is_lost[root(k)] || same_[k] != k) continue;
      numbers[k] = found.size();
      found.push_back(objects_[k]);
      found.back().words = user_class(static_cast<uint32_t>(class_of.at(root(k)))).words;
    }
    for (LocalObject& one : found)
      for (ObjectTransfer& transfer : one.transfers) transfer.from = numbers[transfer.from];
    return found;
  }

 private:
  void walk(ir::RegionId id, Value owner) {
    for (Value v : kernel_.regions[id].body) {
      order_[v] = walked_.size();
      inside_[v] = owner;
      region_[v] = id;
      walked_.push_back(v);
      for (Value operand : kernel_.operands(v)) users_[operand].push_back(v);
      const ir::Instruction& i = kernel_.instructions[v];
      for (ir::RegionId k = 0; k < i.region_count; ++k) walk(i.first_region + k, v);
    }
  }

  size_t add(LocalObject object, int64_t number) {
    const size_t made = objects_.size();
    for (Value v : object.values) of_value_[v] = made;
    objects_.push_back(std::move(object));
    lost_.push_back(false);
    classes_.push_back(number);
    groups_.push_back(made);
    return made;
  }
  size_t root(size_t k) const {
    while (groups_[k] != k) k = groups_[k];
    return k;
  }

  /// The object's uses at an address so many words behind its own.
  void note_uses(size_t object, Value address, int64_t word) {
    for (Value user : users_[address]) {
      const std::span<const Value> operands = kernel_.operands(user);
      switch (kernel_.instructions[user].op) {
        case Opcode::result: break;
        case Opcode::add: {
          const auto by = known_number(kernel_, operands[operands[0] == address ? 1 : 0]);
          if (by)
            note_uses(object, user, word + *by);
          else
            lost_[object] = true;
          break;
        }
        case Opcode::load:
        case Opcode::store:
        case Opcode::call_host: note_access(object, user, address, word); break;
        case Opcode::yield:
        case Opcode::for_:
        case Opcode::while_: pass_on(object, user, address, word); break;
        default: lost_[object] = true;
      }
    }
  }

  void note_access(size_t object, Value user, Value address, int64_t word) {
    const std::span<const Value> operands = kernel_.operands(user);
    const std::optional<HostObjects> asked = asked_of_objects(kernel_, user);
    const bool holds = asked && *asked != HostObjects::make;
    const bool is_call = kernel_.instructions[user].op == Opcode::call_host;
    const size_t place = is_call ? 1 : operands.size() - 1;
    const bool is_at = operands[place] == address && std::ranges::count(operands, address) == 1 &&
                       (is_call ? holds : operands.size() <= 2);
    if (!is_at || kernel_.instructions[user].type != DType::int64)
      lost_[object] = true;
    else
      objects_[object].accesses.push_back({user, word});
  }

  void pass_on(size_t object, Value user, Value address, int64_t word) {
    const Opcode op = kernel_.instructions[user].op;
    const std::span<const Value> operands = kernel_.operands(user);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] != address) continue;
      const std::optional<PassedAs> target = word == 0 ? target_of(user, op, k) : std::nullopt;
      if (target)
        find_or_add(*target);
      else
        lost_[object] = true;
    }
  }

  std::optional<PassedAs> target_of(Value user, Opcode op, size_t k) const {
    if (op == Opcode::for_) return k >= 3 ? std::optional(PassedAs{user, 0, k - 2}) : std::nullopt;
    if (op == Opcode::while_) return PassedAs{user, 0, k};
    const Value owner = inside_[user];
    if (owner == ir::no_value) return {};
    const ir::Instruction& control = kernel_.instructions[owner];
    switch (control.op) {
      case Opcode::if_: return PassedAs{owner, -1, k};
      case Opcode::for_: return PassedAs{owner, 0, k + 1};
      case Opcode::while_:
        if (region_[user] != control.first_region) return PassedAs{owner, 0, k};
        return k > 0 ? std::optional(PassedAs{owner, 1, k - 1}) : std::nullopt;
      default: return {};
    }
  }

  void find_or_add(const PassedAs& target) {
    if (of_target_.contains(target)) return;
    LocalObject made;
    if (target.region >= 0) made.values.push_back(kernel_.region(target.owner, target.region).arg_values[target.which]);
    const Opcode op = kernel_.instructions[target.owner].op;
    if (target.region != 0) append_results(target.owner, target.which, made.values);
    if (op == Opcode::for_) append_results(target.owner, target.which - 1, made.values);
    of_target_[target] = add(std::move(made), -1);
    targets_[of_target_[target]] = target;
  }

  void append_results(Value owner, size_t which, std::vector<Value>& values) const {
    if (which == 0) return values.push_back(owner);
    for (Value user : users_[owner])
      if (kernel_.instructions[user].op == Opcode::result && kernel_.instructions[user].imm == which)
        values.push_back(user);
  }

  /// The values of which one is passed on, with the instruction that does.
  std::vector<std::pair<Value, Value>> sources_of(const PassedAs& target) const {
    const auto yielded = [&](int region, size_t k) {
      const Value yield = kernel_.region(target.owner, region).body.back();
      return std::pair{kernel_.operands(yield)[k], yield};
    };
    const std::span<const Value> first = kernel_.operands(target.owner);
    switch (kernel_.instructions[target.owner].op) {
      case Opcode::if_: return {yielded(0, target.which), yielded(1, target.which)};
      case Opcode::for_: return {{first[target.which + 2], target.owner}, yielded(0, target.which - 1)};
      default:
        if (target.region == 1) return {yielded(0, target.which + 1)};
        return {{first[target.which], target.owner}, yielded(1, target.which)};
    }
  }

  void note_sources(size_t object) {
    for (const auto& [source, by] : sources_of(targets_.at(object))) {
      if (known_number(kernel_, source) == 0) continue;  // None, which nothing reads
      const auto found = of_value_.find(source);
      if (found == of_value_.end()) {
        lost_[object] = true;
        continue;
      }
      groups_[root(found->second)] = root(object);
      if (found->second != object) objects_[object].transfers.push_back({by, found->second});
    }
  }

  /// The object that is passed on where it can be one only; `object` itself where it may be several.
  size_t find_same(size_t object) const {
    if (objects_[object].is_made || same_[object] == object) return object;
    std::vector<size_t> open{object}, seen;
    std::optional<size_t> only;
    while (!open.empty()) {
      const size_t one = open.back();
      open.pop_back();
      if (std::ranges::find(seen, one) != seen.end()) continue;
      seen.push_back(one);
      if (objects_[one].is_made || same_[one] == one) {
        if (only && *only != one) return object;
        only = one;
      } else {
        for (const ObjectTransfer& transfer : objects_[one].transfers) open.push_back(transfer.from);
      }
    }
    const bool is_one = only && objects_[*only].is_made;
    const Value owner = is_one ? targets_.at(object).owner : 0;
    const bool is_loop = kernel_.instructions[owner].op != Opcode::if_;
    // A loop's object may be that of an iteration before, unless it is made before the loop.
    return is_one && (!is_loop || order_[objects_[*only].values[0]] < order_[owner]) ? *only : object;
  }

  /// What is always the same object is that object.
  void join_same() {
    constexpr size_t not_known = ~size_t{0};
    same_.assign(objects_.size(), not_known);
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (size_t k = 0; k < objects_.size(); ++k) {
        if (same_[k] == k || find_same(k) != k) continue;
        same_[k] = k;
        is_new = true;
      }
    }
    std::vector<size_t> found;
    for (size_t k = 0; k < objects_.size(); ++k) found.push_back(find_same(k));
    same_ = std::move(found);
    for (size_t k = 0; k < objects_.size(); ++k) {
      if (same_[k] == k) continue;
      LocalObject& one = objects_[same_[k]];
      one.accesses.insert(one.accesses.end(), objects_[k].accesses.begin(), objects_[k].accesses.end());
      objects_[k].accesses.clear();
      objects_[k].transfers.clear();
    }
    for (LocalObject& one : objects_)
      for (ObjectTransfer& transfer : one.transfers) transfer.from = same_[transfer.from];
  }

  bool writes(const ObjectAccess& access) const { return kernel_.instructions[access.by].op != Opcode::load; }

  bool is_in(ir::RegionId region, Value v) const {
    while (v != ir::no_value && region_[v] != region) v = inside_[v];
    return v != ir::no_value;
  }

  /// Whether the object is written only where it is made, before any of it is passed on.
  void check_writes(size_t target) {
    LocalObject& one = objects_[target];
    if (!one.is_made && std::ranges::any_of(one.accesses, [&](const ObjectAccess& access) { return writes(access); }))
      lost_[target] = true;
    for (const ObjectTransfer& transfer : one.transfers) {
      const LocalObject& from = objects_[transfer.from];
      if (!from.is_made) continue;
      // A loop between the two may go from the one to the other.
      Value first = transfer.by;
      for (Value at = transfer.by; !is_in(region_[at], from.values[0]); at = inside_[at])
        if (kernel_.instructions[inside_[at]].op != Opcode::if_) first = inside_[at];
      for (const ObjectAccess& access : from.accesses)
        if (writes(access) && order_[access.by] > order_[first]) lost_[target] = true;
    }
  }

  const ir::Kernel& kernel_;
  std::vector<Value> walked_;
  std::vector<std::vector<Value>> users_;
  std::vector<size_t> order_;
  std::vector<Value> inside_;  // which instruction's region it is in
  std::vector<ir::RegionId> region_;
  std::vector<LocalObject> objects_;
  std::vector<bool> lost_;
  std::vector<int64_t> classes_;
  std::vector<size_t> same_;    // the object that it always is
  std::vector<size_t> groups_;  // of those that are passed on to each other
  std::map<Value, size_t> of_value_;
  std::map<PassedAs, size_t> of_target_;
  std::map<size_t, PassedAs> targets_;
};

}  // namespace

int64_t made_class(const ir::Kernel& kernel, Value v) {
  if (asked_of_objects(kernel, v) != HostObjects::make) return -1;
  return known_number(kernel, kernel.operands(v)[1]).value_or(-1);
}

std::vector<LocalObject> find_local_objects(const ir::Kernel& kernel) {
  const auto asks = [&](const ir::Instruction& i) {
    return i.op == Opcode::call_host && i.imm == static_cast<uint32_t>(HostFunction::objects);
  };
  if (std::ranges::none_of(kernel.instructions, asks)) return {};
  return Flow(kernel).local();
}

}  // namespace tessera::kernel
