#include "tessera/kernel/source/parameters.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::kernel {

namespace {

constexpr int64_t pointer_bytes = 8;

/// Whether an integer keeps its value in another integer type.
bool fits(const Scalar& value, DType dtype) {
  const Scalar cast = value.cast_to(dtype);
  const bool was_negative = !is_unsigned_integer(value.dtype) && value.as_int() < 0;
  const bool is_negative = !is_unsigned_integer(dtype) && cast.as_int() < 0;
  return cast.cast_to(value.dtype) == value && was_negative == is_negative;
}

DType integer_of(int64_t nbytes, bool is_signed) {
  switch (nbytes) {
    case 1: return is_signed ? DType::int8 : DType::uint8;
    case 2: return is_signed ? DType::int16 : DType::uint16;
    case 4: return is_signed ? DType::int32 : DType::uint32;
    default: return is_signed ? DType::int64 : DType::uint64;
  }
}

std::string text_of_number(const Scalar& value) {
  if (is_complex(value.dtype)) return format("{}{}j", value.as_complex().real(), value.as_complex().imag());
  if (is_floating(value.dtype)) return format("{}", value.as_double());
  return value.dtype == DType::uint64 ? format("{}", static_cast<uint64_t>(value.as_int()))
                                      : format("{}", value.as_int());
}

std::string describe_number(const GivenNumber& given) {
  const DType dtype = given.value.dtype;
  if (!given.is_weak) return format("numpy.{}({})", name(dtype), text_of_number(given.value));
  return text_of_number(given.value);
}

}  // namespace

KernelParameters::KernelParameters(std::string kernel, std::optional<DeclaredKernel> declared,
                                   std::optional<std::vector<int64_t>> sizes)
    : kernel_(std::move(kernel)) {
  if (declared && sizes && declared->parameters.size() != sizes->size()) declared.reset();
  is_known_ = declared || sizes;
  if (!is_known_) return;
  parameters_.resize(declared ? declared->parameters.size() : sizes->size());
  if (declared) most_threads_ = declared->most_threads;
  for (size_t k = 0; k < parameters_.size(); ++k) {
    Parameter& parameter = parameters_[k];
    if (declared) {
      parameter.name = declared->parameters[k].name;
      parameter.type = declared->parameters[k].type;
      parameter.nbytes = parameter.type.is_pointer ? pointer_bytes : parameter.type.nbytes();
      parameter.has_type = parameter.nbytes > 0;
    }
    if (!sizes) continue;
    if (parameter.nbytes != (*sizes)[k]) {
      parameter.has_type = false;
      if (parameter.nbytes > 0) parameter.type = {};  // a name that stands for something else
    }
    parameter.nbytes = (*sizes)[k];
  }
}

bool KernelParameters::takes_address(size_t k) const {
  if (!is_known_) return false;
  return parameters_[k].has_type && parameters_[k].type.is_pointer;
}

std::string KernelParameters::describe(size_t k) const {
  if (!is_known_) return "";
  const Parameter& parameter = parameters_[k];
  std::string text = parameter.type.text;
  if (text.empty()) text = parameter.nbytes > 0 ? format("{} bytes", parameter.nbytes) : "";
  if (!parameter.name.empty()) text += " " + parameter.name;
  return text;
}

std::string KernelParameters::describe_all() const {
  std::string text;
  for (size_t k = 0; k < parameters_.size(); ++k) text += (k ? ", " : "") + describe(k);
  return text;
}

std::string KernelParameters::place(size_t k) const {
  const std::string what = describe(k);
  return format("{}: argument {}{}", kernel_, k + 1, what.empty() ? "" : " (" + what + ")");
}

void KernelParameters::check_count(size_t given) const {
  if (!is_known_ || given == size()) return;
  throw TypeError(format("{} takes {} argument{} ({}); {} {} given", kernel_, size(), size() == 1 ? "" : "s",
                         describe_all(), given, given == 1 ? "is" : "are"));
}

void KernelParameters::refuse(size_t k, std::string_view what) const {
  const Parameter none;
  const Parameter& parameter = is_known_ ? parameters_[k] : none;
  if (parameter.type.is_texture)
    throw NotImplementedError(
        format("{} is a texture or surface, which launches do not pass: read the array through a pointer", place(k)));
  throw TypeError(format("{} takes {}, not {}", place(k),
                         parameter.type.is_pointer ? "an array"
                         : is_number(k)            ? "a number"
                                                   : "a number, an array or a NumPy structure",
                         what));
}

