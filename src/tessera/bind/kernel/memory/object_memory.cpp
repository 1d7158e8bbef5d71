#include "tessera/bind/kernel/memory/object_memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/heap_collection.h"
#include "tessera/bind/kernel/memory/stack_roots.h"
#include "tessera/bind/kernel/memory/word_memory.h"
#include "tessera/kernel/values/object/user_class.h"

namespace tessera::bind {

/// The functions that run on this thread, the innermost first.
struct RunningCalls {
  static ObjectsInUse*& innermost() {
    static thread_local ObjectsInUse* last = nullptr;
    return last;
  }
  static const MemoryRoots* call_of(const ObjectsInUse& one) { return one.call_; }
  static ObjectsInUse* outer_of(const ObjectsInUse& one) { return one.outer_; }
};

namespace {

/// In front of an object's words.
struct Header {
  int64_t count : 63;      // a link where the block is free
  uint64_t is_listed : 1;  // among those that are looked at when no function runs
  uint32_t of;             // one more than the class's number, 0 where the block is free
  uint32_t inner;          // of the count, that of fields, in a collection; else 0
};
constexpr int64_t header_words = sizeof(Header) / sizeof(int64_t);

struct State {
  int64_t running = 0;
  bool is_sweeping = false;
  WordMemory blocks{true};
  std::vector<int64_t> objects;    // that were held by nobody
  std::vector<int64_t> contained;  // the same of those that containers may have
  std::vector<KeptMemory*> memory;
  std::multimap<uintptr_t, KeptMemory*> kept;     // by where it begins
  uintptr_t longest = 0;                          // of these
  size_t kept_since = 0;                          // of these, added since the last collection
  size_t kept_bytes = 0;                          // the same in bytes
  std::vector<const MemoryRoots*> waiting;        // of generators
  CallMemory fields;                              // what fields hold of containers and texts
  std::map<int64_t, int> roots;                   // headers there that Python has, and how often
  std::vector<const kernel::UserClass*> classes;  // by Header::of, null where none was needed; classes do not move
};

State& state() {
  static State& all = *new State;
  return all;
}

Header& header_of(int64_t object) { return *(reinterpret_cast<Header*>(words_at(object)) - 1); }
Header& header_in(std::span<int64_t> block) { return *reinterpret_cast<Header*>(block.data()); }
const kernel::UserClass& class_of(uint32_t of) {
  std::vector<const kernel::UserClass*>& all = state().classes;
  if (of >= all.size()) all.resize(of + 1);
  if (!all[of]) all[of] = &kernel::user_class(of - 1);
  return *all[of];
}
int64_t object_of(Header& header) { return address_of(reinterpret_cast<int64_t*>(&header + 1)); }

void note_unheld(int64_t object) {
  Header& header = header_of(object);
  if (header.count > 0 || header.is_listed) return;
  header.is_listed = 1;
  state().objects.push_back(object);
}

void drop_memory(KeptMemory* memory) {
  if (--memory->count == 0 && !std::exchange(memory->is_listed, true)) state().memory.push_back(memory);
}

/// Its fields hold nothing any more.
void empty_object(Header& header) {
  const int64_t* const words = words_at(object_of(header));
  for (const kernel::CountedWord& one : class_of(header.of).counted) {
    const int64_t held = words[one.word];
    if (held == 0) continue;
    if (!one.is_object) {
      drop_memory(reinterpret_cast<KeptMemory*>(held));
    } else if (header_of(held).of != 0) {  // it may have gone with this one
      --header_of(held).count;
      note_unheld(held);
    }
  }
}

void free_object(int64_t object) {
  Header& header = header_of(object);
  empty_object(header);
  const int64_t words = header_words + class_of(header.of).words;
  header.of = 0;
  state().blocks.give(reinterpret_cast<int64_t*>(&header), words);
}

void free_memory(KeptMemory* memory) {
  auto& kept = state().kept;
  for (auto [at, last] = kept.equal_range(memory->begin); at != last; ++at) {
    if (at->second != memory) continue;
    kept.erase(at);
    break;
  }
  delete memory;
}

/// Finds what of all objects, and of memory that no field holds, something leads to.
class ObjectCollection {
 public:
  ObjectCollection() : all_(state()), fields_(all_.fields, true) {
    all_.blocks.begin_marks();
    all_.kept_since = all_.kept_bytes = 0;
    for (KeptMemory* memory : all_.memory)
      if (memory->count == 0) memory_.push_back({memory, 0, false});
    std::ranges::sort(memory_, {}, begin_of);
    uintptr_t furthest = 0;
    for (Unheld& one : memory_) one.furthest = furthest = std::max(furthest, one.memory->end);
    each_object([](Header& header) {
      const int64_t* const words = words_at(object_of(header));
      for (const kernel::CountedWord& one : class_of(header.of).counted)
        if (one.is_object && words[one.word] != 0) ++header_of(words[one.word]).inner;
    });
    // Objects of Python's hold these.
    each_object([this](Header& header) {
      if (header.count > header.inner) mark(reinterpret_cast<uintptr_t>(&header));
      header.inner = 0;
    });
    for (const auto& [header, count] : all_.roots) note(static_cast<uintptr_t>(header));
    follow();
  }

