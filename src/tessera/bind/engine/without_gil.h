/// without_gil: long work outside of Python.
#pragma once

#include <Python.h>

#include <cstdint>

namespace tessera::bind {

/// Runs a library routine without the GIL when there is enough work. Arrays must be created, read and dropped with the
/// GIL held: it is the engine's lock.
template <class F>
void without_gil(int64_t elements, F&& routine) {
  constexpr int64_t small_work = 8192;  // below this, releasing the GIL costs more than it saves
  if (elements < small_work) return routine();
  struct Release {
    PyThreadState* state = PyEval_SaveThread();
    ~Release() { PyEval_RestoreThread(state); }
  } release;
  routine();
}

}  // namespace tessera::bind
