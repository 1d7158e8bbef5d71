/// typed::Program: what inference has found of a function for types of arguments. Lowering reads it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tessera/base/hash.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/typed/type_record.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {
class Liveness;
}

namespace tessera::kernel::typed {

/// Where something is: calls, iterations of unrolled loops and nodes, each inside the one before, as one number. 0 is
/// the function itself.
using PathNumber = uint32_t;
constexpr PathNumber no_path = ~PathNumber{0};

/// A step of a path: a place in the source inside of what is around it, and which of several there.
struct PathStep {
  PathNumber outer = 0;
  Place place;
  int64_t number = 0;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

/// A slot of the function that is called there, or below 0 what is no variable.
struct VariableKey {
  PathNumber path = 0;
  int slot = 0;
  friend bool operator==(const VariableKey&, const VariableKey&) = default;
};
constexpr std::string_view result_name = "the returned value";
constexpr int value_slot = -1;  // of a conditional expression, or of a stencil's point

struct HashKey {
  size_t operator()(const PathStep& step) const {
    return Hash()
        .add(words(step.place.line, step.place.column))
        .add(words(step.place.end_line, step.place.end_column))
        .add(step.outer)
        .add(static_cast<uint64_t>(step.number))
        .value();
  }
  size_t operator()(const VariableKey& key) const {
    return Hash().add(words(static_cast<int>(key.path), key.slot)).value();
  }

 private:
  static uint64_t words(int first, int second) {
    return static_cast<uint64_t>(static_cast<uint32_t>(first)) << 32 | static_cast<uint32_t>(second);
  }
};

/// What is known of the elements of lists that were made in one place.
struct ListElement {
  PathNumber joined = 0;     // with those made there, of the same type
  std::optional<Type> type;  // nothing until an element is added
  bool is_fixed = false;     // the list is an argument
  bool is_shared = false;    // one was made outside of parallel loops
  bool is_typed = false;     // Python gets a list of numba.typed's
};

/// A function that calls itself, by way of others or not: with these types of arguments it is one of the kernel's.
struct CalledFunction {
  const Function* function = nullptr;
  std::vector<Type> arguments;
  std::optional<Type> result;  // nothing until a return is known
};

/// The memory of arrays that the function makes, or of views of an argument whose axes are not that argument's.
struct Heap {
  DType dtype = DType::boolean;
  int argument = -1;  // its buffer
  friend bool operator==(const Heap&, const Heap&) = default;
};

struct Variable {
  std::string name;
  Type type;
  bool is_literal = false;  // only constants that are not negative were assigned
};

struct Variables {
  std::unordered_map<VariableKey, Variable, HashKey> found;
  std::set<PathNumber> may_be_negative;     // those carried by a loop
  std::set<PathNumber> stays_non_negative;  // the same, as far as the last pass has found

  const Variable* find(const VariableKey& key) const {
    const auto at = found.find(key);
    return at == found.end() ? nullptr : &at->second;
  }
};

/// Exceptions and printed lines.
struct Raised {
  std::set<const Node*> failing;   // statements that call functions which raise
  std::set<const Node*> in_order;  // loops that tell failures at once
  size_t deferred = 0;             // failures that loops tell at their end
  bool reports = false;            // the kernel raises or prints
  bool prints = false;
};

struct Lists {
  std::map<PathNumber, ListElement> elements;  // by where the lists were made
  bool has_any = false;
  bool changes_any = false;
  bool takes_integers = false;  // elements of lists to which nothing is added are integers
  std::set<std::string> texts;  // constant ones that lie in memory
};

/// The kernel's functions.
struct Calls {
  std::vector<CalledFunction> functions;
  bool has_any = false;
  /// Calls that a thread may be in; that many in kernels, whose threads have little memory for it.
  int64_t deepest = 128;
};

/// A generator of a function with arguments of these types; `site`: the path of the call where one loop alone runs over
/// it.
struct Generator {
  const Function* function = nullptr;
  std::vector<Type> arguments;
  PathNumber site = 0;
};

/// What names stand for, so that each is looked for once.
struct Names {
  std::map<std::pair<const Function*, std::string>, Entity> entities;  // those of globals, by function and name
  std::map<const Node*, std::shared_ptr<const Function>> local;        // functions that are defined inside others
  /// Functions that convert numbers to a signature where they are called.
  std::map<std::pair<const Function*, const Signature*>, std::shared_ptr<const Function>> typed;
  std::map<std::string, std::shared_ptr<const Function>> library;             // those in Python that operations call
  std::unordered_map<const Node*, std::shared_ptr<const Liveness>> liveness;  // of functions' variables
};

struct Program {
  std::unordered_map<PathStep, PathNumber, HashKey> paths;
  Variables variables;
  Raised failures;
  Lists lists;
  Calls calls;
  std::vector<Generator> generators;
  Names names;
  std::vector<std::shared_ptr<const ConstantArray>> constants;  // the last buffers
  std::vector<Heap> heaps;
  std::set<const Node*> allocating;  // statements, and loops of which an iteration does, that make arrays
  bool keeps_arrays = false;         // fields of objects and addresses do
  bool keeps_containers = false;     // fields of objects do, or texts, which are read or set
  std::set<std::pair<HostFunction, RandomSource>> random_sources;  // which the host is asked for once
  std::set<std::pair<int64_t, int64_t>> array_words;  // the same, of an argument's array by its buffer, and which word
  bool assumes_distinct = false;                      // arguments that are written share no memory with others
  bool counts_threads = false;                        // iterations of prange ask for the number of threads, or set it
  Type result;                                        // of a function that the host calls
  TypeRecord expressions;                             // the types of expressions, where options ask for them
  int passes = 0;                                     // that inference has looked at the function
};

/// The variables of the kernel's own function, in the order of their names, with their types.
std::vector<std::pair<std::string, std::string>> variables_of(const Program& program);

}  // namespace tessera::kernel::typed
