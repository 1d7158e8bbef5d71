#include "tessera/bind/kernel/host/host_texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/kernel/host/host_calls.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/list_memory.h"
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/options.h"

namespace tessera::bind {

using kernel::HostText;
using kernel::HostTextOf;

namespace {

struct Constants {
  Mutex mutex;
  TextMemory memory;
  std::unordered_map<int64_t, int64_t> known;

  int64_t find(int64_t number) {
    const std::scoped_lock lock(mutex);
    const auto found = known.find(number);
    return found == known.end() ? 0 : found->second;
  }
  int64_t add(int64_t number, PyObject* text) {
    const std::scoped_lock lock(mutex);
    const auto [place, is_new] = known.emplace(number, 0);
    if (is_new) place->second = memory.add(text);
    return place->second;
  }
};

/// The text of this number, which stays.
int64_t constant(int64_t number) {
  static Constants& constants = *new Constants;
  if (const int64_t known = constants.find(number)) return known;
  const std::string& text = kernel::interned_text(number);
  const Object object = owned(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  return constants.add(number, object.get());
}

/// Of bytes, whose characters are their own.
struct ConstantBytes {
  struct Entry {
    std::string bytes;
    std::array<int64_t, 4> header;
  };
  Mutex mutex;
  std::unordered_map<int64_t, Entry> known;

  int64_t find_or_add(int64_t number, const std::string& bytes) {
    const std::scoped_lock lock(mutex);
    const auto [place, is_new] = known.try_emplace(number, Entry{bytes, {}});
    Entry& entry = place->second;
    if (is_new)
      entry.header = {static_cast<int64_t>(reinterpret_cast<uintptr_t>(entry.bytes.data())),
                      static_cast<int64_t>(bytes.size()), 1, 0};
    return address_of(entry.header.data());
  }
};

int64_t constant_bytes(int64_t number) {
  static ConstantBytes& constants = *new ConstantBytes;
  return constants.find_or_add(number, kernel::interned_text(number));
}

int64_t compare(const int64_t* left, const int64_t* right) {
  if (left[TextMemory::width_word] == 1 && right[TextMemory::width_word] == 1) {
    const int64_t both = std::min(left[TextMemory::count_word], right[TextMemory::count_word]);
    const int order = std::memcmp(text_characters(left), text_characters(right), static_cast<size_t>(both));
    if (order != 0) return order < 0 ? -1 : 1;
  } else {
    for (int64_t k = 0; k < std::min(left[TextMemory::count_word], right[TextMemory::count_word]); ++k) {
      const uint32_t x = text_character(left, k), y = text_character(right, k);
      if (x != y) return x < y ? -1 : 1;
    }
  }
  return left[TextMemory::count_word] < right[TextMemory::count_word]
             ? -1
             : left[TextMemory::count_word] > right[TextMemory::count_word];
}

int64_t part(HostCalls& calls, const int64_t* operands) {
  const int64_t* text = words_at(operands[0]);
  const int64_t lower = operands[1], upper = operands[2], step = operands[3];
  if (step == 1)
    return calls.heap().texts.add_part(text, lower, std::max<int64_t>(0, upper - lower), calls.heap().words);
  std::vector<uint32_t> chosen;
  for (int64_t k = lower; step < 0 ? k > upper : k < upper; k += step) chosen.push_back(text_character(text, k));
  const Object made =
      owned(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, chosen.data(), static_cast<Py_ssize_t>(chosen.size())));
  return calls.heap().texts.add(made.get(), &calls.heap().words);
}

/// Gives an empty list room for so many elements, of a word each; the first of them.
int64_t* fill_list(HostCalls& calls, int64_t header, int64_t count) {
  int64_t* words = words_at(header);
  const int64_t room = std::max<int64_t>(count, 4);
  int64_t* data = calls.heap().words.take(room, false, false);
  words[0] = address_of(data);
  words[1] = count;
  words[2] = room;
  return data;
}

void fill_list(HostCalls& calls, int64_t header, std::span<const int64_t> elements) {
  std::ranges::copy(elements, fill_list(calls, header, static_cast<int64_t>(elements.size())));
}

/// Whether a character below 256 is one of those between words, as Py_UNICODE_ISSPACE says.
constexpr bool is_narrow_space(uint8_t c) {
  return static_cast<uint8_t>(c - 0x09) < 5 || static_cast<uint8_t>(c - 0x1c) < 5 || c == 0x85 || c == 0xa0;
}

/// The first of the bytes from `at` on that is between words, or the end. Eight at a time are looked at for one that is
/// not above 0x20 or is above 0x7f.
const uint8_t* find_space(const uint8_t* at, const uint8_t* end) {
  constexpr uint64_t each = 0x0101010101010101, high = 0x80 * each;
  while (at + sizeof(uint64_t) <= end) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof(bytes));
    const uint64_t found = ((bytes - 0x21 * each) | bytes) & high;
    if (found == 0) {
      at += sizeof(bytes);
      continue;
    }
    at += std::countr_zero(found) / 8;
    if (is_narrow_space(*at)) return at;
    ++at;
  }
  while (at < end && !is_narrow_space(*at)) ++at;
  return at;
}

