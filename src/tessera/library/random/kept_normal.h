/// KeptNormal: the second normal of a pair from the polar method, until it is used.
#pragma once

namespace tessera::library {

/// The legacy generator's normals are generated in pairs; `value` applies while `has` is true.
struct KeptNormal {
  bool has = false;
  double value = 0;
};

}  // namespace tessera::library
