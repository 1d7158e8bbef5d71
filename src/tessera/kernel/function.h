/// Function: a user's function as it arrives from Python, and Entity: what a global name in it stands for.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/dates.h"

namespace tessera::kernel {

class HostObject;
class Overloads;
struct Function;

enum class EntityKind : uint8_t {
  missing,   // there is no such name
  constant,  // value
  tuple,     // elements; names, of a namedtuple
  slice,     // elements: start, stop, step
  builtin,   // name: in the table of builtins, such as "math.sqrt"
  dtype,     // value.dtype: the name of a type, which converts when it is called
  named,     // names, of a class of named tuples; elements: the values of the last ones that may be left out
  record,    // elements, names: the type of a structured array's elements; layout
  array,  // a NumPy array, whose elements are constants; of the bytes of texts name, their dtype; of records elements
          // and names, shape: how many axes
  function,   // a device function
  stencil,    // function: of one place, whose last parameters are its indices; names: the arrays that it looks into;
              // shape: how far below and above along each axis; value: that of borders, or elements: the function for
              // places there
  class_,     // name; value: the number of a user's class
  exception,  // name; value: its number among tessera.cuda's exceptions
  host,       // name, host: a function that the host runs
  foreign,    // foreign: a function in other code for a device
  text,       // name: a string
  bytes,      // name: its bytes
  ellipsis,   // ...
  nothing,    // None
  type,       // value: the number of a type that is no number's (types/type.h)
  other,      // name: what it is, for a message
};

/// A NumPy array as it is when the kernel is compiled, in C order.
struct ConstantArray {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
  Unit unit = 0;  // of an array of dates
  /// Of an array on a device, which kernels read and write where it is: what holds it, and which one it is.
  std::shared_ptr<void> held{};
  bool is_data = false;  // its elements are read where it is, not known while compiling: code is that of any values
  const void* identity = nullptr;
  friend bool operator==(const ConstantArray& a, const ConstantArray& b) {
    return a.identity == b.identity && a.dtype == b.dtype && a.unit == b.unit && a.shape == b.shape &&
           a.bytes == b.bytes && a.is_data == b.is_data;
  }
};

/// A function in other code for a device.
struct ForeignDeclaration {
  ir::ForeignFunction function;
  std::vector<bool> takes_address;             // by parameter
  std::vector<std::optional<DType>> pointed;   // by parameter: what is at the address; nothing for void*
  std::shared_ptr<const HostObject> declared;  // what Python has of it
};

/// What a name outside the function's own variables stands for. Its value is read when the kernel is compiled.
struct Entity {
  EntityKind kind = EntityKind::missing;
  std::string name;
  Scalar value;
  Unit unit = 0;  // of a constant or a dtype: that of a date or a span of time
  std::vector<Entity> elements;
  std::vector<std::string> names;
  std::vector<int64_t> shape;  // of a record's field that is an array
  uint32_t layout = 0;         // of records, how they lie in memory (types/type.h)
  std::shared_ptr<const Function> function;
  std::shared_ptr<const ConstantArray> array;
  std::shared_ptr<const HostObject> host;  // also of a builtin that is a function of NumPy
  std::shared_ptr<const ForeignDeclaration> foreign;
  std::shared_ptr<const Overloads> overloads;  // functions that serve calls of it, if there are any
  friend bool operator==(const Entity&, const Entity&) = default;
};

/// Finds what a dotted name such as "math.sqrt" stands for.
using Globals = std::function<Entity(const std::string& dotted)>;

/// Types of numbers that a signature gives; nothing for what is passed or returned as it is.
struct Signature {
  std::vector<std::optional<DType>> parameters;
  std::optional<DType> result;
  std::map<size_t, std::shared_ptr<const Signature>> functions{};  // of parameters that are functions
};

struct Function {
  Node tree;  // of kind function
  std::string file;
  std::vector<std::string> lines;  // the source, of the file from first_line on
  int first_line = 1;
  Globals globals;
  std::map<std::string, Entity> defaults;  // of parameters
  int rest = -1;                           // the parameter that takes all further arguments as a tuple, if there is one
  std::vector<Signature> signatures;       // to whose types calls convert numbers
  const Function* inside = nullptr;        // the function in which it is defined, whose variables it reads
  bool is_generator = false;               // a call of it makes a generator

  const std::string& name() const { return tree.name; }
};

}  // namespace tessera::kernel