bool KernelParameters::is_number(size_t k) const {
  return is_known_ && parameters_[k].has_type && !parameters_[k].type.is_pointer;
}

void KernelParameters::check_array(size_t k, const View& view) const {
  if (is_known_) {
    const Parameter& parameter = parameters_[k];
    if (is_number(k) || (parameter.nbytes > 0 && parameter.nbytes != pointer_bytes) || parameter.type.is_texture)
      refuse(k, format("an array of {} axes of {}", view.ndim(), name(view.dtype)));
    const SourceType& type = parameter.type;
    if (type.is_pointer && !type.takes_array(view.dtype))
      throw TypeError(format("{} takes an array of {}, not of {}", place(k), name(*type.element), name(view.dtype)));
  }
  if (view.is_c_contiguous() || view.is_f_contiguous()) return;
  throw ValueError(
      format("{}: the elements of the array, a view with gaps or in another order, do not follow one another in "
             "memory, and the kernel would read others: pass a contiguous copy",
             place(k)));
}

void KernelParameters::put_number(size_t k, const GivenNumber& given, char* to) const {
  if (!is_known_) return put_untyped(k, given, to);
  const Parameter& parameter = parameters_[k];
  if (parameter.type.is_texture || parameter.type.is_pointer) refuse(k, describe_number(given));
  if (parameter.has_type && parameter.type.lanes == 1) return put_typed(k, *parameter.type.element, given, to);
  put_untyped(k, given, to);
}

void KernelParameters::put_typed(size_t k, DType dtype, const GivenNumber& given, char* to) const {
  const Scalar& value = given.value;
  const bool is_whole = is_integer(value.dtype) || is_boolean(value.dtype);
  const bool wants_whole = is_integer(dtype) || is_boolean(dtype);
  const auto wrong = [&](const char* advice) {
    throw TypeError(format("{} takes {}, not {}: {}", place(k), name(dtype), describe_number(given), advice));
  };
  if (!given.is_weak && value.dtype != dtype) {
    const bool are_alike = is_whole && wants_whole && itemsize(value.dtype) == itemsize(dtype);
    if (!are_alike) wrong(format("pass numpy.{}(...) or a number of Python's", name(dtype)).c_str());
  }
  if (wants_whole && !is_whole) wrong("convert it with int(...)");
  if (is_complex(value.dtype) && !is_complex(dtype)) wrong("its imaginary part would be lost");
  if (is_integer(dtype) && given.is_weak && !fits(value, dtype))
    throw OverflowError(format("{}: {} does not fit {}", place(k), text_of_number(value), name(dtype)));
  const Scalar cast = value.cast_to(dtype);
  std::memcpy(to, cast.bytes, static_cast<size_t>(itemsize(dtype)));
}

/// The size is all that is known, or not even that: then numbers are passed as CuPy does, in 8 bytes.
void KernelParameters::put_untyped(size_t k, const GivenNumber& given, char* to) const {
  const int64_t known = nbytes(k);
  const Scalar& value = given.value;
  DType dtype = value.dtype;
  if (given.is_weak && known > 0) {
    if (is_boolean(dtype) || is_integer(dtype)) {
      dtype = integer_of(known, true);
      if (known <= 8 && !fits(value, dtype) && fits(value, integer_of(known, false))) dtype = integer_of(known, false);
      if (!fits(value, dtype))
        throw OverflowError(format("{}: {} does not fit {} bytes", place(k), text_of_number(value), known));
    } else if (is_floating(dtype)) {
      dtype = known == 4 ? DType::float32 : known == 2 ? DType::float16 : DType::float64;
    } else if (known == 8) {
      dtype = DType::complex64;
    }
  }
  if (known > 0 && itemsize(dtype) != known)
    throw TypeError(format("{} has {} bytes, and {} has {}", place(k), known, describe_number(given), itemsize(dtype)));
  const Scalar cast = value.cast_to(dtype);
  std::memcpy(to, cast.bytes, static_cast<size_t>(itemsize(dtype)));
}

void KernelParameters::check_bytes(size_t k, int64_t nbytes, std::string_view what) const {
  if (!is_known_) return;
  const Parameter& parameter = parameters_[k];
  if (parameter.type.is_pointer) refuse(k, what);
  require<TypeError>(parameter.nbytes == 0 || parameter.nbytes == nbytes, "{} has {} bytes, and {} has {}", place(k),
                     parameter.nbytes, what, nbytes);
}

}  // namespace tessera::kernel
