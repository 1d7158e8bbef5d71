/// Function: a user's function as it arrives from Python, and Entity: what a global name in it stands for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/syntax.h"

namespace tessera::kernel {

struct Function;

enum class EntityKind : uint8_t {
  missing,   // there is no such name
  constant,  // value
  tuple,     // elements
  builtin,   // name: in the table of builtins, such as "math.sqrt"
  dtype,     // value.dtype: the name of a type, which converts when it is called
  function,  // a device function
  text,      // name: a string
  nothing,   // None
  other,     // name: what it is, for a message
};

/// What a name outside the function's own variables stands for. Its value is read when the kernel is compiled.
struct Entity {
  EntityKind kind = EntityKind::missing;
  std::string name;
  Scalar value;
  std::vector<Entity> elements;
  std::shared_ptr<const Function> function;
};

/// Finds what a dotted name such as "math.sqrt" stands for.
using Globals = std::function<Entity(const std::string& dotted)>;

struct Function {
  Node tree;  // of kind function
  std::string file;
  std::vector<std::string> lines;  // the source, of the file from first_line on
  int first_line = 1;
  Globals globals;

  const std::string& name() const { return tree.name; }
};

}  // namespace tessera::kernel
