/// FastCompile: the variant of a device kernel with as little code as possible.
#pragma once

#include <vector>

#include "tessera/codegen/emit/emitter_part.h"

namespace tessera::codegen {

class FastCompile : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  struct Noted {
    uint32_t slot;
    ir::ErrorRule rule;
    ir::Value result;
    llvm::SmallVector<ir::Value, 2> operands;
  };
  struct NotedValues {
    llvm::Value *slot, *rule, *result, *first, *second;
  };

  llvm::Value* emit_written_out(const ir::Instruction& i, llvm::ArrayRef<llvm::Value*> operands);
  void emit_fast_compile_lane(llvm::Value* index);
  void emit_element(ir::RegionId region);
  bool has_checks(ir::RegionId region) const;
  bool note_check(ir::Value v);

 private:
  void name_noted_events();
  void name_events_by_table();
  void name_event(const NotedValues& noted);

  std::vector<Noted> noted_;  // the checks of the fast-compile variant, evaluated later
};

}  // namespace tessera::codegen
