/// The loops over rows of each CPU level.
#pragma once

#include "tessera/ir/row_loops.h"

namespace tessera::ir {

#define TESSERA_DECLARE_LOOP_LEVEL(level)              \
  namespace level {                                    \
  RowLoop<float> find_float32_row_loop(RowTerm term);  \
  RowLoop<double> find_float64_row_loop(RowTerm term); \
  }

TESSERA_DECLARE_LOOP_LEVEL(level_v2)
#ifdef TESSERA_WITHOUT_LEVEL_3
namespace level_v3 = level_v2;
#else
TESSERA_DECLARE_LOOP_LEVEL(level_v3)
#endif
#ifdef TESSERA_WITHOUT_LEVEL_4
namespace level_v4 = level_v2;
#else
TESSERA_DECLARE_LOOP_LEVEL(level_v4)
#endif
#undef TESSERA_DECLARE_LOOP_LEVEL

}  // namespace tessera::ir
