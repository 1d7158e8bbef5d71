// Accesses that say which caches should keep their lines: instructions of the device, which LLVM has no words for.
#include "tessera/codegen/emit/emitter.h"

namespace tessera::codegen {

Parts Memory::load_hinted(llvm::Value* address, const ir::Instruction& i) {
  const Parts addresses = part_addresses(address, i.type);
  Parts parts;
  for (auto [from, to] : {std::pair{addresses.first, &parts.first}, {addresses.second, &parts.second}}) {
    if (!from) continue;
    llvm::Type* type = memory_type(context_, i.type);
    const unsigned bytes = type->getScalarSizeInBits() / 8;
    if (machine_.kind != Machine::Kind::device) {
      const bool is_reread = static_cast<ir::CacheHint>(i.attr) == ir::CacheHint::reread;
      *to = b_.CreateAlignedLoad(type, from, llvm::Align(bytes), is_reread);
    } else {
      llvm::Value* read = device::load_hinted(b_, i.attr, from, bytes);
      *to = b_.CreateBitCast(b_.CreateTrunc(read, b_.getIntNTy(8 * bytes)), type);
    }
    if (is_boolean(i.type)) *to = b_.CreateIsNotNull(*to);
  }
  return parts;
}

void Memory::store_hinted(llvm::Value* address, Parts value, const ir::Instruction& i) {
  const Parts addresses = part_addresses(address, i.type);
  for (auto [to, part] : {std::pair{addresses.first, value.first}, {addresses.second, value.second}}) {
    if (!to) continue;
    if (is_boolean(i.type)) part = b_.CreateZExt(part, b_.getInt8Ty());
    const unsigned bytes = part->getType()->getScalarSizeInBits() / 8;
    llvm::Value* word = b_.CreateBitCast(part, b_.getIntNTy(8 * bytes));
    if (bytes == 1) word = b_.CreateZExt(word, b_.getInt16Ty());
    device::store_hinted(b_, i.attr, to, word, bytes);
  }
}

}  // namespace tessera::codegen
