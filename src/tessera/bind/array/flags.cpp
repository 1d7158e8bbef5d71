#include "tessera/bind/array/flags.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <string>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/errors.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

struct Flags {
  nb::object array;
};

const View& view_of(const Flags& flags) { return as_ndarray(flags.array.ptr())->array.view; }
bool is_c(const Flags& flags) { return view_of(flags).is_c_contiguous(); }
bool is_f(const Flags& flags) { return view_of(flags).is_f_contiguous(); }
bool is_owner(const Flags& flags) { return as_ndarray(flags.array.ptr())->base == nullptr; }
bool is_writeable(const Flags& flags) { return as_ndarray(flags.array.ptr())->writeable; }
bool warns_on_write(const Flags& flags) { return as_ndarray(flags.array.ptr())->warns_on_write; }

/// The value of flags.writeable; also true for read-only arrays that a write makes writeable.
bool may_be_written(const Flags& flags) {
  if (!warns_on_write(flags)) return is_writeable(flags);
  if (PyErr_WarnEx(
          PyExc_FutureWarning,
          "future versions will not create a writeable array from broadcast_array. Set the writable flag explicitly to "
          "avoid this warning.",
          1) < 0) {
    throw nb::python_error();
  }
  return true;
}

void set_warns_on_write(const Flags& flags, bool value) {
  NdArray* array = as_ndarray(flags.array.ptr());
  require<ValueError>(value && (array->writeable || array->warns_on_write),
                      "cannot set '_warn_on_write' flag on a read-only array, or to False");
  array->writeable = false;
  array->warns_on_write = true;
}

bool is_always(const Flags&) { return true; }
bool is_never(const Flags&) { return false; }
bool is_fnc(const Flags& flags) { return is_f(flags) && !is_c(flags); }
bool is_forc(const Flags& flags) { return is_f(flags) || is_c(flags); }
bool is_carray(const Flags& flags) { return is_c(flags) && is_writeable(flags); }
// NumPy requires any of Fortran order, alignment and writeability here, and alignment is always given.
bool is_farray(const Flags& flags) { return !is_c(flags); }

struct Name {
  const char* attribute;
  std::array<std::string_view, 3> keys;
  bool (*get)(const Flags&);
};

constexpr std::array<Name, 14> names{{
    {"c_contiguous", {"C_CONTIGUOUS", "C", "CONTIGUOUS"}, is_c},
    {"f_contiguous", {"F_CONTIGUOUS", "F", "FORTRAN"}, is_f},
    {"owndata", {"OWNDATA", "O", ""}, is_owner},
    {"writeable", {"WRITEABLE", "W", ""}, may_be_written},
    {"aligned", {"ALIGNED", "A", ""}, is_always},
    {"writebackifcopy", {"WRITEBACKIFCOPY", "X", ""}, is_never},
    {"behaved", {"BEHAVED", "B", ""}, is_writeable},
    {"carray", {"CARRAY", "CA", ""}, is_carray},
    {"farray", {"FARRAY", "FA", ""}, is_farray},
    {"fnc", {"FNC", "", ""}, is_fnc},
    {"forc", {"FORC", "", ""}, is_forc},
    {"contiguous", {"", "", ""}, is_c},
    {"fortran", {"", "", ""}, is_f},
    {"_warn_on_write", {"", "", ""}, warns_on_write},
}};

const Name* find_key(std::string_view key) {
  for (const Name& name : names) {
    for (std::string_view candidate : name.keys) {
      if (!candidate.empty() && candidate == key) return &name;
    }
  }
  return nullptr;
}

bool get_item(const Flags& flags, std::string_view key) {
  const Name* name = find_key(key);
  if (!name) throw nb::key_error("Unknown flag");
  return name->get(flags);
}

/// Flags that cannot change may only be set to their current value.
void set_again(const Flags& flags, const Name& name, bool value) {
  require<ValueError>(value == name.get(flags), "cannot set {} flag", name.keys[0]);
}

void set_item(const Flags& flags, std::string_view key, bool value) {
  const Name* name = find_key(key);
  if (!name) throw nb::key_error("Unknown flag");
  if (name->get == may_be_written) return set_writeable(flags.array.ptr(), value);
  set_again(flags, *name, value);
}

int number(const Flags& flags) {
  return (is_c(flags) ? 0x1 : 0) | (is_f(flags) ? 0x2 : 0) | (is_owner(flags) ? 0x4 : 0) | 0x100 |
         (is_writeable(flags) ? 0x400 : 0);
}

std::string text(const Flags& flags) {
  std::string out;
  for (int i = 0; i < 6; ++i) {
    out += "  " + std::string(names[i].keys[0]) + " : " + (names[i].get(flags) ? "True" : "False") + "\n";
  }
  return out;
}

}  // namespace

void set_writeable(PyObject* ndarray, bool writeable) {
  NdArray* self = as_ndarray(ndarray);
  if (writeable && !self->writeable && self->base) {
    // Allowed if any array on the way to the owner is writeable, or if the memory of a foreign owner is.
    bool allowed = false;
    PyObject* base = self->base;
    for (; !allowed && base && is_ndarray(base); base = as_ndarray(base)->base) allowed = as_ndarray(base)->writeable;
    if (base && !is_ndarray(base)) allowed |= self->array.storage->writable;
    require<ValueError>(allowed, "cannot set WRITEABLE flag to True of this array");
  }
  self->writeable = writeable;
  self->warns_on_write = false;
}

void warn_or_refuse(NdArray* array, std::string_view refusal) {
  require<ValueError>(array->warns_on_write, "{}", refusal);
  checked(PyErr_WarnEx(
      PyExc_DeprecationWarning,
      "Numpy has detected that you (may be) writing to an array with\noverlapping memory from np.broadcast_arrays. "
      "If this is intentional\nset the WRITEABLE flag True or make a copy immediately before writing.",
      1));
  array->writeable = true;
  array->warns_on_write = false;
}

PyObject* make_flags(PyObject* ndarray) { return nb::cast(Flags{nb::borrow(ndarray)}).release().ptr(); }

void bind_flags(nb::module_& m) {
  auto cls = nb::class_<Flags>(m, "flagsobj", "How an array's elements lie in memory, and whether they may be written.")
                 .def("__getitem__", get_item)
                 .def("__setitem__", set_item)
                 .def("__repr__", text)
                 .def("__str__", text)
                 .def("__eq__", [](const Flags& a, const Flags& b) { return number(a) == number(b); })
                 .def_prop_ro("num", number);
  for (const Name& name : names) {
    auto get = name.get;
    if (get == may_be_written) {
      cls.def_prop_rw(name.attribute, get, [](const Flags& flags, nb::handle value) {
        const int wanted = PyObject_IsTrue(value.ptr());
        if (wanted < 0) throw nb::python_error();
        set_writeable(flags.array.ptr(), wanted);
      });
    } else if (get == warns_on_write) {
      cls.def_prop_rw(name.attribute, get, set_warns_on_write);
    } else if (get == is_always || get == is_never) {
      cls.def_prop_rw(name.attribute, get, [&name](const Flags& flags, bool value) { set_again(flags, name, value); });
    } else {
      cls.def_prop_ro(name.attribute, get);
    }
  }
}

}  // namespace tessera::bind
