#include "tessera/bind/kernel/collector.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/kernel/call_arguments.h"
#include "tessera/bind/kernel/container_image.h"
#include "tessera/bind/kernel/host_calls.h"

namespace tessera::bind {

namespace {

/// What is found by where it lies.
struct Found {
  enum class Kind : uint8_t { array, numpy, text };
  uintptr_t begin, end;  // bytes; the end may be an address, too
  uintptr_t furthest;    // of it and those before
  size_t number;
  uintptr_t itemsize;
  Kind kind;
  bool is_marked = false;
};

class Collection {
 public:
  explicit Collection(HostCalls& calls) : calls_(calls) {
    for (size_t k = 0; k < calls.arrays.size(); ++k) add_array(k);
    for (size_t k = 0; k < calls.kept.size(); ++k) add_numpy(k);
    for (size_t k = 0; k < calls.texts.kept().size(); ++k) add_text(k);
    std::ranges::sort(found_, {}, &Found::begin);
    uintptr_t furthest = 0;
    for (Found& one : found_) one.furthest = furthest = std::max(furthest, one.end);
    calls.words.begin_marks();
  }

  /// A word of the stack: code may have computed a place a few elements before or behind what it reads.
  void note_root(uintptr_t word) {
    constexpr std::array<intptr_t, 5> around{0, -8, 8, -64, 64};
    for (intptr_t step : around) note(word + static_cast<uintptr_t>(step));
  }
  void note_all(std::span<const int64_t> words) {
    for (int64_t word : words) note(static_cast<uintptr_t>(word));
    follow();
  }
  void follow() {
    while (!open_.empty()) {
      const std::span<const int64_t> words = open_.back();
      open_.pop_back();
      for (int64_t word : words) note(static_cast<uintptr_t>(word));
    }
  }

  void sweep() {
    std::array<std::vector<bool>, 3> is_left{std::vector<bool>(calls_.arrays.size()),
                                             std::vector<bool>(calls_.kept.size()),
                                             std::vector<bool>(calls_.texts.kept().size())};
    for (const Found& one : found_) is_left[static_cast<size_t>(one.kind)][one.number] = one.is_marked;
    keep_only(calls_.arrays, is_left[0]);
    // What goes with objects of Python's may run code of Python's, which then finds all in order.
    std::vector<Object> gone = keep_only(calls_.kept, is_left[1]), texts = keep_only(calls_.texts.kept(), is_left[2]);
    calls_.words.sweep();
    calls_.left_bytes = calls_.words.left();
    for (const Array& array : calls_.arrays)
      calls_.left_bytes += array_overhead + static_cast<size_t>(array.view.size() * array.view.itemsize());
    calls_.left_objects = calls_.kept.size() + calls_.texts.kept().size();
    calls_.array_bytes = 0;
  }

 private:
  void add(Found::Kind kind, size_t number, uintptr_t begin, uintptr_t end, uintptr_t itemsize) {
    found_.push_back({.begin = begin, .end = end, .furthest = 0, .number = number, .itemsize = itemsize, .kind = kind});
  }
  void add_array(size_t k) {
    const Array& array = calls_.arrays[k];
    const auto data = reinterpret_cast<uintptr_t>(Engine::instance().read(array));
    const auto itemsize = static_cast<uintptr_t>(array.view.itemsize());
    add(Found::Kind::array, k, data, data + static_cast<uintptr_t>(array.view.size()) * itemsize, itemsize);
  }
  void add_numpy(size_t k) {
    auto* const array = reinterpret_cast<PyArrayObject*>(calls_.kept[k].get());
    const auto data = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
    const auto itemsize = static_cast<uintptr_t>(PyArray_ITEMSIZE(array));
    const auto [low, high] = view_of_numpy(calls_.kept[k].get(), DType::uint8).byte_range();
    add(Found::Kind::numpy, k, data + static_cast<uintptr_t>(low), data + static_cast<uintptr_t>(high) + itemsize,
        itemsize);
  }
  void add_text(size_t k) {
    PyObject* const text = calls_.texts.kept()[k].get();
    const bool is_bytes = PyBytes_Check(text) != 0;
    const auto data = reinterpret_cast<uintptr_t>(is_bytes ? PyBytes_AS_STRING(text) : PyUnicode_DATA(text));
    const auto size =
        static_cast<uintptr_t>(is_bytes ? PyBytes_GET_SIZE(text) : PyUnicode_GET_LENGTH(text) * PyUnicode_KIND(text));
    add(Found::Kind::text, k, data, data + size, 1);
  }

