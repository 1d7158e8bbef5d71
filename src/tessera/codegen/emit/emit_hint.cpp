// Accesses that say which caches should keep their lines: instructions of the device, which LLVM has no words for.
#include "tessera/codegen/emit/emitter.h"

#include <llvm/IR/InlineAsm.h>

namespace tessera::codegen {

namespace {

/// PTX's names of ir::CacheHint.
constexpr const char* names[] = {"", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};

/// A load of so many bits. ptxas takes loops out that only wait for what an ld.global.cv reads, which no other
/// instruction has to see change; volatile loads, which fetch again as well, stay.
std::string load_of(uint8_t hint, unsigned bits) {
  const std::string load = std::string("ld.global.") + names[hint] + ".b" + std::to_string(bits);
  const bool is_reread = static_cast<ir::CacheHint>(hint) == ir::CacheHint::reread;
  return is_reread ? "ld.volatile.global.b" + std::to_string(bits) + " $0, [$1];  // " + load : load + " $0, [$1];";
}

/// The constraint of a register for so many bytes; single bytes are in wider registers.
const char* constraint(unsigned bytes) { return bytes == 8 ? "l" : bytes == 4 ? "r" : "h"; }

}  // namespace

Parts Emitter::load_hinted(llvm::Value* address, const ir::Instruction& i) {
  const Parts addresses = part_addresses(address, i.type);
  Parts parts;
  for (auto [from, to] : {std::pair{addresses.first, &parts.first}, {addresses.second, &parts.second}}) {
    if (!from) continue;
    llvm::Type* type = memory_type(context_, i.type);
    const unsigned bytes = type->getScalarSizeInBits() / 8;
    if (machine_.kind != Machine::Kind::nvptx) {
      const bool is_reread = static_cast<ir::CacheHint>(i.attr) == ir::CacheHint::reread;
      *to = b_.CreateAlignedLoad(type, from, llvm::Align(bytes), is_reread);
    } else {
      llvm::Type* word = b_.getIntNTy(bytes == 1 ? 16 : 8 * bytes);
      auto* form = llvm::FunctionType::get(word, {from->getType()}, false);
      const std::string text = load_of(i.attr, 8 * bytes);
      llvm::Value* read = b_.CreateCall(
          llvm::InlineAsm::get(form, text, std::string("=") + constraint(bytes) + ",l,~{memory}", true), {from});
      *to = b_.CreateBitCast(b_.CreateTrunc(read, b_.getIntNTy(8 * bytes)), type);
    }
    if (is_boolean(i.type)) *to = b_.CreateIsNotNull(*to);
  }
  return parts;
}

void Emitter::store_hinted(llvm::Value* address, Parts value, const ir::Instruction& i) {
  const Parts addresses = part_addresses(address, i.type);
  for (auto [to, part] : {std::pair{addresses.first, value.first}, {addresses.second, value.second}}) {
    if (!to) continue;
    if (is_boolean(i.type)) part = b_.CreateZExt(part, b_.getInt8Ty());
    const unsigned bytes = part->getType()->getScalarSizeInBits() / 8;
    llvm::Value* word = b_.CreateBitCast(part, b_.getIntNTy(8 * bytes));
    if (bytes == 1) word = b_.CreateZExt(word, b_.getInt16Ty());
    auto* form = llvm::FunctionType::get(b_.getVoidTy(), {to->getType(), word->getType()}, false);
    const std::string text =
        std::string("st.global.") + names[i.attr] + ".b" + std::to_string(8 * bytes) + " [$0], $1;";
    b_.CreateCall(llvm::InlineAsm::get(form, text, std::string("l,") + constraint(bytes) + ",~{memory}", true),
                  {to, word});
  }
}

}  // namespace tessera::codegen
