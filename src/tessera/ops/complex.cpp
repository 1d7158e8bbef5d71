/// conjugate, and the real and imaginary parts of complex numbers.
#include "tessera/ops/bodies.h"
#include "tessera/ops/families.h"
#include "tessera/ops/signatures.h"

namespace tessera::ops {

using ir::Builder;
using ir::Opcode;

namespace {

void conjugate_body(Builder& b, In in, Out out) {
  bool is_real = !is_complex(b.type(in[0]));
  out[0] = is_real ? in[0] : b.make_complex(b.real(in[0]), b.neg(b.imag(in[0])));
}

}  // namespace

void add_complex(OpTable& table) {
  table.add({.name = "conjugate",
             .doc = "x with the sign of its imaginary part inverted.",
             .signatures = uniform_loops(number_codes, 1),
             .body = conjugate_body});
  table.add({.name = "real",
             .doc = "The real part.",
             .kind = OpKind::hidden,
             .signatures = uniform_loops("?bBhHiIlLefd", 1) + parse_loops("F->f D->d"),
             .body = [](Builder& b, In in, Out out) { out[0] = b.real(in[0]); }});
  table.add({.name = "imag",
             .doc = "The imaginary part.",
             .kind = OpKind::hidden,
             .signatures = uniform_loops("?bBhHiIlLefd", 1) + parse_loops("F->f D->d"),
             .body = [](Builder& b, In in, Out out) { out[0] = b.imag(in[0]); }});
  table.add(
      {.name = "angle",
       .doc = "The angle of a complex number, in radians.",
       .kind = OpKind::hidden,
       .signatures = uniform_loops(floating_codes, 1) + parse_loops("F->f D->d"),
       .body = [](Builder& b, In in, Out out) { out[0] = b.binary(Opcode::atan2, b.imag(in[0]), b.real(in[0])); }});
  table.add({.name = "make_complex",
             .doc = "A complex number from its real and imaginary part.",
             .kind = OpKind::hidden,
             .signatures = parse_loops("ff->F dd->D"),
             .body = [](Builder& b, In in, Out out) { out[0] = b.make_complex(in[0], in[1]); }});
}

}  // namespace tessera::ops
