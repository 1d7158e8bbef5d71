/// Frame: a function being lowered, with the values of its variables.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/lower/liveness.h"
#include "tessera/kernel/typed/program.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// What was raised: `raise` alone raises it again in a handler, and it goes on behind what is done finally.
struct Caught {
  ir::Value site;
  std::vector<ir::Value> words;
  std::string name;  // of `except ... as name`
};

/// A variable's value where it has one. Copies share it: each statement keeps the values from before it.
class VariableValue {
 public:
  VariableValue() = default;
  VariableValue(Item item) : item_(std::make_shared<const Item>(std::move(item))) {}
  explicit operator bool() const { return item_ != nullptr; }
  const Item& operator*() const { return *item_; }
  const Item* operator->() const { return item_.get(); }

 private:
  std::shared_ptr<const Item> item_;
};

/// How statements of a function have ended.
struct Ends {
  int unresolved = 0;         // that inference leaves to the next pass
  bool has_returned = false;  // one did, not by raising
  bool has_raised = false;    // a function that the current one calls always raises
};

/// A function being lowered: the kernel, or a device function in its place in the caller.
struct Frame {
  /// A call at a node, in what is lowered now; of none the function itself.
  Frame(Lowering& l, const Function& called, const Node* at);

  const Function& function;
  Frame* caller;
  const Node* call;
  Frame* enclosing = nullptr;       // of the function in which this one is defined
  const Item* generator = nullptr;  // whose body this is, and which holds its variables
  typed::PathNumber path = 0;       // tells calls apart
  std::vector<Type> arguments;
  const Liveness& liveness;
  int depth = 0;                              // regions around the current statement, within the function
  typed::PathNumber turn = 0;                 // the path with the iterations of the unrolled loops around
  std::map<int, typed::PathNumber> unrolled;  // variables that have a type of their own in each iteration: theirs
  VariableSet unpassed;                       // what regions around would have passed on, had it had a type before them
  std::vector<const Node*> loops;
  const Node* statement = nullptr;  // the current one
  int tries = 0;                    // around it
  Ends ends;                        // how its statements end
  std::vector<Caught> caught;       // by the handlers around it
  int rests = 0;  // of blocks around the current statement, in the innermost loop, that run only if nothing jumped
  /// By slot: the variables, then whether the function has returned, with what, and of each loop whether it was left
  /// and whether the rest of its body is skipped.
  std::vector<VariableValue> values;
  std::vector<const Type*>
      types;  // of variables that have one type in all of the function, where it has been looked up

  int returned_slot() const { return static_cast<int>(liveness.count()); }
  int result_slot() const { return returned_slot() + 1; }
  int broken_slot(size_t loop) const { return returned_slot() + 2 + 2 * static_cast<int>(loop); }
  int skipped_slot(size_t loop) const { return broken_slot(loop) + 1; }
  /// Under which types of the slot's values are known.
  typed::VariableKey key_of(int slot) const;
};

/// Between its begin and its end what is lowered at a node is apart from all else that is lowered there.
class Apart {
 public:
  Apart(Lowering& l, const Node& node, int64_t which);
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart() { frame_.turn = turn_; }

 private:
  Frame& frame_;
  typed::PathNumber turn_;
};

}  // namespace tessera::kernel
