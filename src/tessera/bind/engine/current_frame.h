/* Access to the running Python frame's code object and instruction without creating a frame object, and to the
   variables of its context. */
#pragma once

#include <Python.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A site is a code object's address in 48 bits and the number of an instruction in 16 bits. */
enum { tessera_site_bits = 16, tessera_code_slots = 64 };
static inline uint64_t tessera_site(PyObject* code, int offset) {
  return (uint64_t)(uintptr_t)code << tessera_site_bits | ((unsigned)offset / 2 & 0xFFFF);
}
static inline unsigned tessera_code_slot(PyObject* code) {
  return (unsigned)((uintptr_t)code >> 6) % tessera_code_slots;
}

/* The running site, if its code object is in its slot of the table `known`; else 0. */
uint64_t tessera_known_site(PyObject* const* known);
/* Finds the innermost frame with a Python code object for which `is_inner` returns 0: stores the code object (borrowed)
   and the byte offset of the running instruction, and returns 1. Returns 0 when there is no such frame. */
int tessera_outer_frame(PyObject** code, int* offset, int (*is_inner)(PyObject* code));
/* The map of the values of the context variables (borrowed); null without a context. A map is immutable: setting a
   variable creates another map. */
PyObject* tessera_context_variables(void);

#ifdef __cplusplus
}
#endif
