/// PythonFunction: a function in Python that compiled functions call.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tessera/kernel/host_object.h"
#include "tessera/layout/dtype.h"

namespace tessera::bind {

class PythonFunction final : public kernel::HostObject {
 public:
  PythonFunction(std::string name, nanobind::object function)
      : name_(std::move(name)), function_(std::move(function)) {}
  ~PythonFunction() override;

  kernel::HostResults results(std::span<const kernel::Type> arguments,
                              std::span<const std::string> names) const override;
  /// "numpy.ptp", "array.sort".
  std::string library_name() const override;
  const std::string& name() const { return name_; }
  PyObject* function() const { return function_.ptr(); }

 private:
  std::string name_;
  nanobind::object function_;
};

/// An argument's type as tessera.functions.sampled reads it.
nanobind::object described_for_host(const kernel::Type& type);
/// A number as functions of the host get it: Python's where it has that dtype, else NumPy's scalar, which keeps it.
PyObject* make_host_number(const Scalar& value);

}  // namespace tessera::bind