  void note_all(std::span<const int64_t> words) {
    for (int64_t word : words) note(static_cast<uintptr_t>(word));
    follow();
  }
  void note_root(uintptr_t word) {
    constexpr std::array<intptr_t, 3> around{0, -64, 64};
    for (intptr_t step : around) note(word + static_cast<uintptr_t>(step));
    fields_.note_root(word);
    follow();
  }

  /// Frees the rest.
  void sweep() {
    std::vector<Header*> dead;
    all_.blocks.each_row([&](const WordMemory::Row& row) {
      for (size_t k = 0; k < row.count; ++k) {
        Header& header = header_in(row.block(k));
        if (header.of == 0 || row.is_marked(k)) continue;
        if (class_of(header.of).counted.empty())
          header.of = 0;
        else
          dead.push_back(&header);
      }
    });
    for (Header* header : dead) empty_object(*header);
    for (Header* header : dead) header->of = 0;
    const auto is_dead = [](int64_t object) { return header_of(object).of == 0; };
    std::erase_if(all_.objects, is_dead);
    std::erase_if(all_.contained, is_dead);
    all_.blocks.sweep();
    std::erase_if(memory_, [](const Unheld& one) { return one.is_found || one.memory->count > 0; });
    std::vector<KeptMemory*> gone;
    for (const Unheld& one : memory_) gone.push_back(one.memory);
    std::ranges::sort(gone);
    std::erase_if(all_.memory, [&](KeptMemory* memory) { return std::ranges::binary_search(gone, memory); });
    for (KeptMemory* memory : gone) free_memory(memory);
    fields_.sweep();
  }

 private:
  struct Unheld {
    KeptMemory* memory;
    uintptr_t furthest;  // where it and those before end
    bool is_found;
  };
  static uintptr_t begin_of(const Unheld& one) { return one.memory->begin; }

  template <class Each>
  void each_object(const Each& each) {
    all_.blocks.each_block([&](std::span<int64_t> block) {
      if (Header& header = header_in(block); header.of != 0) each(header);
    });
  }
  void mark(uintptr_t address) {
    if (const std::span<const int64_t> words = all_.blocks.mark(address); !words.empty()) open_.push_back(words);
  }
  void note(uintptr_t word) {
    fields_.note(word);
    constexpr uintptr_t word_bytes = sizeof(int64_t);
    for (const uintptr_t size : {uintptr_t{1}, word_bytes})
      if (all_.blocks.may_hold(word * size)) mark(word * size);
    if (memory_.empty()) return;
    for (const uintptr_t size : {1, 2, 4, 8, 16}) {
      const uintptr_t address = word * size;
      for (auto at = std::ranges::upper_bound(memory_, address, {}, begin_of); at != memory_.begin();) {
        if ((--at)->furthest < address) break;
        if (address <= at->memory->end) at->is_found = true;
      }
    }
  }
  void follow() {
    for (;;) {
      std::span<const int64_t> words = fields_.next_open();
      if (words.empty() && open_.empty()) return;
      if (words.empty()) {
        words = open_.back();
        open_.pop_back();
      }
      for (int64_t word : words) note(static_cast<uintptr_t>(word));
    }
  }

