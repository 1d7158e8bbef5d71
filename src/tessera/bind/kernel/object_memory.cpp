#include "tessera/bind/kernel/object_memory.h"

#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "tessera/kernel/types/user_class.h"

namespace tessera::bind {

namespace {

struct Header {
  const kernel::UserClass* of;
  int64_t count : 63;
  uint64_t is_listed : 1;  // among those that are looked at when no function runs
};

struct State {
  int64_t running = 0;
  bool is_sweeping = false;
  std::vector<int64_t> objects;  // that were held by nobody
  std::vector<KeptMemory*> memory;
  std::multimap<uintptr_t, KeptMemory*> kept;  // by where it begins
};

State& state() {
  static State& all = *new State;
  return all;
}

int64_t* words_of(int64_t object) {
  return reinterpret_cast<int64_t*>(static_cast<uintptr_t>(object) * sizeof(int64_t));
}
Header& header_of(int64_t object) { return *(reinterpret_cast<Header*>(words_of(object)) - 1); }

void note_unheld(int64_t object) {
  Header& header = header_of(object);
  if (header.count > 0 || header.is_listed) return;
  header.is_listed = 1;
  state().objects.push_back(object);
}

void drop_memory(KeptMemory* memory) {
  if (--memory->count == 0) state().memory.push_back(memory);
}

void free_object(int64_t object) {
  int64_t* const words = words_of(object);
  for (const kernel::CountedWord& one : header_of(object).of->counted) {
    const int64_t held = words[one.word];
    if (held == 0) continue;
    if (one.is_object)
      drop_object(held);
    else
      drop_memory(reinterpret_cast<KeptMemory*>(held));
  }
  std::free(&header_of(object));
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

/// Frees what nobody holds, and what that held. Objects of Python's that go with it may come here again.
void sweep() {
  State& all = state();
  if (all.running > 0 || all.is_sweeping) return;
  all.is_sweeping = true;
  while (!all.objects.empty() || !all.memory.empty()) {
    while (!all.objects.empty()) {
      const int64_t object = all.objects.back();
      all.objects.pop_back();
      header_of(object).is_listed = 0;
      if (header_of(object).count == 0) free_object(object);
    }
    if (all.memory.empty()) continue;
    KeptMemory* const memory = all.memory.back();
    all.memory.pop_back();
    if (memory->count == 0) free_memory(memory);
  }
  all.is_sweeping = false;
}

}  // namespace

int64_t make_object(uint32_t number) {
  static thread_local const kernel::UserClass* last = nullptr;  // classes do not move
  if (!last || last->number != number) last = &kernel::user_class(number);
  const auto words = static_cast<size_t>(last->words);
  auto* const header = static_cast<Header*>(std::calloc(1, sizeof(Header) + words * sizeof(int64_t)));
  if (!header) throw std::bad_alloc();
  header->of = last;
  const auto object = static_cast<int64_t>(reinterpret_cast<uintptr_t>(header + 1) / sizeof(int64_t));
  note_unheld(object);
  return object;
}

uint32_t class_number(int64_t object) { return header_of(object).of->number; }

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

KeptMemory* find_kept_memory(uintptr_t address) {
  const auto& kept = state().kept;
  for (auto at = kept.upper_bound(address); at != kept.begin();)
    if (KeptMemory* const memory = (--at)->second; address <= memory->end) return memory;
  return nullptr;
}

KeptMemory* add_kept_memory(KeptMemory memory) {
  auto* const made = new KeptMemory(std::move(memory));
  state().kept.emplace(made->begin, made);
  return made;
}

ObjectsInUse::ObjectsInUse() { ++state().running; }

ObjectsInUse::~ObjectsInUse() {
  if (--state().running == 0 && (!state().objects.empty() || !state().memory.empty())) sweep();
}

}  // namespace tessera::bind
