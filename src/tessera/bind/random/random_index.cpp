#include <nanobind/nanobind.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/random/random.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// As the routine "index_draw" numbers them.
enum class Distribution : int { uniform, normal, integers, long_integers };

struct Draw {
  Distribution kind;
  DType dtype;
  int64_t low = 0, range = 0;
};

struct IndexGenerator {
  uint64_t seed, stream;

  nb::object draw(const Draw& draw, uint64_t first, nb::handle shape) const {
    static const ops::Routine& routine = Engine::routine("index_draw");
    ops::Arguments arguments{
        static_cast<int>(draw.kind), draw.dtype, word(seed), word(stream), word(first), draw.low, draw.range};
    const auto extents = to_size(shape);
    for (int64_t extent : extents.value()) arguments.add(extent);
    return nb::steal(wrap(Engine::instance().call_for_one(routine, {}, arguments, current_context())));
  }
  static int64_t word(uint64_t bits) { return static_cast<int64_t>(bits); }
};

DType real(bool single) { return single ? DType::float32 : DType::float64; }

}  // namespace

void bind_random_index(nb::module_& m) {
  nb::class_<IndexGenerator>(m, "IndexGenerator")
      .def("__init__",
           [](IndexGenerator* self, uint64_t seed, uint64_t stream) { new (self) IndexGenerator{seed, stream}; })
      .def("uniform", [](const IndexGenerator& g, uint64_t first, nb::handle shape,
                         bool single) { return g.draw({Distribution::uniform, real(single)}, first, shape); })
      .def("normal", [](const IndexGenerator& g, uint64_t first, nb::handle shape,
                        bool single) { return g.draw({Distribution::normal, real(single)}, first, shape); })
      .def("integers", [](const IndexGenerator& g, uint64_t first, int64_t low, uint64_t range, nb::handle shape) {
        const Distribution kind = range >> 32 ? Distribution::long_integers : Distribution::integers;
        return g.draw({kind, DType::int64, low, IndexGenerator::word(range)}, first, shape);
      });
}

}  // namespace tessera::bind
