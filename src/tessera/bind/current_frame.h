/* The running Python frame's code object and instruction, without making a frame object. */
#pragma once

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The code object (borrowed; no code object below the first Python frame) and the byte offset of the instruction that runs;
   0 when nothing runs. */
int tessera_current_frame(PyObject** code, int* offset);
/* The same for the innermost frame whose code `is_inner` denies. */
int tessera_outer_frame(PyObject** code, int* offset, int (*is_inner)(PyObject* code));

#ifdef __cplusplus
}
#endif
