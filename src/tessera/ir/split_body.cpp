#include "tessera/ir/split_body.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/ir/builder.h"
#include "tessera/ir/region_copy.h"

namespace tessera::ir {

namespace {

class Splitter {
 public:
  Splitter(const Kernel& body, size_t limit)
      : body_(body), limit_(limit), position_(body.instructions.size(), -1), needs_(body.instructions.size()) {
    const std::vector<Value>& all = body.regions[0].body;
    for (size_t k = 0; k < all.size(); ++k) position_[all[k]] = static_cast<int64_t>(k);
  }

  std::vector<BodyStep> run() {
    Value last = no_value;
    for (Value v : body_.regions[0].body) {
      if (body_.instructions[v].op == Opcode::store)
        last = body_.operands(v)[0];
      else if (!find_needs(v))
        return {};
    }
    invariant(last != no_value, "ir: {} stores nothing", body_.name);
    std::vector<Value> results(cut_.begin(), cut_.end());
    std::ranges::sort(results, {}, [&](Value v) { return position_[v]; });
    results.push_back(last);
    std::vector<BodyStep> steps;
    for (size_t k = 0; k < results.size(); ++k) {
      steps.push_back(step_of(results[k], results));
      if (steps.back().operands.size() > limit_) return {};
    }
    return steps;
  }

 private:
  /// The values at the top that an instruction uses, those within its regions included; loads there count themselves.
  void collect(Value v, std::set<Value>& used) const {
    for (Value operand : body_.operands(v))
      if (position_[operand] >= 0) used.insert(operand);
    for (int k = 0; k < body_.instructions[v].region_count; ++k)
      for (Value inner : body_.region(v, k).body) {
        if (body_.instructions[inner].op == Opcode::load) used.insert(inner);
        collect(inner, used);
      }
  }

  /// Finds what has to be known for the value: loads and values that were cut off. Cuts off operands until that is
  /// few.
  bool find_needs(Value v) {
    if (body_.instructions[v].op == Opcode::load) {
      needs_[v] = {v};
      return true;
    }
    std::set<Value> used;
    collect(v, used);
    for (;;) {
      std::set<size_t> operands;
      Value widest = no_value;
      for (Value value : used) {
        const std::set<Value>& own = needs_of(value);
        for (Value need : own) operands.insert(key_of(need));
        if (own.size() > 1 && (widest == no_value || own.size() > needs_of(widest).size())) widest = value;
      }
      if (operands.size() <= limit_) break;
      if (widest == no_value) return false;
      cut_.insert(widest);
    }
    for (Value value : used) needs_[v].insert(needs_of(value).begin(), needs_of(value).end());
    return true;
  }

  const std::set<Value>& needs_of(Value v) {
    if (cut_.contains(v)) needs_[v] = {v};
    if (body_.instructions[v].op == Opcode::load) needs_[v] = {v};
    return needs_[v];
  }

  /// Loads of one operand are one.
  size_t key_of(Value need) const {
    const Instruction& i = body_.instructions[need];
    return i.op == Opcode::load ? i.imm : body_.buffers.size() + need;
  }

  BodyStep step_of(Value result, const std::vector<Value>& results) {
    std::set<Value> cone;
    const auto add = [&](auto& self, Value v) -> void {
      if (!cone.insert(v).second || (v != result && cut_.contains(v))) return;
      std::set<Value> used;
      collect(v, used);
      for (Value value : used) self(self, value);
    };
    add(add, result);
    BodyStep step;
    std::vector<std::pair<Value, size_t>> loads;  // the values that are operands here, and which operand they are
    const size_t inputs = body_.buffers.size() - 1;
    Builder b(1, body_.name);
    for (Value v : cone) {
      const Instruction& i = body_.instructions[v];
      const bool is_cut = v != result && cut_.contains(v);
      if (!is_cut && i.op != Opcode::load) continue;
      const size_t operand =
          is_cut ? inputs + static_cast<size_t>(std::ranges::find(results, v) - results.begin()) : i.imm;
      const auto known = std::ranges::find(step.operands, operand);
      loads.emplace_back(v, known - step.operands.begin());
      if (known != step.operands.end()) continue;
      step.operands.push_back(operand);
      b.add_buffer({.dtype = i.type, .ndim = 1});
    }
    const std::vector<Value> at{b.index(0)};
    std::vector<Value> values;
    for (size_t k = 0; k < step.operands.size(); ++k) values.push_back(b.load(static_cast<uint32_t>(k), at));
    RegionCopy copy(b, body_);
    copy.copy(body_.regions[0], [&](Value v) {
      const auto load = std::ranges::find(loads, v, &std::pair<Value, size_t>::first);
      if (load != loads.end()) copy.set(v, values[load->second]);
      const bool is_leaf = body_.instructions[v].op == Opcode::index;
      return load != loads.end() || is_leaf || (position_[v] >= 0 && !cone.contains(v));
    });
    b.store(b.add_buffer({.dtype = b.type(copy[result]), .ndim = 1, .readable = false, .writable = true}), copy[result],
            at);
    step.body = std::make_shared<const Kernel>(compact(b.take()));
    return step;
  }

  const Kernel& body_;
  size_t limit_;
  std::vector<int64_t> position_;  // at the top, -1 within regions
  std::vector<std::set<Value>> needs_;
  std::set<Value> cut_;
};

}  // namespace

std::vector<BodyStep> split_body(const Kernel& body, size_t limit) { return Splitter(body, limit).run(); }

}  // namespace tessera::ir
