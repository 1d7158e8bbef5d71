/* Where the running Python frame stands. CPython keeps these structures to itself, in C that C++ does not read. */
#define Py_BUILD_CORE 1
#include <Python.h>

#if PY_VERSION_HEX >= 0x030E0000
#include <internal/pycore_interpframe.h>
#else
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_pystate.h>

#include "tessera/bind/current_frame.h"

static _PyInterpreterFrame* innermost(void) {
  PyThreadState* state = PyThreadState_GET();
#if PY_VERSION_HEX >= 0x030D0000
  return state->current_frame;
#else
  return state->cframe->current_frame;
#endif
}

static void read_frame(_PyInterpreterFrame* frame, PyObject** code, int* offset) {
#if PY_VERSION_HEX >= 0x030D0000
  *code = (PyObject*)_PyFrame_GetCode(frame);
#else
  *code = (PyObject*)frame->f_code;
#endif
  *offset = (int)_PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT);
}

int tessera_current_frame(PyObject** code, int* offset) {
  _PyInterpreterFrame* frame = innermost();
  if (!frame) return 0;
  read_frame(frame, code, offset);
  return 1;
}

int tessera_outer_frame(PyObject** code, int* offset, int (*is_inner)(PyObject* code)) {
  for (_PyInterpreterFrame* frame = innermost(); frame; frame = frame->previous) {
    read_frame(frame, code, offset);
    if (*code && PyCode_Check(*code) && !is_inner(*code)) return 1;
  }
  return 0;
}
