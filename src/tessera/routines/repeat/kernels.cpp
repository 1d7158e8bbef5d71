#include "tessera/routines/repeat/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Value;

ir::Kernel repeat_each_kernel(DType word, bool single, bool is_short) {
  Dense d(1, "repeat_each");
  ir::Builder& b = d.b;
  const uint32_t x = d.read(word), out = d.write(word);
  const auto over = [&](Value a, Value c) { return is_short ? d.short_over(a, c) : d.over(a, c); };
  const Value span = d.number(), i = b.index(0), row = over(i, span);
  if (single) {
    d.store(out, d.load(x, row), i);
    return b.take();
  }
  const Value inner = d.number(), column = b.sub(i, b.mul(over(i, inner), inner));
  d.store(out, d.load(x, b.add(b.mul(row, inner), column)), i);
  return b.take();
}

}  // namespace tessera::routines
