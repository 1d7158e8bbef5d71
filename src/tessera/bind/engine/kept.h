/// Kept, Imported, Interned: objects of Python that are asked for when they are first needed, and stay.
///
/// A static that a call initialises keeps other threads out until it has its value. Python, which the call asks, lets
/// them run; with the GIL they would wait for what only the GIL can end. These lock nothing: of several threads that
/// come first each asks, and the first answer stays.
#pragma once

#include <Python.h>

#include <utility>

#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

class Kept {
 public:
  constexpr Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  /// A borrowed reference to what ask(), which returns a new one, has answered first; throws ErrorAlreadySet for null.
  template <class Ask>
  PyObject* get(Ask&& ask) {
    if (object_) [[likely]]
      return object_;
    PyObject* answer = checked(std::forward<Ask>(ask)());
    if (object_) {
      Py_DECREF(answer);
    } else {
      object_ = answer;
    }
    return object_;
  }

 private:
  PyObject* object_ = nullptr;
};

/// A module's attribute.
class Imported {
 public:
  constexpr Imported(const char* module, const char* attribute) : module_(module), attribute_(attribute) {}
  PyObject* get() {
    return kept_.get([this] { return import_attribute(module_, attribute_); });
  }
  operator PyObject*() { return get(); }

 private:
  const char* module_;
  const char* attribute_;
  Kept kept_;
};

/// A text as a name of attributes.
class Interned {
 public:
  constexpr explicit Interned(const char* text) : text_(text) {}
  PyObject* get() {
    return kept_.get([this] { return PyUnicode_InternFromString(text_); });
  }
  operator PyObject*() { return get(); }

 private:
  const char* text_;
  Kept kept_;
};

}  // namespace tessera::bind
