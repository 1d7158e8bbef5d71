#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/kept.h"

#include <nanobind/nanobind.h>

#include <new>
#include <string>
#include <typeinfo>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/kernel/launch/fault_text.h"
#include "tessera/engine/call/launch.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/engine.h"
#include "tessera/kernel/compile_error.h"
#include "tessera/library/code_linker.h"
#include "tessera/library/device_library.h"
#include "tessera/library/source_compiler.h"
#include "tessera/runtime/device.h"
#include "tessera/runtime/host/system_memory.h"

namespace tessera::bind {

namespace {

/// A borrowed reference to the exception class of an error kind; null with an error set when an import fails.
PyObject* exception_class(ErrorKind kind) {
  static constinit Imported axis_error("numpy.exceptions", "AxisError"), linalg_error("numpy.linalg", "LinAlgError"),
      ufunc_error("numpy._core._exceptions", "UFuncTypeError");
  switch (kind) {
    case ErrorKind::value: return PyExc_ValueError;
    case ErrorKind::type: return PyExc_TypeError;
    case ErrorKind::ufunc_type: return ufunc_error;
    case ErrorKind::index: return PyExc_IndexError;
    case ErrorKind::axis: return axis_error;
    case ErrorKind::memory: return PyExc_MemoryError;
    case ErrorKind::overflow: return PyExc_OverflowError;
    case ErrorKind::zero_division: return PyExc_ZeroDivisionError;
    case ErrorKind::floating_point: return PyExc_FloatingPointError;
    case ErrorKind::linalg: return linalg_error;
    case ErrorKind::not_implemented: return PyExc_NotImplementedError;
    case ErrorKind::buffer: return PyExc_BufferError;
    case ErrorKind::io: return PyExc_OSError;
    case ErrorKind::runtime: return PyExc_RuntimeError;
    case ErrorKind::invariant: return PyExc_SystemError;
  }
  std::unreachable();
}

/// Adds a note to the current error that lists which arrays use the memory. The error's message stays NumPy's.
void add_memory_table() {
  constexpr size_t most_lines = 10;
  const std::vector<LargeArray> arrays = Engine::instance().settings().largest_arrays(most_lines);
  if (arrays.empty()) return;
  std::string text = "The largest arrays that live:";
  for (const LargeArray& array : arrays) {
    text += format("\n  {}  {} {}, {}{}{}", runtime::size_text(array.nbytes), shape_text(array.shape),
                   name(array.dtype), array.where, array.maker.empty() ? "" : ", made at ", array.maker);
  }
  add_note(text);
}

/// Of a class of tessera.errors.
void set_error_of(const char* name, const char* message) {
  try {
    const Object type(import_attribute("tessera.errors", name));
    PyErr_SetString(type.get(), message);
  } catch (const ErrorAlreadySet&) {
  }
}

void set_faults(const engine::KernelFaults& found) {
  try {
    throw_faults(found.kernel(), found.faults());
  } catch (const ErrorAlreadySet&) {
  }
}

void set_error_of_kind() {
  try {
    throw;
  } catch (const ErrorAlreadySet&) {
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const ArrayMemoryError& error) {
    try {
      static constinit Imported type("numpy._core._exceptions", "_ArrayMemoryError");
      Object arguments(checked(Py_BuildValue("(NN)", make_tuple(error.shape()), from_dtype(error.dtype()))));
      PyErr_SetObject(type, arguments.get());
      add_memory_table();
    } catch (const ErrorAlreadySet&) {
    }
  } catch (const runtime::DeviceFailure& failure) {
    PyErr_SetString(PyExc_RuntimeError, (failure.what() + Engine::instance().settings().describe_failure()).c_str());
  } catch (const engine::LostElements& lost) {
    // Whoever asked first may have kept the failure to itself, as NumPy does when it tries the buffer protocol.
    PyErr_SetString(PyExc_RuntimeError, (lost.what() + Engine::instance().settings().describe_failure()).c_str());
  } catch (const engine::KernelFaults& found) {
    set_faults(found);
  } catch (const engine::CopyForbidden& forbidden) {
    try {
      static constinit Imported type("tessera._devices", "CopyError");
      PyErr_SetString(type, forbidden.what());
    } catch (const ErrorAlreadySet&) {
    }
  } catch (const kernel::CompileError& error) {
    try {
      static constinit Imported typing("tessera.errors", "TypingError");
      static constinit Imported unsupported("tessera.errors", "UnsupportedError");
      static constinit Imported class_of("tessera.functions.sampled", "error_class");
      if (error.fault() == kernel::Fault::host)
        PyErr_SetString(Object(checked(PyObject_CallNoArgs(class_of))).get(), error.what());
      else
        PyErr_SetString(error.fault() == kernel::Fault::typing ? typing : unsupported, error.what());
    } catch (const ErrorAlreadySet&) {
    }
  } catch (const library::SourceFailure& failure) {
    set_error_of("CudaSourceError", failure.what());
  } catch (const library::LinkFailure& failure) {
    set_error_of("CudaLinkError", failure.what());
  } catch (const library::LibraryMissing& missing) {
    set_error_of("CudaSupportError", missing.what());
  } catch (const Error& error) {
    try {
      PyErr_SetString(exception_class(error.kind()), error.what());
      if (error.kind() == ErrorKind::memory) add_memory_table();
    } catch (const ErrorAlreadySet&) {
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::bad_cast&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an object is of a class that is not taken here");
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

void add_note(const std::string& text) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Object added(PyObject_CallMethod(value, "add_note", "s", text.c_str()));
  if (!added) PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

void set_python_error() {
  try {
    throw;
  } catch (const std::exception& error) {
    const std::string note = Engine::instance().settings().describe_failed(error);
    set_error_of_kind();
    if (!note.empty()) add_note(note);
  } catch (...) {
    set_error_of_kind();
  }
}

PyObject* import_attribute(const char* module, const char* attribute) {
  Object imported(checked(PyImport_ImportModule(module)));
  return checked(PyObject_GetAttrString(imported.get(), attribute));
}

}  // namespace tessera::bind
