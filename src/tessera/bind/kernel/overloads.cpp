#include "tessera/bind/kernel/overloads.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/kernel/kernel_function.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/kernel/compile_error.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Type;

namespace {

/// What Python raises: TypingError of the compiler's as it is, all else as what is wrong with the types.
template <class Body>
auto asked(Body body) {
  try {
    return body();
  } catch (nb::python_error& error) {
    throw TypeError(nb::cast<std::string>(nb::str(error.value())));
  }
}

}  // namespace

PythonOverloads::PythonOverloads(nb::object overloads) : overloads_(std::move(overloads)) {
  asked([&] {
    const nb::object parameters = overloads_.attr("parameters");
    parameters_ = nb::cast<std::vector<std::string>>(parameters[0]);
    needed_ = nb::cast<size_t>(parameters[1]);
    takes_rest_ = nb::cast<bool>(parameters[2]);
  });
}

PythonOverloads::~PythonOverloads() {
  const WithGil gil;
  overloads_.reset();
}

std::shared_ptr<const kernel::Function> PythonOverloads::find(std::span<const Type> types, std::span<const Type> values,
                                                              const std::vector<bool>& given) const {
  return asked([&]() -> std::shared_ptr<const kernel::Function> {
    const auto objects = [&](std::span<const Type> arguments) {
      nb::list listed;
      for (size_t k = 0; k < arguments.size(); ++k) {
        const bool is_given = k >= given.size() || given[k];
        listed.append(is_given ? type_object(arguments[k]) : nb::none());
      }
      return nb::tuple(listed);
    };
    const nb::object found = overloads_.attr("find")(objects(types), objects(values));
    return found.is_none() ? nullptr : nb::cast<KernelFunction&>(found).function;
  });
}

}  // namespace tessera::bind
