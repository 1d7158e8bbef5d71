// The device's frame: one thread a lane, a stride of the whole grid over the box.
#include "tessera/base/error.h"
#include "tessera/codegen/emitter.h"

namespace tessera::codegen {

llvm::Function* Emitter::emit_device(const char* name) {
  require<NotImplementedError>(false, "codegen: {} has no device form yet", name);
  return nullptr;
}

}  // namespace tessera::codegen
