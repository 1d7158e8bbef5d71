#define TESSERA_IMPORTS_NUMPY
#include "tessera/bind/convert/numpy_api.h"

#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

void import_numpy() {
  if (_import_array() < 0) throw ErrorAlreadySet();
}

}  // namespace tessera::bind
