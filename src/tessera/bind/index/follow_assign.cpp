#include "tessera/bind/index/follow_assign.h"

#include "tessera/bind/convert/number_element.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/ufunc/plain_binary.h"

namespace tessera::bind {

namespace {

/// Whether storing the number may overflow, which is reported when it is stored.
bool is_narrowed(PyObject* number, DType dtype) { return PyFloat_CheckExact(number) && dtype == DType::float32; }

}  // namespace

bool try_follow_assign(const Array& target, PyObject* value) {
  const Array* source = exact_array(value);
  Scalar scalar;
  if (source ? source->dtype() != target.dtype()
             : is_narrowed(value, target.dtype()) || !to_element(value, target.dtype(), scalar))
    return false;
  const ErrorState state = error_state();
  if (!may_wait(state)) return false;
  if (!Engine::instance().follow_write(target, source, scalar, {call_site(), state})) return false;
  deliver_reports();
  return true;
}

}  // namespace tessera::bind
