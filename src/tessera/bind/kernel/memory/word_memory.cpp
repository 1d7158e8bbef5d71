#include "tessera/bind/kernel/memory/word_memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tessera/runtime/host/host_pool.h"

namespace tessera::bind {

namespace {

constexpr size_t chunk_bytes = size_t{1} << 16, word_bytes = sizeof(int64_t), most_kept_chunks = 64;
constexpr std::array<uint32_t, 14> words_of_size{4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr uintptr_t no_chunk = 0;

/// The smallest size that has so many words; the number of sizes if none has.
size_t size_for(int64_t words) {
  static constexpr auto by_quad = [] {
    std::array<uint8_t, 129> table{};
    for (size_t quad = 0, size = 0; quad < table.size(); ++quad) {
      while (words_of_size[size] < 4 * quad) ++size;
      table[quad] = static_cast<uint8_t>(size);
    }
    return table;
  }();
  const auto quad = static_cast<size_t>(words + 3) / 4;
  return quad < by_quad.size() ? by_quad[quad] : words_of_size.size();
}

/// But for the first words, which say of an object's block that it is free.
void overwrite(std::span<int64_t> block) {
  constexpr size_t first = 2;
  std::memset(block.data() + first, 0x5a, (block.size() - first) * word_bytes);
}

/// Chunks that no call uses.
std::vector<void*>& kept_chunks() {
  static std::vector<void*>& all = *new std::vector<void*>;
  return all;
}

}  // namespace

/// Its own words come first, then its blocks.
struct WordMemory::Chunk {
  uint32_t words, count;  // of a block, and how many blocks
  std::array<uint64_t, chunk_bytes / (4 * word_bytes) / 64> marks;

