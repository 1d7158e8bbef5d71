/// HostObject: a function outside that the host runs, which says itself what it returns for arguments of given types.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// How an array that a call returns lies in memory.
struct HostLayout {
  bool is_free = false;  // has strides of its own, else it is in C order
  int shares = -1;       // the argument of which it may be a view
};

/// What a call returns: nothing, a value or, if is_tuple, a tuple; arrays are of kind buffer.
struct HostResults {
  std::vector<Type> types;
  std::vector<HostLayout> layouts;  // of each
  bool is_tuple = false;
  std::vector<std::string> names;  // of a namedtuple
  std::optional<int64_t> known;    // of a date that its arguments tell
  std::vector<size_t> written;     // arguments whose elements the call changes
};

class HostObject {
 public:
  virtual ~HostObject() = default;
  /// Arguments are numbers (constants as entities), arrays, tuples of those, texts, dtypes and None; the last ones are
  /// given by these names. Throws Error with what the function says about such arguments.
  virtual HostResults results(std::span<const Type> arguments, std::span<const std::string> names) const = 0;
  /// Where the host cannot be asked, the function of the library by this name does the same, if there is one.
  virtual std::string library_name() const { return {}; }
};

}  // namespace tessera::kernel
