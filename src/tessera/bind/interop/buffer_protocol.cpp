#include <Python.h>

#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/ndarray_slots.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/interop/pin.h"

namespace tessera::bind {

namespace {

/// The data that one exported buffer points to; freed with the buffer.
struct Export {
  Dims shape;
  Dims strides;
  Object pin;
};

/// The format code of the struct module for a dtype.
const char* struct_format(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "?";
    case DType::int8: return "b";
    case DType::uint8: return "B";
    case DType::int16: return "h";
    case DType::uint16: return "H";
    case DType::int32: return "i";
    case DType::uint32: return "I";
    case DType::int64: return "l";
    case DType::uint64: return "L";
    case DType::float16: return "e";
    case DType::float32: return "f";
    case DType::float64: return "d";
    case DType::complex64: return "Zf";
    case DType::complex128: return "Zd";
    case DType::bfloat16: break;
  }
  throw ValueError("cannot include dtype 'E' in a buffer");
}

void check_request(const NdArray* self, int flags) {
  const View& view = self->array.view;
  require<ValueError>(!(flags & PyBUF_WRITABLE) || self->writeable, "buffer source array is read-only");
  bool c = view.is_c_contiguous();
  bool f = view.is_f_contiguous();
  require<ValueError>((flags & PyBUF_C_CONTIGUOUS) != PyBUF_C_CONTIGUOUS || c, "ndarray is not C-contiguous");
  require<ValueError>((flags & PyBUF_F_CONTIGUOUS) != PyBUF_F_CONTIGUOUS || f, "ndarray is not Fortran contiguous");
  require<ValueError>((flags & PyBUF_ANY_CONTIGUOUS) != PyBUF_ANY_CONTIGUOUS || c || f, "ndarray is not contiguous");
  require<ValueError>((flags & PyBUF_STRIDES) == PyBUF_STRIDES || c, "ndarray is not C-contiguous");
}

/// An array without elements has the strides that NumPy gives it: Python's memoryview takes others for gaps.
Dims exported_strides(const View& view) {
  if (view.size() > 0) return view.strides;
  std::vector<int64_t> strides(view.shape.size());
  int64_t step = view.itemsize();
  for (size_t axis = strides.size(); axis-- > 0; step *= view.shape[axis]) strides[axis] = step;
  return Dims(std::span<const int64_t>(strides));
}

int get_buffer(PyObject* object, Py_buffer* buffer, int flags) {
  buffer->obj = nullptr;
  return guarded(
      [&] {
        NdArray* self = as_ndarray(object);
        check_request(self, flags);
        const View& view = self->array.view;
        const char* format = struct_format(view.dtype);
        // Consumers take any error for a missing buffer and then ask in other ways, which throw what it is.
        if (at_next_wait && next_wait_throws()) throw BufferError("a kernel that was launched has failed");
        auto exported =
            std::make_unique<Export>(Export{view.shape, exported_strides(view), Object(make_pin(self->array))});
        bool wants_shape = (flags & PyBUF_ND) == PyBUF_ND;
        buffer->buf = const_cast<char*>(synchronise(self->array));
        buffer->len = view.size() * view.itemsize();
        buffer->itemsize = view.itemsize();
        buffer->readonly = !self->writeable;
        buffer->ndim = wants_shape ? view.ndim() : 1;
        buffer->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
        buffer->shape = wants_shape ? reinterpret_cast<Py_ssize_t*>(exported->shape.data()) : nullptr;
        buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES
                              ? reinterpret_cast<Py_ssize_t*>(exported->strides.data())
                              : nullptr;
        buffer->suboffsets = nullptr;
        buffer->internal = exported.release();
        buffer->obj = Py_NewRef(object);
        return 0;
      },
      -1);
}

void release_buffer(PyObject*, Py_buffer* buffer) { std::unique_ptr<Export>(static_cast<Export*>(buffer->internal)); }

}  // namespace

PyBufferProcs buffer_slots = {.bf_getbuffer = get_buffer, .bf_releasebuffer = release_buffer};

}  // namespace tessera::bind
