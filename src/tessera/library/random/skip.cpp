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

bool try_walk(BitGenerator& bits, Unit unit, int64_t units) {
  auto* const twister = dynamic_cast<Mt19937*>(&bits);
  if (!twister) return try_skip(bits, unit, units);
  twister->walk(unit == Unit::half ? units : 2 * units);
  return true;
}

}  // namespace tessera::library
