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

int tessera_current_frame(PyObject** code, int* offset) {
  PyThreadState* state = PyThreadState_GET();
#if PY_VERSION_HEX >= 0x030D0000
  _PyInterpreterFrame* frame = state->current_frame;
  if (!frame) return 0;
  *code = (PyObject*)_PyFrame_GetCode(frame);
#else
  _PyInterpreterFrame* frame = state->cframe->current_frame;
  if (!frame) return 0;
  *code = (PyObject*)frame->f_code;
#endif
  *offset = (int)_PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT);
  return 1;
}
