#include "tessera/bind/kernel/memory/text_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/word_memory.h"
#include "tessera/kernel/values/table/table_hash.h"

namespace tessera::bind {

namespace {

/// The same text has the same width, as Python has it: the least that its characters need.
int64_t needed_width(const int64_t* text, int64_t first, int64_t count) {
  uint32_t most = 0;
  for (int64_t k = 0; k < count; ++k) most = std::max(most, text_character(text, first + k));
  constexpr uint32_t byte = 0xff, two_bytes = 0xffff;
  return most <= byte ? 1 : most <= two_bytes ? 2 : 4;
}

}  // namespace

const uint8_t* text_characters(const int64_t* text) {
  return reinterpret_cast<const uint8_t*>(static_cast<uintptr_t>(text[TextMemory::characters_word]));
}

uint32_t text_character(const int64_t* text, int64_t k) {
  const uint8_t* from = text_characters(text);
  if (text[TextMemory::width_word] == 1) return from[k];
  if (text[TextMemory::width_word] == 2) return reinterpret_cast<const uint16_t*>(from)[k];
  return reinterpret_cast<const uint32_t*>(from)[k];
}

int64_t hash_of_bytes(const uint8_t* bytes, size_t size) {
  uint64_t hash = kernel::hash_seed + size;
  for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof(word));
    hash = kernel::mixed_hash(hash ^ word);
  }
  uint64_t last = 0;
  std::memcpy(&last, bytes, size);
  hash = kernel::mixed_hash(hash ^ last) & static_cast<uint64_t>(INT64_MAX);
  return hash == 0 ? 1 : static_cast<int64_t>(hash);
}

int64_t* write_text(int64_t* words, const uint8_t* characters, int64_t count, int64_t width) {
  int64_t *const own = words + TextMemory::own_word, *const end = words + words_of_text(count * width);
  words[TextMemory::characters_word] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(own));
  words[TextMemory::count_word] = count;
  words[TextMemory::width_word] = width;
  words[TextMemory::hash_word] = 0;
  if (end > own) end[-1] = 0;
  if (characters) std::memcpy(own, characters, static_cast<size_t>(count * width));
  return end;
}

int64_t* TextMemory::take(int64_t words) {
  constexpr int64_t first = 64, most = 4096;
  if (words > left_) {
    left_ = std::max(words, std::min(most, first << std::min<size_t>(blocks_.size(), 6)));
    next_ = blocks_.emplace_back(std::make_unique_for_overwrite<int64_t[]>(static_cast<size_t>(left_))).get();
  }
  left_ -= words;
  return std::exchange(next_, next_ + words);
}

int64_t TextMemory::place(const uint8_t* characters, int64_t count, int64_t width, PyObject* kept, WordMemory* words) {
  constexpr int64_t most_own_bytes = 64;
  const bool is_own = count * width <= most_own_bytes;
  const int64_t size = is_own ? words_of_text(count * width) : own_word;
  int64_t* const placed = words ? words->take(size, false, false) : take(size);
  if (is_own) return write_text(placed, characters, count, width), address_of(placed);
  if (kept) kept_.emplace_back(Py_NewRef(kept));
  placed[characters_word] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(characters));
  placed[count_word] = count;
  placed[width_word] = width;
  placed[hash_word] = 0;
  return address_of(placed);
}

int64_t TextMemory::add(PyObject* text, WordMemory* words) {
  return place(static_cast<const uint8_t*>(PyUnicode_DATA(text)), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text),
               text, words);
}

int64_t TextMemory::add_bytes(PyObject* bytes, WordMemory* words) {
  return place(reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes)), PyBytes_GET_SIZE(bytes), 1, bytes, words);
}

int64_t TextMemory::add_part(const int64_t* text, int64_t first, int64_t count, WordMemory& words) {
  const int64_t width = text[width_word], least = width == 1 ? 1 : needed_width(text, first, count);
  const uint8_t* from = text_characters(text) + first * width;
  if (least == width) return place(from, count, width, nullptr, &words);
  const Object part = owned(PyUnicode_FromKindAndData(static_cast<int>(width), from, count));
  return add(part.get(), &words);
}

void TextMemory::clear() {
  blocks_.clear();
  left_ = 0;
  kept_.clear();
}

PyObject* python_text(int64_t header) {
  const int64_t* text = words_at(header);
  return checked(PyUnicode_FromKindAndData(static_cast<int>(text[TextMemory::width_word]), text_characters(text),
                                           text[TextMemory::count_word]));
}

PyObject* python_bytes(int64_t header) {
  const int64_t* text = words_at(header);
  return checked(
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(text_characters(text)), text[TextMemory::count_word]));
}

namespace {

uint32_t character_at(uintptr_t address, int64_t k, int64_t width, bool is_swapped) {
  const auto* from = reinterpret_cast<const uint8_t*>(address) + k * width;
  if (width == 1) return *from;
  uint32_t character = 0;
  std::memcpy(&character, from, sizeof(character));
  return is_swapped ? __builtin_bswap32(character) : character;
}

}  // namespace

int64_t text_of_element(uintptr_t address, int64_t count, int64_t width, bool is_swapped, WordMemory& words) {
  uint32_t most = 0;
  while (count > 0 && character_at(address, count - 1, width, is_swapped) == 0) --count;
  for (int64_t k = 0; k < count; ++k) most = std::max(most, character_at(address, k, width, is_swapped));
  constexpr uint32_t byte = 0xff, two_bytes = 0xffff, last = 0x10ffff;
  require<ValueError>(most <= last, "character U+{} is not in range [U+0000; U+10ffff]", most);
  const int64_t narrow = most <= byte ? 1 : most <= two_bytes ? 2 : 4;
  int64_t* const made = words.take(words_of_text(count * narrow), false, false);
  write_text(made, nullptr, count, narrow);
  auto* const characters = reinterpret_cast<uint8_t*>(made + TextMemory::own_word);
  for (int64_t k = 0; k < count; ++k) {
    const uint32_t character = character_at(address, k, width, is_swapped);
    std::memcpy(characters + k * narrow, &character, static_cast<size_t>(narrow));
  }
  return address_of(made);
}

int64_t element_of_text(const int64_t* text, int64_t count, int64_t width, bool is_swapped, WordMemory& words) {
  const int64_t size = count * width, word = sizeof(int64_t);
  int64_t* const made = words.take((size + word - 1) / word, false, false);
  auto* const bytes = reinterpret_cast<uint8_t*>(made);
  std::memset(bytes, 0, static_cast<size_t>(size));
  for (int64_t k = 0; k < std::min(count, text[TextMemory::count_word]); ++k) {
    const uint32_t character = text_character(text, k);
    const uint32_t stored = is_swapped ? __builtin_bswap32(character) : character;
    std::memcpy(bytes + k * width, &stored, static_cast<size_t>(width));
  }
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(bytes));
}

int64_t hash_of_text(int64_t header) {
  int64_t* text = words_at(header);
  if (text[TextMemory::hash_word] == 0)
    text[TextMemory::hash_word] = hash_of_bytes(
        text_characters(text), static_cast<size_t>(text[TextMemory::count_word] * text[TextMemory::width_word]));
  return text[TextMemory::hash_word];
}

}  // namespace tessera::bind
