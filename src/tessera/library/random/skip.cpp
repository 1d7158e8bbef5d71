#include "tessera/library/random/skip.h"

namespace tessera::library {

bool try_skip(BitGenerator& bits, Unit unit, int64_t units) {
  return with_concrete(bits, [&]<class G>(G& source) {
    if constexpr (requires { source.skip(units); }) {
      unit == Unit::half ? skip_halves(source, units) : source.skip(units);
      return true;
    }
    return false;
  });
}

}  // namespace tessera::library
