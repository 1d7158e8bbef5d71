/// Conditions: which parts of a text its #if directives leave in, as far as the text alone tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/kernel/source/token.h"

namespace tessera::kernel {

/// Object-like macros, and names of which it is not known whether and as what they are defined.
struct Macros {
  std::map<std::string, Tokens, std::less<>> known;
  std::set<std::string, std::less<>> uncertain;
  bool may_be_hidden = false;  // the text includes others, which may define any name

  void define(const std::string& name, Tokens value, bool is_certain);
  void forget(const std::string& name, bool is_certain);
  /// Empty where that is not known.
  std::optional<bool> is_defined(std::string_view name) const;
};

/// The value of an #if's expression; empty where it is not known.
std::optional<int64_t> value_of(const Tokens& expression, const Macros& macros);

class Conditions {
 public:
  /// A directive: `word` is "if", "ifdef", "ifndef", "elif", "else" or "endif"; others are ignored.
  void read(std::string_view word, const Tokens& rest, const Macros& macros);
  /// Whether what follows may be compiled.
  bool is_active() const;
  /// Whether it is compiled for certain.
  bool is_certain() const;

 private:
  enum class Truth : uint8_t { no, maybe, yes };
  struct Branch {
    Truth now;
    Truth before;  // whether an earlier branch was taken
  };
  static Truth truth_of(const std::optional<int64_t>& value);
  std::vector<Branch> branches_;
};

}  // namespace tessera::kernel
