/// Initial estimates of what calls cost, by their sizes. The host's times are learned from there (call_history.h). The
/// constants were measured on one core of a Xeon and on an H200.
#pragma once

#include "tessera/engine/device/placement/cost_model.h"

namespace tessera::engine {

using ops::cost_by_element;

}  // namespace tessera::engine
