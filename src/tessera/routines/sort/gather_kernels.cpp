#include "tessera/routines/dense.h"
#include "tessera/routines/sort/kernels.h"

namespace tessera::routines {

using ir::Value;

ir::Kernel complex_part_kernel(DType real) {
  Dense d(1, "complex_part");
  const uint32_t x = d.read(real), out = d.write(real);
  const Value part = d.number(), i = d.b.index(0);
  d.store(out, d.load(x, d.b.add(d.b.mul(i, d.word(2)), part)), i);
  return d.b.take();
}

ir::Kernel gather_rows_kernel(DType word, int each) {
  Dense d(1, "gather_rows");
  const uint32_t x = d.read(word), order = d.read(DType::int64), out = d.write(word);
  const Value n = d.number(), i = d.b.index(0);
  const Value from = d.b.add(d.b.sub(i, d.rest(i, n)), d.load(order, i));
  for (int k = 0; k < each; ++k) {
    const auto at = [&](Value element) { return d.b.add(d.b.mul(element, d.word(each)), d.word(k)); };
    d.store(out, d.load(x, at(from)), at(i));
  }
  return d.b.take();
}

}  // namespace tessera::routines
