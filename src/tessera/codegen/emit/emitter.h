/// Emitter: writes one kernel as an LLVM function. Each subject has a class with a state of its own and a folder.
#pragma once

#include "tessera/codegen/emit/calls/calls.h"
#include "tessera/codegen/emit/checks/access_checks.h"
#include "tessera/codegen/emit/checks/events.h"
#include "tessera/codegen/emit/checks/fast_compile.h"
#include "tessera/codegen/emit/control/control.h"
#include "tessera/codegen/emit/device/grid.h"
#include "tessera/codegen/emit/device/meetings.h"
#include "tessera/codegen/emit/device/narrow.h"
#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/codegen/emit/frame.h"
#include "tessera/codegen/emit/lanes/lanes.h"
#include "tessera/codegen/emit/memory/arrays.h"
#include "tessera/codegen/emit/memory/memory.h"
#include "tessera/codegen/emit/memory/streams.h"
#include "tessera/codegen/emit/reductions/reductions.h"
#include "tessera/codegen/emit/reductions/teams.h"
#include "tessera/codegen/emit/values.h"

namespace tessera::codegen {

class Emitter {
 public:
  Emitter(const ir::Kernel& kernel, llvm::Module& module, MathLibrary& math, Machine machine);

  Writing writing;  // before the parts, which refer to it
  Frame frame{*this};
  Values values{*this};
  Memory memory{*this};
  Arrays arrays{*this};
  Streams streams{*this};
  Control control{*this};
  Lanes lanes{*this};
  Grid grid{*this};
  Calls calls{*this};
  Reductions reductions{*this};
  Teams teams{*this};
  Narrow narrow{*this};
  Meetings meetings{*this};
  Events events{*this};
  AccessChecks access_checks{*this};
  FastCompile fast_compile{*this};
};

}  // namespace tessera::codegen
