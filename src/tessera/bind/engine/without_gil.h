/// WithoutGil: long work outside of Python; WithGil: Python, asked by any thread.
#pragma once

#include <Python.h>

#include <cxxabi.h>
#include <unistd.h>

#include <cstdint>

#include "tessera/base/mutex.h"

namespace tessera::bind {

/// Takes the GIL again. Where the interpreter has ended meanwhile, CPython before 3.14 ends the thread by unwinding its
/// stack, which must not leave a destructor: such a thread sleeps here until the process ends, as it does in 3.14.
inline void take_gil_again(PyThreadState* state) {
  assert_nothing_locked("the GIL is taken again");
  try {
    PyEval_RestoreThread(state);
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// The GIL is free for its lifetime.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { take_gil_again(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// This thread has the GIL for its lifetime, whether it had it before or not. Python may let other threads run: nothing
/// may be locked.
class WithGil {
 public:
  WithGil() : state_(ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  static PyGILState_STATE ensure() {
    assert_nothing_locked("the GIL is taken");
    return PyGILState_Ensure();
  }

  PyGILState_STATE state_;
};

/// Runs a library routine without the GIL when there is enough work. Arrays must be created, read and dropped with the
/// GIL held: it is the engine's lock.
template <class F>
void without_gil(int64_t elements, F&& routine) {
  constexpr int64_t small_work = 8192;  // below this, releasing the GIL costs more than it saves
  if (elements < small_work) return routine();
  const WithoutGil release;
  routine();
}

}  // namespace tessera::bind
