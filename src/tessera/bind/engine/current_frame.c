/* Access to CPython's internal state of the running code. Its headers are private and in C that C++ cannot compile. */
#define Py_BUILD_CORE 1
#include <Python.h>

#if PY_VERSION_HEX >= 0x030E0000
#include <internal/pycore_interpframe.h>
#else
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_context.h>
#include <internal/pycore_pystate.h>

#include "tessera/bind/engine/current_frame.h"

static PyThreadState* running(void) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyThreadState_GET();
#else
  return _PyThreadState_GET();  // without a call
#endif
}

static _PyInterpreterFrame* innermost(void) {
  PyThreadState* state = running();
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

uint64_t tessera_known_site(PyObject* const* known) {
  _PyInterpreterFrame* frame = innermost();
  if (!frame) return 0;
  PyObject* code;
  int offset;
  read_frame(frame, &code, &offset);
  return known[tessera_code_slot(code)] == code ? tessera_site(code, offset) : 0;
}

PyObject* tessera_context_variables(void) {
  PyContext* context = (PyContext*)running()->context;
  return context ? (PyObject*)context->ctx_vars : NULL;
}

/* Whether it is the interpreter's own, where C has called it: since 3.12 such a frame may have code, too. */
static int is_of_interpreter(const _PyInterpreterFrame* frame) {
#if PY_VERSION_HEX >= 0x030E0000
  return frame->owner >= FRAME_OWNED_BY_INTERPRETER;
#elif PY_VERSION_HEX >= 0x030C0000
  return frame->owner == FRAME_OWNED_BY_CSTACK;
#else
  (void)frame;
  return 0;
#endif
}

int tessera_outer_frame(PyObject** code, int* offset, int (*is_inner)(PyObject* code)) {
  for (_PyInterpreterFrame* frame = innermost(); frame; frame = frame->previous) {
    if (is_of_interpreter(frame)) continue;
    read_frame(frame, code, offset);
    if (*code && PyCode_Check(*code) && !is_inner(*code)) return 1;
  }
  return 0;
}
