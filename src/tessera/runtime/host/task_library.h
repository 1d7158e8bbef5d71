/// TaskLibrary: the library that spreads work over the cores (oneTBB), and where it is.
#pragma once

#include <string>

namespace tessera::runtime {

struct TaskLibrary {
  std::string version;
  std::string file;
  bool is_linked_in = false;  // `file` is then the library of this code itself
};
TaskLibrary task_library();

}  // namespace tessera::runtime
