/// typed::Program: what inference has found of a function for types of arguments. Lowering reads it.
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
#include "tessera/kernel/typed/type_record.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel::typed {

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

/// The memory of arrays that the function makes, or of views of an argument whose axes are not that argument's.
struct Heap {
  DType dtype = DType::boolean;
  int argument = -1;  // its buffer
  friend bool operator==(const Heap&, const Heap&) = default;
};

/// Keys name the call and the variable.
struct Variables {
  std::map<std::string, Type> types;
  std::set<std::string> may_be_negative;  // those carried by a loop, by loop and place
  std::set<std::string> literals;         // to which only constants that are not negative were assigned
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
  std::map<std::string, ListElement> elements;  // by where the lists were made
  bool has_any = false;
  bool changes_any = false;
  bool takes_integers = false;  // elements of lists to which nothing is added are integers
};

/// The kernel's functions.
struct Calls {
  std::vector<CalledFunction> functions;
  bool has_any = false;
  /// Calls that a thread may be in; that many in kernels, whose threads have little memory for it.
  int64_t deepest = 128;
};

/// What names stand for, so that each is looked for once.
struct Names {
  std::map<std::pair<const Function*, std::string>, Entity> entities;  // those of globals, by function and name
  std::map<const Node*, std::shared_ptr<const Function>> local;        // functions that are defined inside others
  std::map<std::string, std::shared_ptr<const Function>> library;      // those in Python that operations call
};

struct Program {
  Variables variables;
  Raised failures;
  Lists lists;
  Calls calls;
  Names names;
  std::vector<std::shared_ptr<const ConstantArray>> constants;  // the last buffers
  std::vector<Heap> heaps;
  std::map<std::string, uint32_t> arrays;  // shared and local ones, by where they were made
  bool draws_itself = false;               // asks the host once for where numbers come from
  bool assumes_distinct = false;           // arguments that are written share no memory with others
  bool counts_threads = false;             // iterations of prange ask for the number of threads, or set it
  Type result;                             // of a function that the host calls
  TypeRecord expressions;                  // the types of expressions, where options ask for them
};

/// The variables of the kernel's own function, in the order of their names, with their types.
std::vector<std::pair<std::string, std::string>> variables_of(const Program& program);

}  // namespace tessera::kernel::typed
