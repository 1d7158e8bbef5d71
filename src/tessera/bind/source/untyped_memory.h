/// UntypedMemory: an array whose memory is passed to a kernel whatever its dtype and layout.
#pragma once

#include "tessera/graph/array.h"

namespace tessera::bind {

struct UntypedMemory {
  Array array;
};

}  // namespace tessera::bind
