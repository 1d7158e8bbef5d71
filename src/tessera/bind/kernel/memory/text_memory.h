/// Texts in memory, as compiled functions have them (kernel/values/text/string.h).
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/bind/array/object.h"
#include "tessera/kernel/values/table/table_hash.h"

namespace tessera::bind {

class WordMemory;

/// Headers of texts, and what keeps their characters. Headers stay where they are; those of a call are among its words.
class TextMemory {
 public:
  /// Words of a header, and the first of the characters that most short texts have behind theirs, in whole words with
  /// zeros at the end.
  enum : int64_t { characters_word, count_word, width_word, hash_word, own_word };

  TextMemory() = default;
  TextMemory(const TextMemory&) = delete;
  TextMemory& operator=(const TextMemory&) = delete;
  TextMemory(TextMemory&&) = default;
  TextMemory& operator=(TextMemory&&) = default;

  /// The address in words of the header of a text of Python's, which is kept unless it is short.
  int64_t add(PyObject* text, WordMemory* words = nullptr);
  /// The same of bytes of Python's.
  int64_t add_bytes(PyObject* bytes, WordMemory* words = nullptr);
  /// Of a part of another text: its characters are the other's unless it is short.
  int64_t add_part(const int64_t* text, int64_t first, int64_t count, WordMemory& words);
  /// What keeps characters.
  std::vector<Object>& kept() { return kept_; }
  const std::vector<Object>& kept() const { return kept_; }
  void clear();

 private:
  /// A header with what keeps its characters, or with characters of its own.
  int64_t place(const uint8_t* characters, int64_t count, int64_t width, PyObject* kept, WordMemory* words);
  int64_t* take(int64_t words);

  std::vector<std::unique_ptr<int64_t[]>> blocks_;
  int64_t* next_ = nullptr;  // in the last of them
  int64_t left_ = 0;         // words there
  std::vector<Object> kept_;
};

/// A new object of Python's of the text whose header is at this address.
PyObject* python_text(int64_t header);
/// The same of bytes.
PyObject* python_bytes(int64_t header);
/// The header of a new text in `words` with the characters of an array's element, `width` bytes each, up to the last
/// that is not 0.
int64_t text_of_element(uintptr_t address, int64_t count, int64_t width, bool is_swapped, WordMemory& words);
/// Where new words begin that hold the text's first `count` characters, and zeros behind them.
int64_t element_of_text(const int64_t* text, int64_t count, int64_t width, bool is_swapped, WordMemory& words);
/// Writes the header, and behind it the characters, of so many bytes; the word behind both.
int64_t* write_text(int64_t* words, const uint8_t* characters, int64_t count, int64_t width);
/// How many words that takes.
constexpr int64_t words_of_text(int64_t bytes) {
  constexpr int64_t word = sizeof(int64_t);
  return TextMemory::own_word + (bytes + word - 1) / word;
}
/// The hash of a text of these bytes, neither negative nor 0.
int64_t hash_of_bytes(const uint8_t* bytes, size_t size);
/// The same where they are in whole words with zeros at the end.
inline int64_t hash_of_words(const int64_t* words, size_t size) {
  uint64_t hash = kernel::hash_seed + size;
  for (; size >= sizeof(int64_t); size -= sizeof(int64_t))
    hash = kernel::mixed_hash(hash ^ static_cast<uint64_t>(*words++));
  const uint64_t last = size == 0 ? 0 : static_cast<uint64_t>(*words);
  hash = kernel::mixed_hash(hash ^ last) & static_cast<uint64_t>(INT64_MAX);
  return hash == 0 ? 1 : static_cast<int64_t>(hash);
}
/// The hash of a text, not negative and not 0, which its header keeps.
int64_t hash_of_text(int64_t header);
/// Of the text with these words: its characters, and one of them.
const uint8_t* text_characters(const int64_t* text);
uint32_t text_character(const int64_t* text, int64_t k);

}  // namespace tessera::bind
