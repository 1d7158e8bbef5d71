#include "tessera/bind/function/linalg.h"

namespace tessera::bind {

namespace nb = nanobind;

void bind_products(nb::module_& module);
void bind_factorizations(nb::module_& module);

void bind_linalg(nb::module_& module) {
  nb::module_ linalg = module.def_submodule("linalg", "Products and LAPACK routines over arrays.");
  bind_products(linalg);
  bind_factorizations(linalg);
}

}  // namespace tessera::bind
