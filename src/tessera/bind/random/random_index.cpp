#include <nanobind/nanobind.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/random/random.h"
#include "tessera/engine/random/index_draw.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

struct IndexGenerator {
  std::array<uint64_t, 2> key;

  nb::object draw(IndexStream stream, uint64_t first, nb::handle shape) const {
    stream.key = key;
    return nb::steal(wrap(draw_by_index(Engine::instance(), stream, first, to_size(shape).value())));
  }
};

DType real(bool single) { return single ? DType::float32 : DType::float64; }

}  // namespace

void bind_random_index(nb::module_& m) {
  using routines::IndexDraw;
  nb::class_<IndexGenerator>(m, "IndexGenerator")
      .def("__init__",
           [](IndexGenerator* self, uint64_t seed, uint64_t stream) { new (self) IndexGenerator{{seed, stream}}; })
      .def("uniform",
           [](const IndexGenerator& g, uint64_t first, nb::handle shape, bool single) {
             return g.draw({.draw = routines::IndexDraw::uniform, .dtype = real(single)}, first, shape);
           })
      .def("normal",
           [](const IndexGenerator& g, uint64_t first, nb::handle shape, bool single) {
             return g.draw({.draw = routines::IndexDraw::normal, .dtype = real(single)}, first, shape);
           })
      .def("integers", [](const IndexGenerator& g, uint64_t first, int64_t low, uint64_t range, nb::handle shape) {
        const routines::IndexDraw kind =
            range >> 32 ? routines::IndexDraw::long_integers : routines::IndexDraw::integers;
        return g.draw({.draw = kind, .dtype = DType::int64, .low = static_cast<uint64_t>(low), .range = range}, first,
                      shape);
      });
}

}  // namespace tessera::bind
