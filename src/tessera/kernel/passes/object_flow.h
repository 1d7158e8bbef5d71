/// find_local_objects: objects of users' classes whose addresses stay in variables of one function.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/ir/kernel.h"

namespace tessera::kernel {

/// A load, a store or a call of the host at a word of an object.
struct ObjectAccess {
  ir::Value by;
  int64_t word;
};

/// A value that is passed on: by a yield, or as the first value that a loop carries.
struct ObjectTransfer {
  ir::Value by;
  size_t from;  // index of the object that it is
};

/// A call that makes an object, or a value that a branch or loop passes on and that is one of several objects.
struct LocalObject {
  std::vector<ir::Value> values;  // its address; of a loop what its iterations see and what it gives
  bool is_made = false;
  int64_t words = 0;
  std::vector<ObjectAccess> accesses{};
  std::vector<ObjectTransfer> transfers{};  // to it
};

/// Those of which nothing but loads and stores at known words asks for the address. One that is passed on is not
/// written any more, so that a copy of its words serves as well. Functions that the kernel calls are not looked at.
std::vector<LocalObject> find_local_objects(const ir::Kernel& kernel);

/// The number of the class if the instruction makes an object, else -1.
int64_t made_class(const ir::Kernel& kernel, ir::Value v);

}  // namespace tessera::kernel
