/// Event names: how a request's text calls floating-point events.
#pragma once

#include <string_view>

#include "tessera/ir/kernel.h"

namespace tessera::plan {

struct EventName {
  std::string_view name;
  ir::FloatEvent bit;
};
inline constexpr EventName event_names[] = {{"divide", ir::event_divide},
                                            {"overflow", ir::event_overflow},
                                            {"underflow", ir::event_underflow},
                                            {"invalid", ir::event_invalid}};

}  // namespace tessera::plan
