#include "tessera/kernel/passes/local_objects.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "tessera/kernel/options.h"
#include "tessera/kernel/passes/object_flow.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

constexpr int64_t most_words = 256;

class Replacement {
 public:
  Replacement(ir::Kernel& kernel, const std::vector<LocalObject>& objects) : kernel_(kernel), objects_(objects) {
    int64_t words = 1;
    for (const LocalObject& one : objects) {
      words = std::max(words, one.words);
      arrays_.push_back(static_cast<uint32_t>(kernel.arrays.size()));
      kernel.arrays.push_back({.dtype = DType::int64, .size = std::max<int64_t>(one.words, 1), .shared = false});
    }
    for (int64_t k = 0; k < words; ++k) numbers_.push_back(constant(k));
    for (size_t k = 0; k < objects.size(); ++k) {
      pass_on(k);
      for (const ObjectAccess& access : objects[k].accesses) replace(access, arrays_[k]);
      if (objects[k].is_made) make(k);
    }
    for (auto& [by, copies] : copies_) {
      std::vector<Value>& before = before_[by];
      for (const Copy& one : copies) before.push_back(one.load);
      for (const Copy& one : copies) before.push_back(store(one.load, one.array, one.word));
    }
    insert();
  }

 private:
  struct Copy {
    Value load;
    uint32_t array;
    int64_t word;
  };

  Value append(ir::Instruction i, std::span<const Value> operands) {
    set_operands(i, operands);
    kernel_.instructions.push_back(i);
    return static_cast<Value>(kernel_.instructions.size() - 1);
  }
  void set_operands(ir::Instruction& i, std::span<const Value> operands) {
    i.first_arg = static_cast<uint32_t>(kernel_.args.size());
    i.arg_count = static_cast<uint16_t>(operands.size());
    kernel_.args.insert(kernel_.args.end(), operands.begin(), operands.end());
  }
  Value constant(int64_t number) {
    kernel_.constants.push_back(Scalar::of_int(DType::int64, number));
    return append(
        {.op = Opcode::constant, .type = DType::int64, .imm = static_cast<uint32_t>(kernel_.constants.size() - 1)}, {});
  }
  Value number(int64_t word) const { return numbers_[static_cast<size_t>(word)]; }
  Value store(Value value, uint32_t array, int64_t word) {
    return append({.op = Opcode::store_array, .type = DType::int64, .imm = array}, std::vector{value, number(word)});
  }
  void become_zero(Value v) {
    ir::Instruction& i = kernel_.instructions[v];
    i = {.op = Opcode::constant, .type = DType::int64, .imm = kernel_.instructions[numbers_[0]].imm};
  }

  /// What is passed on to the object is copied, all that one instruction passes on at once.
  void pass_on(size_t object) {
    for (const ObjectTransfer& transfer : objects_[object].transfers)
      for (int64_t word = 0; word < objects_[object].words; ++word) {
        const ir::Instruction load{.op = Opcode::load_array, .type = DType::int64, .imm = arrays_[transfer.from]};
        copies_[transfer.by].push_back({append(load, std::vector{number(word)}), arrays_[object], word});
      }
  }

  void replace(const ObjectAccess& access, uint32_t array) {
    const std::vector<Value> operands(kernel_.operands(access.by).begin(), kernel_.operands(access.by).end());
    ir::Instruction made{.op = Opcode::store_array, .type = DType::int64, .imm = array};
    switch (kernel_.instructions[access.by].op) {
      case Opcode::load:
        made.op = Opcode::load_array;
        set_operands(made, std::vector{number(access.word)});
        break;
      case Opcode::store: set_operands(made, std::vector{operands[0], number(access.word)}); break;
      default:
        // What keeps an array's memory is of no use where nothing is freed.
        if (holds_array(operands[0])) return become_zero(access.by);
        set_operands(made, std::vector{operands[2], number(access.word)});
    }
    kernel_.instructions[access.by] = made;
  }
  bool holds_array(Value what) const {
    return kernel_.constants[kernel_.instructions[what].imm].as_int() == static_cast<int64_t>(HostObjects::hold_array);
  }

  /// All its words are zero.
  void make(size_t object) {
    const Value made = objects_[object].values[0];
    become_zero(made);
    for (int64_t word = 0; word < objects_[object].words; ++word)
      before_[made].push_back(store(numbers_[0], arrays_[object], word));
  }

  void insert() {
    for (ir::Region& region : kernel_.regions) {
      std::vector<Value> body;
      if (&region == kernel_.regions.data()) body = numbers_;
      for (Value v : region.body) {
        if (const auto found = before_.find(v); found != before_.end())
          body.insert(body.end(), found->second.begin(), found->second.end());
        body.push_back(v);
      }
      region.body = std::move(body);
    }
  }

  ir::Kernel& kernel_;
  const std::vector<LocalObject>& objects_;
  std::vector<uint32_t> arrays_;
  std::vector<Value> numbers_;  // constants
  std::map<Value, std::vector<Copy>> copies_;
  std::map<Value, std::vector<Value>> before_;  // what stands before an instruction
};

}  // namespace

ir::Kernel keep_objects_local(ir::Kernel kernel) {
  const std::vector<LocalObject> objects = find_local_objects(kernel);
  const bool are_small = std::ranges::all_of(objects, [](const LocalObject& one) { return one.words <= most_words; });
  if (objects.empty() || !are_small) return kernel;
  Replacement(kernel, objects);
  return ir::compact(kernel);
}

}  // namespace tessera::kernel
