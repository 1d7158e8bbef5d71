/// Ops without a ufunc, recorded by the engine itself: copy, fill, select, and evenly spaced numbers.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;

namespace {

/// start + i * step, rounded or wrapped after the multiplication and after the addition.
ir::Value evenly_spaced(Builder& b, ir::Value start, ir::Value step, ir::Value place) {
  const DType type = b.type(start);
  if (is_complex(type)) {
    const ir::Value real = evenly_spaced(b, b.real(start), b.real(step), place);
    return b.make_complex(real, evenly_spaced(b, b.imag(start), b.imag(step), place));
  }
  // Narrow integers are computed in int32, for which vector units have more instructions.
  const DType wide = is_integer(type) && itemsize(type) < 4 ? DType::int32 : type;
  return b.cast(b.add(b.cast(start, wide), b.mul(b.cast(place, wide), b.cast(step, wide))), type);
}

}  // namespace

void add_hidden(OpTable& table) {
  auto same = [](Builder&, In in, Out out) { out[0] = in[0]; };
  table.add({.name = "copy",
             .doc = "The operand; a cast happens where the result's type differs.",
             .kind = OpKind::hidden,
             .signatures = uniform_loops(all_codes, 1),
             .body = same,
             .errors = ir::ErrorRule::cast});
  table.add({.name = "fill",
             .doc = "One value everywhere.",
             .kind = OpKind::hidden,
             .signatures = uniform_loops(all_codes, 1),
             .body = same});
  std::vector<Signature> select_loops = uniform_loops(all_codes, 3);
  for (Signature& loop : select_loops) loop.in[0] = DType::boolean;
  table.add({.name = "select",
             .doc = "The second operand where the first is true, else the third.",
             .kind = OpKind::hidden,
             .signatures = select_loops,
             .body = [](Builder& b, In in, Out out) { out[0] = b.select(in[0], in[1], in[2]); },
             .resolve = [](const Op&, std::span<DType> in) { in[1] = in[2] = promote(in[1], in[2]); }});
  table.add({.name = "evenly_spaced",
             .doc = "start, start + step, start + 2 * step and so on.",
             .kind = OpKind::hidden,
             .nin = 2,
             .signatures = uniform_loops("bBhHiIlLfdFD", 2),
             .body = [](Builder& b, In in, Out out) { out[0] = evenly_spaced(b, in[0], in[1], in[2]); },
             .counts = true});
  table.add(
      {.name = "evenly_spaced_to",
       .doc = "The same, but the element at the place of the fourth operand is the third.",
       .kind = OpKind::hidden,
       .nin = 4,
       .signatures = parse_loops("fffl->f dddl->d"),
       .body = [](Builder& b, In in,
                  Out out) { out[0] = b.select(b.eq(in[4], in[3]), in[2], evenly_spaced(b, in[0], in[1], in[4])); },
       .counts = true});
}

}  // namespace tessera::ops
