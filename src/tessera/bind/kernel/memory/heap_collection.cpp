#include "tessera/bind/kernel/memory/heap_collection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

namespace {

/// Those that are not left.
template <class Value>
std::vector<Value> keep_only(std::vector<Value>& values, const std::vector<bool>& is_left) {
  std::vector<Value> left, gone;
  for (size_t k = 0; k < is_left.size(); ++k) (is_left[k] ? left : gone).push_back(std::move(values[k]));
  values = std::move(left);
  return gone;
}

}  // namespace

bool CallMemory::is_collection_due() const {
  constexpr size_t least_bytes = size_t{8} << 20, least_objects = 8192;
  if (words.taken() + array_bytes > std::max(least_bytes, left_bytes)) return true;
  return kept.size() + texts.kept().size() > std::max(least_objects, 2 * left_objects);
}

HeapCollection::HeapCollection(CallMemory& memory, bool arrays_lead_on)
    : memory_(memory), arrays_lead_on_(arrays_lead_on) {
  for (size_t k = 0; k < memory.arrays.size(); ++k) add_array(k);
  for (size_t k = 0; k < memory.kept.size(); ++k) add_numpy(k);
  for (size_t k = 0; k < memory.texts.kept().size(); ++k) add_text(k);
  std::ranges::sort(found_, {}, &Found::begin);
  uintptr_t furthest = 0;
  for (Found& one : found_) one.furthest = furthest = std::max(furthest, one.end);
  memory.words.begin_marks();
}

void HeapCollection::note_root(uintptr_t word) {
  constexpr std::array<intptr_t, 5> around{0, -8, 8, -64, 64};
  for (intptr_t step : around) note(word + static_cast<uintptr_t>(step));
}

std::span<const int64_t> HeapCollection::next_open() {
  if (open_.empty()) return {};
  const std::span<const int64_t> words = open_.back();
  open_.pop_back();
  return words;
}

void HeapCollection::follow() {
  while (!open_.empty())
    for (int64_t word : next_open()) note(static_cast<uintptr_t>(word));
}

void HeapCollection::sweep() {
  std::array<std::vector<bool>, 3> is_left{std::vector<bool>(memory_.arrays.size()),
                                           std::vector<bool>(memory_.kept.size()),
                                           std::vector<bool>(memory_.texts.kept().size())};
  for (const Found& one : found_) is_left[static_cast<size_t>(one.kind)][one.number] = one.is_marked;
  keep_only(memory_.arrays, is_left[0]);
  // What goes with objects of Python's may run code of Python's, which then finds all in order.
  std::vector<Object> gone = keep_only(memory_.kept, is_left[1]), texts = keep_only(memory_.texts.kept(), is_left[2]);
  memory_.words.sweep();
  memory_.left_bytes = memory_.words.left();
  for (const Array& array : memory_.arrays)
    memory_.left_bytes += array_overhead + static_cast<size_t>(array.view.size() * array.view.itemsize());
  memory_.left_objects = memory_.kept.size() + memory_.texts.kept().size();
  memory_.array_bytes = 0;
}

void HeapCollection::add(Found::Kind kind, size_t number, uintptr_t begin, uintptr_t end, uintptr_t itemsize) {
  found_.push_back({.begin = begin, .end = end, .furthest = 0, .number = number, .itemsize = itemsize, .kind = kind});
}

void HeapCollection::add_array(size_t k) {
  const Array& array = memory_.arrays[k];
  const auto data = reinterpret_cast<uintptr_t>(Engine::instance().read(array));
  const auto itemsize = static_cast<uintptr_t>(array.view.itemsize());
  add(Found::Kind::array, k, data, data + static_cast<uintptr_t>(array.view.size()) * itemsize, itemsize);
}

void HeapCollection::add_numpy(size_t k) {
  auto* const array = reinterpret_cast<PyArrayObject*>(memory_.kept[k].get());
  const auto data = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
  const auto itemsize = static_cast<uintptr_t>(PyArray_ITEMSIZE(array));
  const auto [low, high] = view_of_numpy(memory_.kept[k].get(), DType::uint8).byte_range();
  add(Found::Kind::numpy, k, data + static_cast<uintptr_t>(low), data + static_cast<uintptr_t>(high) + itemsize,
      itemsize);
}

void HeapCollection::add_text(size_t k) {
  PyObject* const text = memory_.texts.kept()[k].get();
  const bool is_bytes = PyBytes_Check(text) != 0;
  const auto data = reinterpret_cast<uintptr_t>(is_bytes ? PyBytes_AS_STRING(text) : PyUnicode_DATA(text));
  const auto size =
      static_cast<uintptr_t>(is_bytes ? PyBytes_GET_SIZE(text) : PyUnicode_GET_LENGTH(text) * PyUnicode_KIND(text));
  add(Found::Kind::text, k, data, data + size, 1);
}

void HeapCollection::note(uintptr_t word) {
  constexpr uintptr_t word_bytes = sizeof(int64_t);
  // Addresses in bytes, and in elements of this size.
  for (const uintptr_t size : {uintptr_t{1}, word_bytes}) {
    const uintptr_t address = word * size;
    if (!memory_.words.may_hold(address)) continue;
    if (const std::span<const int64_t> inside = memory_.words.mark(address); !inside.empty()) open_.push_back(inside);
  }
  if (found_.empty()) return;
  // A view may have elements of another size than its array: parts of complex numbers, fields of records.
  for (const uintptr_t size : {1, 2, 4, 8, 16}) note_found(word * size);
}

void HeapCollection::note_found(uintptr_t address) {
  if (address < found_.front().begin || address > found_.back().furthest) return;
  const auto after = std::ranges::upper_bound(found_, address, {}, &Found::begin);
  for (auto at = after; at != found_.begin();) {
    --at;
    if (at->furthest < address) return;
    if (at->is_marked || address > at->end) continue;
    at->is_marked = true;
    const bool may_lead_on = at->kind == Found::Kind::array && arrays_lead_on_ && at->itemsize == sizeof(int64_t);
    if (may_lead_on)
      open_.emplace_back(reinterpret_cast<const int64_t*>(at->begin), (at->end - at->begin) / sizeof(int64_t));
  }
}

}  // namespace tessera::bind
