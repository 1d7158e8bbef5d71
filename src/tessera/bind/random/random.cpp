#include "tessera/bind/random/random.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"

namespace tessera::bind {

namespace nb = nanobind;

void bind_random_bits(nb::module_& m);
void bind_random_index(nb::module_& m);

namespace {

using Standard = RandomStream::Standard;

nb::object to_result(Array array) { return nb::steal(wrap(std::move(array))); }

/// Samples a named distribution: a Python number when all arguments are numbers and size is None, else an array.
nb::object sample(RandomStream& stream, const std::string& name, nb::handle size, nb::args args) {
  const library::Distribution& row = library::distribution(name, stream.legacy());
  std::vector<DrawParameter> parameters;
  bool numbers = true;
  for (size_t k = 0; k < args.size(); ++k) {
    auto parameter = to_draw_parameter(args[k], row.parameters[k]);
    if (!parameter) return nb::borrow(Py_NotImplemented);
    numbers &= std::holds_alternative<library::Value>(*parameter);
    parameters.push_back(std::move(*parameter));
  }
  const std::optional<Dims> shape = to_size(size);
  if (!shape && numbers) {
    library::Value values[3];
    for (size_t k = 0; k < parameters.size(); ++k) values[k] = std::get<library::Value>(parameters[k]);
    const std::span<const library::Value> given(values, parameters.size());
    if (row.draw) return nb::float_(stream.draw_real(row, given));
    return nb::int_(stream.draw_integer(row, given));
  }
  Array result = stream.draw(Engine::instance(), row, parameters, shape);
  if (shape || result.ndim() > 0) return to_result(std::move(result));
  const char* data = Engine::instance().read(result);
  if (row.draw) return nb::float_(*reinterpret_cast<const double*>(data));
  return nb::int_(*reinterpret_cast<const int64_t*>(data));
}

nb::object standard(RandomStream& stream, int kind, nb::handle size, bool single) {
  const DType dtype = single ? DType::float32 : DType::float64;
  const std::optional<Dims> shape = to_size(size);
  if (!shape) return nb::float_(stream.standard(static_cast<Standard>(kind), dtype));
  return to_result(stream.draw_standard(Engine::instance(), static_cast<Standard>(kind), *shape, dtype));
}

void fill_array(RandomStream& stream, int kind, nb::handle out) {
  stream.fill(Engine::instance(), static_cast<Standard>(kind), as_ndarray(out.ptr())->array);
}

nb::object gamma_float(RandomStream& stream, nb::handle shape, nb::handle out) {
  const auto parameter = to_draw_parameter(shape, {"shape"});
  if (!parameter) return nb::borrow(Py_NotImplemented);
  stream.fill_gamma_float(Engine::instance(), *parameter, as_ndarray(out.ptr())->array);
  return nb::none();
}

/// A bound as the bits of 64-bit two's complement.
uint64_t to_bits(nb::handle number) {
  const uint64_t bits = PyLong_AsUnsignedLongLongMask(number.ptr());
  if (bits == ~uint64_t{0} && PyErr_Occurred()) throw nb::python_error();
  return bits;
}

nb::object integers(RandomStream& stream, nb::handle low, nb::handle range, nb::handle size, nb::handle dtype,
                    bool masked) {
  const DType type = to_dtype(dtype.ptr()).value();
  const auto rejection = masked ? library::Rejection::mask : library::Rejection::multiply;
  const std::optional<Dims> shape = to_size(size);
  if (!shape) {
    const uint64_t value = stream.integer(type, to_bits(low), to_bits(range), rejection);
    return nb::steal(make_numpy_scalar(type, &value));
  }
  return to_result(stream.integers(Engine::instance(), *shape, type, to_bits(low), to_bits(range), rejection));
}

nb::object integers_between(RandomStream& stream, nb::handle low, nb::handle high, nb::handle size, nb::handle dtype,
                            bool closed, bool masked) {
  return to_result(stream.integers(Engine::instance(), to_size(size), to_dtype(dtype.ptr()).value(),
                                   to_native_array(low), to_native_array(high), closed,
                                   masked ? library::Rejection::mask : library::Rejection::multiply));
}

void shuffle(RandomStream& stream, nb::handle array, int axis) {
  stream.shuffle(Engine::instance(), as_ndarray(array.ptr())->array, axis);
}

void permute(RandomStream& stream, nb::handle array, int axis) {
  stream.permute(Engine::instance(), as_ndarray(array.ptr())->array, axis);
}

nb::object multinomial(RandomStream& stream, nb::handle n, nb::handle probabilities, nb::handle size) {
  return to_result(
      stream.multinomial(Engine::instance(), to_native_array(n), to_native_array(probabilities), to_size(size)));
}

nb::object dirichlet(RandomStream& stream, nb::handle alpha, nb::handle shape) {
  return to_result(stream.dirichlet(Engine::instance(), to_native_array(alpha), to_size(shape).value()));
}

nb::object urn(RandomStream& stream, bool by_count, nb::handle colors, int64_t sample, nb::handle shape) {
  const auto method = by_count ? library::UrnMethod::count : library::UrnMethod::marginals;
  return to_result(stream.urn(Engine::instance(), method, to_native_array(colors), sample, to_size(shape).value()));
}

}  // namespace

void bind_random(nb::module_& module) {
  nb::module_ m = module.def_submodule("random", "Bit generators and distributions.");
  bind_random_bits(m);
  bind_random_index(m);
  nb::class_<RandomStream>(m, "Stream")
      .def(nb::init<std::shared_ptr<RandomBits>, bool>())
      .def("sample", sample, nb::arg("name"), nb::arg("size").none(), nb::arg("args"))
      .def("standard", standard, nb::arg(), nb::arg().none(), nb::arg())
      .def("fill", fill_array)
      .def("gamma_float", gamma_float)
      .def("integers", integers, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg())
      .def("integers_between", integers_between, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
           nb::arg())
      .def("shuffle", shuffle)
      .def("permute", permute)
      .def("swap_partners", &RandomStream::swap_partners)
      .def("choose_distinct",
           [](RandomStream& s, int64_t population, int64_t count, bool shuffled) {
             return to_result(s.choose_distinct(Engine::instance(), population, count, shuffled));
           })
      .def("multinomial", multinomial, nb::arg(), nb::arg(), nb::arg().none())
      .def("dirichlet", dirichlet)
      .def("urn", urn)
      .def("gauss", [](RandomStream& s) { return std::pair(s.sampler().kept.has, s.sampler().kept.value); })
      .def("set_gauss", [](RandomStream& s, bool has, double gauss) { s.sampler().kept = {has, gauss}; });
}

}  // namespace tessera::bind
