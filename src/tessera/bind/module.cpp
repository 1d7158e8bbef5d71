#include <nanobind/nanobind.h>

#include <cstdlib>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/function/fft.h"
#include "tessera/bind/function/linalg.h"
#include "tessera/bind/function/native_function.h"
#include "tessera/bind/host/host_routines.h"
#include "tessera/bind/interop/pin.h"
#include "tessera/bind/random/random.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/runtime/host/thread_start.h"

namespace tessera::bind {

namespace {

/// Bound functions may throw engine errors and ErrorAlreadySet; nanobind calls this to convert them.
void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const nanobind::builtin_exception&) {
    throw;
  } catch (...) {
    set_python_error();
  }
}

}  // namespace

NB_MODULE(_core, m) {
  runtime::make_thread_storage();
  // What the interpreter keeps when it ends says nothing to users.
  nanobind::set_leak_warnings(std::getenv("TESSERA_LEAKS") != nullptr);
  try {
    import_numpy();
    load_dtypes();
    load_pin_type();
    load_ndarray_type(m.ptr());
    load_lazy_types(m.ptr());
  } catch (const ErrorAlreadySet&) {
    throw nanobind::python_error();
  }
  nanobind::register_exception_translator(translate);
  bind_flags(m);
  bind_flat_iterator(m);
  bind_creation(m);
  bind_array_functions(m);
  bind_dlpack(m);
  bind_engine(m);
  bind_devices(m);
  bind_ranks(m);
  bind_types(m);
  bind_kernels(m);
  bind_frames(m);
  bind_networks(m);
  bind_sources(m);
  bind_quick(m);
  bind_native_function(m);
  bind_fft(m);
  bind_linalg(m);
  bind_host_routines(m);
  bind_routine_functions(m);
  bind_random(m);
  bind_ufuncs(m);
}

}  // namespace tessera::bind
