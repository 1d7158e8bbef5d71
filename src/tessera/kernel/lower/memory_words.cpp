#include "tessera/kernel/lower/memory_words.h"

#include <vector>

#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/words.h"

namespace tessera::kernel {

ir::Value load_word(Lowering& l, ir::Value at) { return l.b.load(l.memory.heap_of(DType::int64), std::vector{at}); }

void store_word(Lowering& l, ir::Value at, ir::Value word) {
  l.b.store(l.memory.heap_of(DType::int64), word, std::vector{at});
}

void store_element(Lowering& l, ir::Value at, const Item& value) {
  int64_t word = 0;
  for (ir::Value bits : to_words(l.b, value)) store_word(l, l.b.add(at, l.number(word++)), bits);
}

Item load_element(Lowering& l, ir::Value at, const Type& type) {
  return from_words(l.b, type, [&](int64_t word) { return load_word(l, l.b.add(at, l.number(word))); });
}

}  // namespace tessera::kernel