/// The same as write_text() where the bytes up to `end` may be read.
int64_t* write_word(int64_t* words, const uint8_t* from, const uint8_t* stop, const uint8_t* end) {
  constexpr int64_t word = sizeof(int64_t);
  const int64_t size = stop - from, rest = size % word;
  if (stop + word > end) return write_text(words, from, size, 1);
  int64_t* own = words + TextMemory::own_word;
  words[TextMemory::characters_word] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(own));
  words[TextMemory::count_word] = size;
  words[TextMemory::width_word] = 1;
  for (; from + word <= stop; from += word) std::memcpy(own++, from, word);
  if (rest == 0) return own;
  uint64_t last = 0;
  std::memcpy(&last, from, word);
  *own = static_cast<int64_t>(last & ((uint64_t{1} << (8 * rest)) - 1));
  return own + 1;
}

/// The words of a text of one byte each, one header with its characters behind the other.
void split_narrow(HostCalls& calls, const uint8_t* at, int64_t count, int64_t list) {
  const uint8_t* const end = at + count;
  int64_t found = count > 0 && !is_narrow_space(*at), inside = found;
  for (int64_t k = 1; k < count; ++k) {
    const bool is_inside = !is_narrow_space(at[k]);
    inside += is_inside;
    found += is_inside && is_narrow_space(at[k - 1]);
  }
  int64_t* element = fill_list(calls, list, found);
  constexpr int64_t word = sizeof(int64_t);
  // No word of it is the address of anything else.
  int64_t* next = calls.heap().words.take(found * words_of_text(word) + inside / word + 1, false, true);
  while (true) {
    while (at < end && is_narrow_space(*at)) ++at;
    if (at == end) return;
    const uint8_t* const stop = find_space(at, end);
    int64_t* const text = std::exchange(next, write_word(next, at, stop, end));
    text[TextMemory::hash_word] = hash_of_words(text + TextMemory::own_word, static_cast<size_t>(stop - at));
    *element++ = address_of(text);
    at = stop;
  }
}

void split(HostCalls& calls, int64_t header, int64_t list) {
  const int64_t* text = words_at(header);
  const int64_t count = text[TextMemory::count_word];
  if (text[TextMemory::width_word] == 1) return split_narrow(calls, text_characters(text), count, list);
  const auto is_space = [&](int64_t k) { return Py_UNICODE_ISSPACE(text_character(text, k)) != 0; };
  std::vector<int64_t> words;
  for (int64_t k = 0; k < count;) {
    while (k < count && is_space(k)) ++k;
    const int64_t first = k;
    while (k < count && !is_space(k)) ++k;
    if (k > first) words.push_back(calls.heap().texts.add_part(text, first, k - first, calls.heap().words));
  }
  fill_list(calls, list, words);
}

