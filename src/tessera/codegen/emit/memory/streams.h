/// Streams: results that are written past the caches, staged strip by strip.
#pragma once

#include <vector>

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

class Streams : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct Stream {
    ir::Value store;
    llvm::Value* strip;  // the values of a strip of lanes
    bool always;         // always non-temporal; else staged only where shares_memory()
  };

  void find_streams(const Schedule& schedule);
  bool can_stage(ir::Value store) const;
  Stream* stream_of(ir::Value store);
  void emit_staged_store(Stream& stream);
  void flush_streams();
  void fence_streams();
  bool any() const { return !streams_.empty(); }

 private:
  llvm::Value* destination(const Stream& stream, llvm::Value* lane);

  std::vector<Stream> streams_;
};

}  // namespace tessera::codegen