  State& all_;
  HeapCollection fields_;
  std::vector<Unheld> memory_;
  std::vector<std::span<const int64_t>> open_;
};

/// Whether it is worth it, where so many other bytes are looked at, too.
bool are_objects_due(size_t others = 0) {
  constexpr size_t least_bytes = size_t{2} << 20, least_kept_bytes = size_t{32} << 20, least_kept = 8192;
  const State& all = state();
  if (all.blocks.taken() > std::max({least_bytes, all.blocks.left(), others}) || all.fields.is_collection_due())
    return true;
  if (all.kept_since > least_kept && all.kept_since > all.kept.size() / 2) return true;
  if (all.kept_bytes > least_kept_bytes && kernel::fields_contain_arrays()) return true;
  return collects_always() && (all.blocks.taken() > 0 || all.fields.words.taken() > 0);
}

void note_call(ObjectCollection& collection, const MemoryRoots& call, bool is_collected) {
  call.visit(is_collected, [&](std::span<const int64_t> words) { collection.note_all(words); });
}

/// All of them, while no function runs.
void collect_all() {
  ObjectCollection collection;
  for (const MemoryRoots* call : state().waiting) note_call(collection, *call, false);
  collection.sweep();
}

/// Frees what nobody holds, and what that held. Objects of Python's that go with it may come here again.
void sweep() {
  State& all = state();
  if (all.running > 0 || all.is_sweeping) return;
  all.is_sweeping = true;
  if (are_objects_due()) collect_all();
  // Variables of generators that wait do not count, nor do containers in fields.
  const bool counts_arrays = !kernel::fields_contain_arrays();
  while (all.waiting.empty() && (!all.objects.empty() || (counts_arrays && !all.memory.empty()))) {
    while (!all.objects.empty()) {
      const int64_t object = all.objects.back();
      all.objects.pop_back();
      Header& header = header_of(object);
      if (class_of(header.of).is_contained) {
        all.contained.push_back(object);
        continue;
      }
      header.is_listed = 0;
      if (header.count == 0) free_object(object);
    }
    if (!counts_arrays || all.memory.empty()) continue;
    KeptMemory* const memory = all.memory.back();
    all.memory.pop_back();
    memory->is_listed = false;
    if (memory->count == 0) free_memory(memory);
  }
  all.is_sweeping = false;
}

}  // namespace

int64_t make_object(uint32_t number) {
  const uint32_t of = number + 1;
  auto* const header = reinterpret_cast<Header*>(state().blocks.take(header_words + class_of(of).words, true, false));
  header->of = of;
  const int64_t object = object_of(*header);
  note_unheld(object);
  return object;
}

uint32_t class_number(int64_t object) { return header_of(object).of - 1; }

void keep_object(int64_t object) { ++header_of(object).count; }

void drop_object(int64_t object) {
  --header_of(object).count;
  note_unheld(object);
  if (state().running == 0) sweep();
}

void hold_object(int64_t* word, int64_t object) {
  if (object != 0) keep_object(object);
  const int64_t before = std::exchange(*word, object);
  if (before != 0) drop_object(before);
}

void hold_memory(int64_t* word, KeptMemory* memory) {
  if (memory) ++memory->count;
  auto* const before = reinterpret_cast<KeptMemory*>(std::exchange(*word, reinterpret_cast<int64_t>(memory)));
  if (!before) return;
  drop_memory(before);
  if (state().running == 0) sweep();
}

KeptMemory* find_kept_memory(uintptr_t address, bool at_end) {
  const auto& kept = state().kept;
  for (auto at = kept.upper_bound(address); at != kept.begin();)
    if (KeptMemory* const memory = (--at)->second; address < memory->end || (at_end && address == memory->end))
      return memory;
    else if (address - memory->begin > state().longest)
      break;
  return nullptr;
}

KeptMemory* add_kept_memory(KeptMemory memory) {
  auto* const made = new KeptMemory(std::move(memory));
  state().kept.emplace(made->begin, made);
  ++state().kept_since;
  state().kept_bytes += made->end - made->begin;
  state().longest = std::max(state().longest, made->end - made->begin);
  return made;
}

CallMemory& memory_of_fields() { return state().fields; }

std::shared_ptr<void> keep_in_fields(int64_t header) {
  ++state().roots[header];
  return {&state().roots, [header](void*) {
            const auto known = state().roots.find(header);
            if (--known->second == 0) state().roots.erase(known);
          }};
}

void collect_objects_if_due() {
  if (!are_objects_due() || !RunningCalls::innermost()) return;
  const MemoryRoots* const innermost = RunningCalls::call_of(*RunningCalls::innermost());
  if (innermost && are_objects_due(innermost->bytes())) collect_objects(true);
}

void collect_objects(bool is_running) {
  State& all = state();
  if (all.is_sweeping) return;
  if (!is_running && all.running == 0) return sweep();
  if (!RunningCalls::innermost()) return;
  const MemoryRoots* const innermost = RunningCalls::call_of(*RunningCalls::innermost());
  if (!innermost) return;
  int64_t known = 0;
  const void* outermost = nullptr;
  for (const ObjectsInUse* one = RunningCalls::innermost(); one; one = RunningCalls::outer_of(*one)) {
    const MemoryRoots* const call = RunningCalls::call_of(*one);
    if (!call || !call->stack()) return;
    outermost = call->stack();
    ++known;
  }
  if (known != all.running || known == 0) return;
  const StackRoots stack(outermost);
  innermost->collect();
  if (all.running != known) return;  // what was freed ran Python, and another thread began
  all.is_sweeping = true;
  ObjectCollection collection;
  stack.visit([&](uintptr_t word) { collection.note_root(word); });
  for (const ObjectsInUse* one = RunningCalls::innermost(); one; one = RunningCalls::outer_of(*one)) {
    const MemoryRoots* const call = RunningCalls::call_of(*one);
    note_call(collection, *call, call == innermost);
  }
  for (const MemoryRoots* call : all.waiting) note_call(collection, *call, false);
  collection.sweep();
  all.is_sweeping = false;
}

ObjectsInUse::ObjectsInUse(const MemoryRoots* call) : call_(call), outer_(RunningCalls::innermost()) {
  RunningCalls::innermost() = this;
  ++state().running;
}

ObjectsInUse::~ObjectsInUse() {
  RunningCalls::innermost() = outer_;
  const State& all = state();
  if (--state().running == 0 && (!all.objects.empty() || !all.memory.empty() || all.fields.is_collection_due()))
    sweep();
}

ObjectsOfGenerator::ObjectsOfGenerator(const MemoryRoots& call) : call_(&call) { state().waiting.push_back(call_); }

ObjectsOfGenerator::~ObjectsOfGenerator() {
  std::erase(state().waiting, call_);
  if (state().running == 0) sweep();
}

}  // namespace tessera::bind