Object python_number(HostTextOf kind, int64_t word) {
  switch (kind) {
    case HostTextOf::text: return owned(python_text(word));
    case HostTextOf::integer: return owned(PyLong_FromLongLong(word));
    case HostTextOf::unsigned_integer: return owned(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(word)));
    case HostTextOf::boolean: return owned(PyBool_FromLong(word != 0));
    case HostTextOf::floating: return owned(PyFloat_FromDouble(std::bit_cast<double>(word)));
    case HostTextOf::bytes: return owned(python_bytes(word));
    case HostTextOf::nothing: return Object(Py_NewRef(Py_None));
    case HostTextOf::bytes_list:
    case HostTextOf::list: break;
  }
  const ListElements elements(word);
  Object list = owned(PyList_New(elements.count));
  std::vector<int64_t> one;
  constexpr std::array scalars{DType::int64};
  for (int64_t k = 0; k < elements.count; ++k) {
    elements.read(k, scalars, one);
    PyList_SET_ITEM(list.get(), k, kind == HostTextOf::list ? python_text(one[0]) : python_bytes(one[0]));
  }
  return list;
}

int64_t call_method(HostCalls& calls, const int64_t* operands) {
  const std::string& name = kernel::interned_text(operands[0]);
  const auto kind = static_cast<HostTextOf>(operands[1]);
  const auto count = static_cast<size_t>(operands[2]);
  std::vector<Object> given;
  std::vector<PyObject*> arguments;
  for (size_t k = 0; k < count; ++k) {
    given.push_back(python_number(static_cast<HostTextOf>(operands[3 + 2 * k]), operands[4 + 2 * k]));
    arguments.push_back(given.back().get());
  }
  const Object method = owned(PyUnicode_FromString(name.c_str()));
  const Object result = owned(PyObject_VectorcallMethod(method.get(), arguments.data(), count, nullptr));
  switch (kind) {
    case HostTextOf::text: return calls.heap().texts.add(result.get(), &calls.heap().words);
    case HostTextOf::bytes: return calls.heap().texts.add_bytes(result.get(), &calls.heap().words);
    case HostTextOf::boolean: return PyObject_IsTrue(result.get());
    case HostTextOf::bytes_list:
    case HostTextOf::list: {
      std::vector<int64_t> words;
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(result.get()); ++k) {
        PyObject* const one = PyList_GET_ITEM(result.get(), k);
        CallMemory& heap = calls.heap();
        words.push_back(kind == HostTextOf::list ? heap.texts.add(one, &heap.words)
                                                 : heap.texts.add_bytes(one, &heap.words));
      }
      fill_list(calls, operands[3 + 2 * count], words);
      return 0;
    }
    default: {
      const int64_t value = PyLong_AsLongLong(result.get());
      if (value == -1 && PyErr_Occurred()) throw ErrorAlreadySet();
      return value;
    }
  }
}

}  // namespace

int64_t ask_text(HostCalls& calls, const int64_t* operands) {
  const int64_t* rest = operands + 1;
  switch (static_cast<HostText>(operands[0])) {
    case HostText::constant: return constant(rest[0]);
    case HostText::hash: return hash_of_text(rest[0]);
    case HostText::compare: return compare(words_at(rest[0]), words_at(rest[1]));
    case HostText::part: return part(calls, rest);
    case HostText::split: split(calls, rest[0], rest[1]); return 0;
    case HostText::number: {
      const Object number = python_number(static_cast<HostTextOf>(rest[0]), rest[1]);
      return calls.heap().texts.add(owned(PyObject_Str(number.get())).get(), &calls.heap().words);
    }
    case HostText::method: return call_method(calls, rest);
    case HostText::bytes: return constant_bytes(rest[0]);
    case HostText::element:
      return text_of_element(static_cast<uintptr_t>(rest[0]), rest[1], rest[2], rest[3] != 0, calls.heap().words);
    case HostText::padded:
      return element_of_text(words_at(rest[0]), rest[1], rest[2], rest[3] != 0, calls.heap().words);
    case HostText::code: return text_character(words_at(rest[0]), 0);
    case HostText::of_code:
      return calls.heap().texts.add(owned(PyUnicode_FromOrdinal(static_cast<int>(rest[0]))).get(), &calls.heap().words);
  }
  return 0;
}

}  // namespace tessera::bind
