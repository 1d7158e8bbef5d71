// Lines of the source in device code: which file and line each instruction comes from.
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <filesystem>

#include "tessera/codegen/emit/emitter.h"
#include "tessera/ir/source_lines.h"

namespace tessera::codegen {

namespace {

llvm::DIFile* file_of(llvm::DIBuilder& builder, int64_t number) {
  const std::filesystem::path path = ir::file_path(number);
  return builder.createFile(path.filename().string(), path.parent_path().string());
}

}  // namespace

/// What follows comes from the mark's line.
void Frame::emit_line(ir::Value mark) {
  set(mark, {number(word_, 0)});
  if (machine_.kind != Machine::Kind::device || w_.is_called) return;
  const auto operand = [&](size_t k) {
    return kernel_.constants[kernel_.instructions[kernel_.operands(mark)[k]].imm].as_int();
  };
  const auto line = static_cast<unsigned>(operand(0));
  llvm::DIBuilder builder(module_, true, unit_);
  if (!unit_) {
    // Directives alone: with sections the assembler would not optimise.
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    llvm::DIFile* file = file_of(builder, operand(1));
    unit_ = builder.createCompileUnit(llvm::dwarf::DW_LANG_Python, file, "tessera", true, "", 0, "",
                                      llvm::DICompileUnit::DebugDirectivesOnly);
    llvm::DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    function_->setSubprogram(builder.createFunction(file, kernel_.name, function_->getName(), file, line, type, line,
                                                    llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition));
  }
  llvm::DIScope* scope = builder.createLexicalBlockFile(function_->getSubprogram(), file_of(builder, operand(1)));
  b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, line, 0, scope));
  builder.finalize();
}

}  // namespace tessera::codegen
