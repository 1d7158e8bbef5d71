#include "tessera/base/cpu_level.h"
#include "tessera/ir/loops/row_families.h"

namespace tessera::ir {

RowLoop<float> find_float32_row_loop(RowTerm term) {
  constexpr decltype(&level_v2::find_float32_row_loop) levels[] = {
      level_v2::find_float32_row_loop, level_v3::find_float32_row_loop, level_v4::find_float32_row_loop};
  return levels[cpu_level() - 2](term);
}

RowLoop<double> find_float64_row_loop(RowTerm term) {
  constexpr decltype(&level_v2::find_float64_row_loop) levels[] = {
      level_v2::find_float64_row_loop, level_v3::find_float64_row_loop, level_v4::find_float64_row_loop};
  return levels[cpu_level() - 2](term);
}

}  // namespace tessera::ir
