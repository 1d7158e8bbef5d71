/// Known: what runs over a function have found, of types above all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tessera/kernel/function.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// What is known of the elements of lists that were made in one place.
struct ListElement {
  std::string joined;        // with those made there, of the same type
  std::optional<Type> type;  // nothing until an element is added
  bool is_fixed = false;     // the list is an argument
  bool is_shared = false;    // one was made outside of parallel loops
};

/// A function that calls itself, by way of others or not: with these types of arguments it is one of the kernel's.
struct CalledFunction {
  const Function* function = nullptr;
  std::vector<Type> arguments;
  std::optional<Type> result;  // nothing until a return is known
};

/// A statement in one of the calls of its function, by the path of the call.
using PlaceInCall = std::pair<std::string, const Node*>;

/// The memory of arrays that the function makes, or of views of an argument whose axes are not that argument's.
struct Heap {
  DType dtype = DType::boolean;
  int argument = -1;  // its buffer
  friend bool operator==(const Heap&, const Heap&) = default;
};

/// What is known of variables. Keys name the call and the variable.
struct KnownVariables {
  std::map<std::string, Type> types;
  std::set<std::string> may_be_negative;  // those carried by a loop, by loop and place
  std::set<std::string> literals;         // to which only constants that are not negative were assigned
};

/// What is known of exceptions and printed lines.
struct KnownFailures {
  std::set<const Node*> failing;   // statements that call functions which raise
  std::set<const Node*> in_order;  // loops that tell failures at once
  size_t deferred = 0;             // failures that loops tell at their end
  bool reports = false;            // the kernel raises or prints
  bool prints = false;
};

struct KnownLists {
  std::map<std::string, ListElement> elements;  // by where the lists were made
  bool has_any = false;
  bool changes_any = false;
};

/// The kernel's functions.
struct KnownCalls {
  std::vector<CalledFunction> functions;
  bool has_any = false;
  /// Calls that a thread may be in; that many in kernels, whose threads have little memory for it.
  int64_t deepest = 128;
};

/// What names stand for, so that each is looked for once.
struct KnownNames {
  std::map<std::pair<const Function*, std::string>, Entity> entities;  // those of globals, by function and name
  std::map<const Node*, std::shared_ptr<const Function>> local;        // functions that are defined inside others
  std::map<std::string, std::shared_ptr<const Function>> library;      // those in Python that operations call
};

/// What runs have found, which grows from run to run until a run adds nothing.
struct Known {
  KnownVariables variables;
  KnownFailures failures;
  KnownLists lists;
  KnownCalls calls;
  KnownNames names;
  std::vector<std::shared_ptr<const ConstantArray>> constants;  // the last buffers
  std::vector<Heap> heaps;
  bool draws_itself = false;      // asks the host once for where numbers come from
  bool assumes_distinct = false;  // arguments that are written share no memory with others
  bool counts_threads = false;    // iterations of prange ask for the number of threads, or set it
  bool grew = false;              // in this run: types of elements, of what functions that call themselves return
  std::set<PlaceInCall> skipped;  // statements that failed for guessed types; what follows may tell them
};

}  // namespace tessera::kernel
