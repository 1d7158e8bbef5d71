#include "tessera/runtime/host/task_library.h"

#include <dlfcn.h>

#include <oneapi/tbb/version.h>

namespace tessera::runtime {

TaskLibrary task_library() {
  TaskLibrary library{.version = TBB_runtime_version()};
  Dl_info its, own;
  if (!dladdr(reinterpret_cast<const void*>(&TBB_runtime_version), &its)) return library;
  if (its.dli_fname) library.file = its.dli_fname;
  library.is_linked_in = dladdr(reinterpret_cast<const void*>(&task_library), &own) && own.dli_fbase == its.dli_fbase;
  return library;
}

}  // namespace tessera::runtime
