#include "tessera/bind/engine/error_state.h"

#include <Python.h>

#include <cstdio>
#include <string>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/current_frame.h"
#include "tessera/bind/engine/kept.h"

namespace tessera::bind {

namespace {

ErrorMode to_mode(PyObject* settings, const char* key) {
  PyObject* text = PyDict_GetItemString(settings, key);
  std::string_view name = text ? PyUnicode_AsUTF8(text) : "warn";
  if (name == "ignore") return ErrorMode::ignore;
  if (name == "raise") return ErrorMode::raise;
  if (name == "call") return ErrorMode::call;
  if (name == "print") return ErrorMode::print;
  if (name == "log") return ErrorMode::log;
  return ErrorMode::warn;
}

ErrorState read_state() {
  static constinit Imported geterr("numpy", "geterr");
  Object settings = owned(PyObject_CallNoArgs(geterr));
  return {.divide = to_mode(settings.get(), "divide"),
          .over = to_mode(settings.get(), "over"),
          .under = to_mode(settings.get(), "under"),
          .invalid = to_mode(settings.get(), "invalid")};
}

/// The state in NumPy's context variable; read again only when the variable holds a different object.
ErrorState find_state() {
  static constinit Imported variable("numpy._core.umath", "_extobj_contextvar");
  static PyObject* seen = nullptr;  // kept alive, so that its address stays unique
  static ErrorState known;
  PyObject* current = nullptr;
  checked(PyContextVar_Get(variable, nullptr, &current));
  Object held(current);
  if (current == seen) return known;
  const ErrorState state = read_state();
  known = state;
  Object old(std::exchange(seen, held.release()));
  return state;
}

PyObject* error_callback() {
  static constinit Imported geterrcall("numpy", "geterrcall");
  return checked(PyObject_CallNoArgs(geterrcall));
}

void call_back(const char* words, std::string_view name, uint32_t events) {
  Object callback(error_callback());
  if (callback.get() == Py_None) {
    PyErr_SetString(PyExc_NameError,
                    format("python callback specified for {} (in  {}) but no function found.", words, name).c_str());
    throw ErrorAlreadySet();
  }
  owned(PyObject_CallFunction(callback.get(), "si", words, static_cast<int>(events)));
}

void log_event(const char* words, std::string_view name) {
  Object log(error_callback());
  if (log.get() == Py_None) {
    PyErr_SetString(PyExc_NameError,
                    format("log specified for {} (in {}) but no object with write method found.", words, name).c_str());
    throw ErrorAlreadySet();
  }
  owned(PyObject_CallMethod(log.get(), "write", "s", format("Warning: {} encountered in {}\n", words, name).c_str()));
}

void handle(ErrorMode mode, const char* words, std::string_view name, uint32_t events) {
  switch (mode) {
    case ErrorMode::ignore: return;
    case ErrorMode::warn:
      checked(PyErr_WarnEx(PyExc_RuntimeWarning, format("{} encountered in {}", words, name).c_str(), 1));
      return;
    case ErrorMode::raise: throw FloatingPointError(format("{} encountered in {}", words, name));
    case ErrorMode::call: return call_back(words, name, events);
    case ErrorMode::print:
      std::fprintf(stderr, "Warning: %s encountered in %.*s\n", words, static_cast<int>(name.size()), name.data());
      return;
    case ErrorMode::log: return log_event(words, name);
  }
}

}  // namespace

ErrorState error_state() {
  static PyObject* variables = nullptr;  // the map it was read from, kept alive, so that its address stays unique
  static bool is_known = false;
  static ErrorState known;
  PyObject* current = tessera_context_variables();
  if (is_known && current == variables) [[likely]]
    return known;
  Object held = Object::borrowed(current);
  const ErrorState state = find_state();
  known = state;
  is_known = true;
  Object old(std::exchange(variables, held.release()));
  return state;
}

void handle_events(uint32_t events, std::string_view name, const ErrorState& state) {
  if (events & ir::event_divide) handle(state.divide, "divide by zero", name, events);
  if (events & ir::event_overflow) handle(state.over, "overflow", name, events);
  if (events & ir::event_underflow) handle(state.under, "underflow", name, events);
  if (events & ir::event_invalid) handle(state.invalid, "invalid value", name, events);
}

}  // namespace tessera::bind
