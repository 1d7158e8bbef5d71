#include <nanobind/nanobind.h>

#include "tessera/bind/ndarray.h"
#include "tessera/bind/random.h"
#include "tessera/library/random/index_generator.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

using library::IndexGenerator;

template <class T>
std::span<T> elements(const Array& array) {
  return {reinterpret_cast<T*>(Engine::instance().write(array)), static_cast<size_t>(array.size())};
}

template <class F>
nb::object made(nb::handle shape, DType dtype, F&& fill) {
  Array array = Engine::instance().empty(to_size(shape).value(), dtype);
  fill(array);
  return nb::steal(wrap(std::move(array)));
}

}  // namespace

void bind_random_index(nb::module_& m) {
  nb::class_<IndexGenerator>(m, "IndexGenerator")
      .def(nb::init<uint64_t, uint64_t>())
      .def("uniform", [](const IndexGenerator& g, uint64_t first, nb::handle shape, bool single) {
        return made(shape, single ? DType::float32 : DType::float64, [&](const Array& out) {
          single ? g.fill_uniform(first, elements<float>(out)) : g.fill_uniform(first, elements<double>(out));
        });
      })
      .def("normal", [](const IndexGenerator& g, uint64_t first, nb::handle shape, bool single) {
        return made(shape, single ? DType::float32 : DType::float64, [&](const Array& out) {
          single ? g.fill_normal(first, elements<float>(out)) : g.fill_normal(first, elements<double>(out));
        });
      })
      .def("integers", [](const IndexGenerator& g, uint64_t first, int64_t low, uint64_t range, nb::handle shape) {
        return made(shape, DType::int64,
                    [&](const Array& out) { g.fill_integers(first, low, range, elements<int64_t>(out)); });
      });
}

}  // namespace tessera::bind
