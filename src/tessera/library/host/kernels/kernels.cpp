#include "tessera/library/host/kernels/kernels.h"

#include "tessera/base/cpu_level.h"

namespace tessera::library {

namespace level_v2 {
void add_extremes(Kernels& kernels);
void add_keys(Kernels& kernels);
void add_parting(Kernels& kernels);
}  // namespace level_v2
// A level that is not built (TESSERA_CPU_LEVELS) is another name of the lowest.
#ifdef TESSERA_WITHOUT_LEVEL_3
namespace level_v3 = level_v2;
#else
namespace level_v3 {
void add_extremes(Kernels& kernels);
void add_keys(Kernels& kernels);
void add_parting(Kernels& kernels);
}  // namespace level_v3
#endif
#ifdef TESSERA_WITHOUT_LEVEL_4
namespace level_v4 = level_v2;
#else
namespace level_v4 {
void add_extremes(Kernels& kernels);
void add_keys(Kernels& kernels);
void add_parting(Kernels& kernels);
}  // namespace level_v4
#endif

const Kernels& kernels() {
  static const Kernels chosen = [] {
    Kernels made;
    switch (cpu_level()) {
      case 4:
        level_v4::add_extremes(made);
        level_v4::add_keys(made);
        level_v4::add_parting(made);
        break;
      case 3:
        level_v3::add_extremes(made);
        level_v3::add_keys(made);
        level_v3::add_parting(made);
        break;
      default:
        level_v2::add_extremes(made);
        level_v2::add_keys(made);
        level_v2::add_parting(made);
    }
    return made;
  }();
  return chosen;
}

}  // namespace tessera::library