  void note(uintptr_t word) {
    constexpr uintptr_t word_bytes = sizeof(int64_t);
    // Addresses in bytes, and in elements of this size.
    for (const uintptr_t size : {uintptr_t{1}, word_bytes}) {
      const uintptr_t address = word * size;
      if (!calls_.words.may_hold(address)) continue;
      if (const std::span<const int64_t> inside = calls_.words.mark(address); !inside.empty()) open_.push_back(inside);
    }
    if (found_.empty()) return;
    // A view may have elements of another size than its array: parts of complex numbers, fields of records.
    for (const uintptr_t size : {1, 2, 4, 8, 16}) note_found(word * size);
  }

  void note_found(uintptr_t address) {
    if (address < found_.front().begin || address > found_.back().furthest) return;
    const auto after = std::ranges::upper_bound(found_, address, {}, &Found::begin);
    for (auto at = after; at != found_.begin();) {
      --at;
      if (at->furthest < address) return;
      if (at->is_marked || address > at->end) continue;
      at->is_marked = true;
      const bool may_lead_on = at->kind == Found::Kind::array && calls_.runs_parts && at->itemsize == sizeof(int64_t);
      if (may_lead_on)
        open_.emplace_back(reinterpret_cast<const int64_t*>(at->begin), (at->end - at->begin) / sizeof(int64_t));
    }
  }

  /// Those that are not left.
  template <class Value>
  static std::vector<Value> keep_only(std::vector<Value>& values, const std::vector<bool>& is_left) {
    std::vector<Value> left, gone;
    for (size_t k = 0; k < is_left.size(); ++k) (is_left[k] ? left : gone).push_back(std::move(values[k]));
    values = std::move(left);
    return gone;
  }

  HostCalls& calls_;
  std::vector<Found> found_;  // in order of where they begin
  std::vector<std::span<const int64_t>> open_;
};

/// Calls each(words) of all memory outside of its own that the call may have addresses in.
void visit_given(const HostCalls& calls, const std::function<void(std::span<const int64_t>)>& each) {
  each(calls.results);
  each(calls.frame);
  if (!calls.given) return;
  each(calls.given->words);
  for (const ListMemory& list : calls.given->lists) {
    if (list.image) {
      each(list.image->header_words());
      continue;
    }
    each(list.words);
    each(list.index);
  }
}

}  // namespace

bool is_collection_due(const HostCalls& calls) {
  constexpr size_t least_bytes = size_t{8} << 20, least_objects = 8192;
  if (collects_always()) return true;
  if (calls.words.taken() + calls.array_bytes > std::max(least_bytes, calls.left_bytes)) return true;
  return calls.kept.size() + calls.texts.kept().size() > std::max(least_objects, 2 * calls.left_objects);
}

const void* CallRoots::stack() const { return calls_.state.stack; }
size_t CallRoots::bytes() const { return calls_.left_bytes; }
void CallRoots::collect() const { bind::collect(calls_, StackRoots(calls_.state.stack)); }
void CallRoots::visit(bool is_collected, const std::function<void(std::span<const int64_t>)>& each) const {
  if (is_collected)
    calls_.words.each_marked(each);
  else
    calls_.words.each_block(each);
  visit_given(calls_, each);
}

void collect(HostCalls& calls, const StackRoots& stack) {
  Collection collection(calls);
  stack.visit([&](uintptr_t word) { collection.note_root(word); });
  if (calls.state.stack && calls.state.arena) collection.note_root(calls.state.arena->begin);
  collection.follow();
  visit_given(calls, [&](std::span<const int64_t> words) { collection.note_all(words); });
  collection.sweep();
}

}  // namespace tessera::bind
