#include "tessera/bind/host/host_routines.h"

#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

void bind_host_routines(nanobind::module_& m) {
  // Python keeps pointers into the table for the lifetime of the process.
  static std::vector<PyMethodDef> methods;
  for (auto topic : {sorting_methods, selecting_methods, picking_methods, searching_methods, reducing_methods,
                     joining_methods, sharing_methods, sliding_methods}) {
    std::vector<PyMethodDef> some = topic();
    methods.insert(methods.end(), some.begin(), some.end());
  }
  methods.push_back({nullptr, nullptr, 0, nullptr});
  if (PyModule_AddFunctions(m.ptr(), methods.data()) < 0) throw nanobind::python_error();
}

}  // namespace tessera::bind
