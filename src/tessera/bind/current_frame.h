/* The running Python frame's code object and instruction, without making a frame object; and its context's variables.
 */
#pragma once

#include <Python.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A site is a code object's address and the number of an instruction: 48 and 16 bits. */
enum { tessera_site_bits = 16, tessera_code_slots = 64 };
static inline uint64_t tessera_site(PyObject* code, int offset) {
  return (uint64_t)(uintptr_t)code << tessera_site_bits | ((unsigned)offset / 2 & 0xFFFF);
}
static inline unsigned tessera_code_slot(PyObject* code) {
  return (unsigned)((uintptr_t)code >> 6) % tessera_code_slots;
}

/* The site that runs, if its code lies in its slot of `known`; else 0. */
uint64_t tessera_known_site(PyObject* const* known);
/* The code object (borrowed; no code object below the first Python frame) and the byte offset of the instruction that
   runs, in the innermost frame whose code `is_inner` denies; 0 when there is none. */
int tessera_outer_frame(PyObject** code, int* offset, int (*is_inner)(PyObject* code));
/* The map of what the context variables stand for (borrowed); no context: null. A map never changes: whoever sets a
   variable makes another one. */
PyObject* tessera_context_variables(void);

#ifdef __cplusplus
}
#endif
