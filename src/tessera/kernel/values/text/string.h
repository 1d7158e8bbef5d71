/// Texts in memory, of functions that the host calls: addresses of headers, which the host makes and which do not
/// change.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/characters/character_type.h"

namespace tessera::kernel {

class Lowering;

/// Words of a text's header: the address of its characters in bytes, how many they are, the bytes of each, and its
/// hash, 0 where that has not been computed. Behind it most short texts have their characters, in whole words with
/// zeros at the end.
enum StringWord : int64_t { characters_word, count_word, width_word, hash_word, own_word };

/// Constants among them, each made once for each call.
class Strings {
 public:
  explicit Strings(Lowering& l) : l_(l) {}

  /// Constants that are known to be needed.
  void begin();
  ir::Value constant(const std::string& text);
  /// A text's hash, not negative.
  ir::Value hash(const Item& text);
  /// Each function of the kernel has its own.
  std::map<std::string, ir::Value> exchange_constants(std::map<std::string, ir::Value> constants) {
    return std::exchange(constants_, std::move(constants));
  }

 private:
  Lowering& l_;
  std::map<std::string, ir::Value> constants_;
};

/// Bytes that are known while compiling.
Item constant_bytes(Lowering& l, const std::string& bytes);
/// An element of an array of texts, whose bytes begin at this address.
Item string_at(Lowering& l, const CharacterType& type, ir::Value address);
/// The address of the bytes that the text has as an element.
ir::Value padded_string(Lowering& l, const CharacterType& type, const Item& text);
/// What str() makes of a text or of bytes.
Item text_of_string(Lowering& l, const Node& node, const Item& string);
/// The text without NULs at its end.
Item without_nuls(Lowering& l, const Node& node, const Item& text);
/// The hash that Python has.
Item python_hash(Lowering& l, const Node& node, const Item& text);
/// ord and chr, as in Python.
Item code_of_text(Lowering& l, const Node& node, const Item& text);
Item text_of_code(Lowering& l, const Node& node, const Item& code);
/// Whether it is a text of any kind, or bytes.
bool is_any_text(const Type& type);
/// The text in memory; nothing for what is no text.
std::optional<Item> string_of(Lowering& l, const Item& item);
ir::Value string_length(Lowering& l, const Item& text);
/// + of two, * of one and an integer; nothing where neither is a text in memory.
std::optional<Item> binary_of_strings(Lowering& l, const Node& node, std::string_view op, const Item& left,
                                      const Item& right);
Item string_subscript(Lowering& l, const Node& node, const Item& text, const Item& index);

}  // namespace tessera::kernel
