#include "tessera/bind/kernel/host_texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/kernel/header_words.h"
#include "tessera/bind/kernel/host_calls.h"
#include "tessera/bind/kernel/list_memory.h"
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

/// Gives an empty list these elements, of a word each.
void fill_list(HostCalls& calls, int64_t header, std::span<const int64_t> elements) {
  int64_t* words = words_at(header);
  const auto count = static_cast<int64_t>(elements.size());
  int64_t* data = calls.heap().words.take(std::max<int64_t>(count, 4), false, false);
  std::ranges::copy(elements, data);
  words[0] = address_of(data);
  words[1] = count;
  words[2] = std::max<int64_t>(count, 4);
}

/// Runs body(first, count) for each word of a text; `is_space(k)` tells where none is.
template <class IsSpace, class Body>
void each_word(int64_t count, const IsSpace& is_space, const Body& body) {
  for (int64_t k = 0; k < count;) {
    while (k < count && is_space(k)) ++k;
    const int64_t first = k;
    while (k < count && !is_space(k)) ++k;
    if (k > first) body(first, k - first);
  }
}

/// Whether each character below 256 is one of those between words.
const std::array<bool, 256>& narrow_spaces() {
  static const std::array<bool, 256> spaces = [] {
    std::array<bool, 256> made{};
    for (uint32_t c = 0; c < made.size(); ++c) made[c] = Py_UNICODE_ISSPACE(c) != 0;
    return made;
  }();
  return spaces;
}

void split(HostCalls& calls, int64_t header, int64_t list) {
  const int64_t* text = words_at(header);
  const int64_t count = text[TextMemory::count_word];
  std::vector<int64_t> words;
  if (text[TextMemory::width_word] != 1) {
    each_word(
        count, [&](int64_t k) { return Py_UNICODE_ISSPACE(text_character(text, k)) != 0; },
        [&](int64_t first, int64_t size) {
          words.push_back(calls.heap().texts.add_part(text, first, size, calls.heap().words));
        });
    return fill_list(calls, list, words);
  }
  const uint8_t* bytes = text_characters(text);
  const std::array<bool, 256>& spaces = narrow_spaces();
  const auto is_space = [&](int64_t k) { return spaces[bytes[k]]; };
  int64_t found = 0;
  each_word(count, is_space, [&](int64_t, int64_t) { ++found; });
  constexpr int64_t each = TextMemory::hash_word + 1;
  int64_t* headers = calls.heap().words.take(std::max<int64_t>(1, found) * each, false, false);
  words.reserve(static_cast<size_t>(found));
  each_word(count, is_space, [&](int64_t first, int64_t size) {
    headers[TextMemory::characters_word] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(bytes + first));
    headers[TextMemory::count_word] = size;
    headers[TextMemory::width_word] = 1;
    headers[TextMemory::hash_word] = hash_of_bytes(bytes + first, static_cast<size_t>(size));
    words.push_back(address_of(headers));
    headers += each;
  });
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
