#include "tessera/bind/convert/booleans.h"

#include <array>

#include "tessera/bind/engine/reports.h"
#include "tessera/layout/row_walk.h"

namespace tessera::bind {

bool has_plain_booleans(const Array& array) {
  std::array<char*, 1> start{const_cast<char*>(synchronise(array))};
  unsigned char seen = 0;
  walk_rows(array.shape(), start, std::array{array.view.strides},
            [&](char* const* at, const int64_t* steps, int64_t n) {
              const auto* row = reinterpret_cast<const unsigned char*>(at[0]);
              if (steps[0] == 1) {
                for (int64_t i = 0; i < n; ++i) seen |= row[i];
              } else {
                for (int64_t i = 0; i < n; ++i) seen |= row[i * steps[0]];
              }
            });
  return seen <= 1;
}

Array with_plain_booleans(Array array) {
  if (!is_boolean(array.dtype()) || has_plain_booleans(array)) return array;
  Array result = Engine::instance().empty(array.shape(), DType::boolean, Order::k, &array.view);
  std::array<char*, 2> start{const_cast<char*>(synchronise(array)), Engine::instance().write(result)};
  walk_rows(array.shape(), start, std::array{array.view.strides, result.view.strides},
            [](char* const* at, const int64_t* steps, int64_t n) {
              for (int64_t i = 0; i < n; ++i) at[1][i * steps[1]] = at[0][i * steps[0]] != 0;
            });
  return result;
}

}  // namespace tessera::bind
