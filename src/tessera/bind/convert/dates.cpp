#include "tessera/bind/convert/dates.h"

#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

using kernel::TimeUnit;
using kernel::Unit;

namespace {

Unit unit_of(bool is_date, const PyArray_DatetimeMetaData& meta) {
  if (meta.num != 1 && meta.base != NPY_FR_GENERIC) return 0;
  const auto unit = static_cast<TimeUnit>(meta.base);
  return is_date ? kernel::unit_of_dates(unit) : kernel::unit_of_spans(unit);
}

bool is_datelike(int type_number) { return type_number == NPY_DATETIME || type_number == NPY_TIMEDELTA; }

}  // namespace

Unit unit_of_descriptor(PyObject* object) {
  auto* descriptor = reinterpret_cast<PyArray_Descr*>(object);
  if (!is_datelike(descriptor->type_num) || !is_native(object)) return 0;
  const auto* data = reinterpret_cast<PyArray_DatetimeDTypeMetaData*>(PyDataType_C_METADATA(descriptor));
  return data ? unit_of(descriptor->type_num == NPY_DATETIME, data->meta) : Unit{0};
}

Unit unit_of_number(PyObject* scalar, int64_t& value) {
  const bool is_date = PyArray_IsScalar(scalar, Datetime);
  if (!is_date && !PyArray_IsScalar(scalar, Timedelta)) return 0;
  // Both have the same members.
  const auto* date = reinterpret_cast<PyDatetimeScalarObject*>(scalar);
  value = date->obval;
  return unit_of(is_date, date->obmeta);
}

PyObject* descriptor_of(Unit unit) {
  Object name = owned(PyUnicode_FromString(kernel::name_of_unit(unit).c_str()));
  PyArray_Descr* made = nullptr;
  if (!PyArray_DescrConverter(name.get(), &made)) throw ErrorAlreadySet();
  return reinterpret_cast<PyObject*>(made);
}

PyObject* make_date(Unit unit, int64_t value) {
  const Object descriptor = owned(descriptor_of(unit));
  return checked(PyArray_Scalar(&value, reinterpret_cast<PyArray_Descr*>(descriptor.get()), nullptr));
}

PyObject* as_dates(Unit unit, PyObject* object) {
  if (!PyArray_Check(object)) return Py_NewRef(object);
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  if (unit_of_descriptor(reinterpret_cast<PyObject*>(PyArray_DESCR(array))) == unit) return Py_NewRef(object);
  PyObject* descriptor = unit ? descriptor_of(unit) : from_dtype(DType::int64);
  return checked(PyArray_View(array, reinterpret_cast<PyArray_Descr*>(descriptor), nullptr));
}

}  // namespace tessera::bind
