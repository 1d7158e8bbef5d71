#define TESSERA_IMPORTS_NUMPY
#include "tessera/bind/numpy_api.h"

#include "tessera/bind/errors.h"

namespace tessera::bind {

void import_numpy() {
  if (_import_array() < 0) throw ErrorAlreadySet();
}

}  // namespace tessera::bind