  int64_t* block(size_t k) {
    return reinterpret_cast<int64_t*>(reinterpret_cast<char*>(this) + sizeof(Chunk)) + k * words;
  }
  bool is_marked(size_t k) const { return (marks[k / 64] >> (k % 64)) & 1; }
  void begin(uint32_t words_of_block) {
    words = words_of_block;
    count = static_cast<uint32_t>((chunk_bytes - sizeof(Chunk)) / (words * word_bytes));
    marks.fill(0);
  }
};

uintptr_t WordMemory::Large::begin() const { return reinterpret_cast<uintptr_t>(buffer->data()); }
uintptr_t WordMemory::Large::end() const { return begin() + words * word_bytes; }

bool& collects_always() {
  static bool does = false;
  return does;
}

WordMemory::~WordMemory() {
  for (Chunk* chunk : chunks_) give_chunk(chunk);
}

void WordMemory::clear() {
  for (Chunk* chunk : chunks_) give_chunk(chunk);
  chunks_.clear();
  large_.clear();
  table_.clear();
  free_.fill(nullptr);
  for (auto& chunks : swept_) chunks.clear();
  taken_ = left_ = 0;
}

WordMemory::Chunk* WordMemory::take_chunk() {
  if (!kept_chunks().empty()) {
    void* const chunk = kept_chunks().back();
    kept_chunks().pop_back();
    return static_cast<Chunk*>(chunk);
  }
  void* const made = std::aligned_alloc(chunk_bytes, chunk_bytes);
  if (!made) throw std::bad_alloc();
  return static_cast<Chunk*>(made);
}

void WordMemory::give_chunk(Chunk* chunk) {
  if (kept_chunks().size() < most_kept_chunks)
    kept_chunks().push_back(chunk);
  else
    std::free(chunk);
}

/// Links the free blocks of a chunk that was swept, or of a new one; the first of them.
int64_t* WordMemory::refill(size_t size) {
  Chunk* chunk = nullptr;
  const bool is_new = swept_[size].empty();
  if (is_new) {
    chunk = take_chunk();
    chunk->begin(words_of_size[size]);
    if (clears_chunks_) std::memset(chunk->block(0), 0, chunk->count * chunk->words * word_bytes);
    chunks_.push_back(chunk);
  } else {
    chunk = swept_[size].back();
    swept_[size].pop_back();
  }
  int64_t* first = nullptr;
  for (size_t k = chunk->count; k-- > 0;) {
    if (chunk->is_marked(k)) continue;
    int64_t* const block = chunk->block(k);
    *block = reinterpret_cast<int64_t>(first);
    first = block;
  }
  return first;
}

int64_t* WordMemory::take(int64_t words, bool zeroed, bool is_leaf) {
  const size_t size = size_for(words);
  if (size == sizes) {
    const size_t bytes = static_cast<size_t>(words) * word_bytes;
    runtime::HostPool& pool = runtime::HostPool::instance();
    constexpr size_t large_zeros = size_t{1} << 20;
    const bool by_pages = zeroed && bytes >= large_zeros;
    large_.push_back(
        {by_pages ? pool.allocate_zeros(bytes) : pool.allocate(bytes), static_cast<size_t>(words), is_leaf});
    taken_ += bytes;
    char* const data = large_.back().buffer->data();
    if (zeroed && !by_pages) std::memset(data, 0, bytes);
    return reinterpret_cast<int64_t*>(data);
  }
  int64_t* block = free_[size];
  while (!block) block = refill(size);
  free_[size] = reinterpret_cast<int64_t*>(*block);
  const size_t bytes = words_of_size[size] * word_bytes;
  taken_ += bytes;
  // All of it: what was there before must not be taken for addresses.
  std::memset(block, 0, bytes);
  return block;
}

void WordMemory::give(int64_t* block, int64_t words) {
  const size_t size = size_for(words);
  if (size == sizes) return;
  *block = reinterpret_cast<int64_t>(free_[size]);
  free_[size] = block;
  taken_ -= std::min(taken_, words_of_size[size] * word_bytes);
}

void WordMemory::visit(void (*each)(void*, const Row&), void* context) const {
  for (Chunk* chunk : chunks_) each(context, {chunk->block(0), chunk->words, chunk->count, chunk->marks.data()});
  for (const Large& one : large_) {
    const uint64_t mark = one.is_marked ? 1 : 0;
    if (!one.is_leaf) each(context, {reinterpret_cast<int64_t*>(one.begin()), one.words, 1, &mark});
  }
}

void WordMemory::begin_marks() {
  table_.assign(std::bit_ceil(2 * chunks_.size() + 1), no_chunk);
  low_ = UINTPTR_MAX, high_ = 0;
  const auto note = [&](uintptr_t begin, uintptr_t end) { low_ = std::min(low_, begin), high_ = std::max(high_, end); };
  for (Chunk* chunk : chunks_) {
    chunk->marks.fill(0);
    const auto begin = reinterpret_cast<uintptr_t>(chunk);
    note(begin, begin + chunk_bytes);
    size_t place = (begin / chunk_bytes) & (table_.size() - 1);
    while (table_[place] != no_chunk) place = (place + 1) & (table_.size() - 1);
    table_[place] = begin;
  }
  std::ranges::sort(large_, {}, &Large::begin);
  for (Large& one : large_) {
    one.is_marked = false;
    note(one.begin(), one.end() + 1);
  }
}

WordMemory::Chunk* WordMemory::find_chunk(uintptr_t address) const {
  const uintptr_t begin = address & ~uintptr_t{chunk_bytes - 1};
  for (size_t place = (begin / chunk_bytes) & (table_.size() - 1); table_[place] != no_chunk;
       place = (place + 1) & (table_.size() - 1))
    if (table_[place] == begin) return reinterpret_cast<Chunk*>(begin);
  return nullptr;
}

std::span<const int64_t> WordMemory::mark(uintptr_t address) {
  if (Chunk* const chunk = find_chunk(address)) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(chunk->block(0));
    if (address < first) return {};
    const size_t k = (address - first) / (chunk->words * word_bytes);
    if (k >= chunk->count || chunk->is_marked(k)) return {};
    chunk->marks[k / 64] |= uint64_t{1} << (k % 64);
    return {chunk->block(k), chunk->words};
  }
  auto after = std::ranges::upper_bound(large_, address, {}, &Large::begin);
  if (after == large_.begin()) return {};
  Large& one = *--after;
  if (address > one.end() || one.is_marked) return {};
  one.is_marked = true;
  if (one.is_leaf) return {};
  return {reinterpret_cast<const int64_t*>(one.begin()), one.words};
}

void WordMemory::sweep() {
  left_ = taken_ = 0;
  std::erase_if(large_, [](const Large& one) { return !one.is_marked; });
  for (const Large& one : large_) left_ += one.words * word_bytes;
  free_.fill(nullptr);
  for (auto& chunks : swept_) chunks.clear();
  constexpr size_t most_empty = 16;
  size_t empty = 0;
  std::erase_if(chunks_, [&](Chunk* chunk) {
    size_t used = 0;
    for (uint64_t word : chunk->marks) used += static_cast<size_t>(std::popcount(word));
    left_ += used * chunk->words * word_bytes;
    if (used == 0 && ++empty > most_empty) return give_chunk(chunk), true;
    if (collects_always())
      for (size_t k = 0; k < chunk->count; ++k)
        if (!chunk->is_marked(k)) overwrite({chunk->block(k), chunk->words});
    if (used < chunk->count) swept_[size_for(chunk->words)].push_back(chunk);
    return false;
  });
}

}  // namespace tessera::bind
