#include "tessera/kernel/source/source_type.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tessera::kernel {

namespace {

struct Named {
  std::string_view name;
  DType dtype;
};

constexpr Named named_types[] = {
    {"bool", DType::boolean},
    {"char", DType::int8},
    {"int8_t", DType::int8},
    {"uint8_t", DType::uint8},
    {"uchar", DType::uint8},
    {"short", DType::int16},
    {"int16_t", DType::int16},
    {"uint16_t", DType::uint16},
    {"ushort", DType::uint16},
    {"int", DType::int32},
    {"signed", DType::int32},
    {"int32_t", DType::int32},
    {"uint32_t", DType::uint32},
    {"uint", DType::uint32},
    {"unsigned", DType::uint32},
    {"long", DType::int64},
    {"int64_t", DType::int64},
    {"uint64_t", DType::uint64},
    {"ulong", DType::uint64},
    {"size_t", DType::uint64},
    {"uintptr_t", DType::uint64},
    {"ptrdiff_t", DType::int64},
    {"ssize_t", DType::int64},
    {"intptr_t", DType::int64},
    {"half", DType::float16},
    {"__half", DType::float16},
    {"float16", DType::float16},
    {"nv_bfloat16", DType::bfloat16},
    {"__nv_bfloat16", DType::bfloat16},
    {"float", DType::float32},
    {"double", DType::float64},
    {"cuComplex", DType::complex64},
    {"cuFloatComplex", DType::complex64},
    {"cuDoubleComplex", DType::complex128},
};

constexpr Named vector_types[] = {
    {"char", DType::int8},      {"uchar", DType::uint8},      {"short", DType::int16},   {"ushort", DType::uint16},
    {"int", DType::int32},      {"uint", DType::uint32},      {"long", DType::int64},    {"ulong", DType::uint64},
    {"longlong", DType::int64}, {"ulonglong", DType::uint64}, {"float", DType::float32}, {"double", DType::float64},
    {"half", DType::float16},   {"__half", DType::float16},
};

constexpr std::string_view ignored[] = {"volatile", "restrict",          "__restrict__", "__restrict", "struct",
                                        "class",    "__grid_constant__", "typename",     "enum",       "register"};

constexpr std::string_view integer_words[] = {"unsigned", "signed", "long", "short", "char", "int"};

constexpr std::string_view textures[] = {
    "cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject", "texture", "surface"};

bool is_ignored(const Token& token) {
  return std::ranges::any_of(ignored, [&](std::string_view word) { return token.is(word); });
}

/// std::, thrust:: and the like are left out.
Tokens without_namespaces(const Tokens& words) {
  Tokens plain;
  for (const Token& word : words) {
    if (!word.is("::")) {
      plain.push_back(word);
    } else if (!plain.empty() && plain.back().kind == Token::Kind::name) {
      plain.pop_back();
    }
  }
  return plain;
}

/// Combinations such as `unsigned long long int`.
std::optional<DType> integer_of(std::span<const Token> words) {
  int longs = 0, shorts = 0, chars = 0;
  bool is_unsigned = false;
  for (const Token& word : words) {
    longs += word.is("long");
    shorts += word.is("short");
    chars += word.is("char");
    is_unsigned |= word.is("unsigned");
    if (!std::ranges::any_of(integer_words, [&](std::string_view known) { return word.is(known); }))
      return std::nullopt;
  }
  if (longs) return is_unsigned ? DType::uint64 : DType::int64;
  if (shorts) return is_unsigned ? DType::uint16 : DType::int16;
  if (chars) return is_unsigned ? DType::uint8 : DType::int8;
  return is_unsigned ? DType::uint32 : DType::int32;
}

/// Reads a type's name, without const and *.
class Base {
 public:
  Base(const TypeNames& names, SourceType& type) : names_(names), type_(type) {}

  void read(Tokens words, int depth = 0) {
    words = without_namespaces(words);
    if (words.empty()) return;
    if (std::ranges::any_of(textures, [&](std::string_view name) { return words[0].is(name); }))
      type_.is_texture = true;
    if (words.size() == 1) return read_name(words[0], depth);
    if (words[0].is("complex") && words[1].is("<")) {
      SourceType part = read_type(std::span(words).subspan(2, words.size() - 3), names_);
      if (part.element && is_floating(*part.element)) type_.element = complex_dtype(*part.element);
      return;
    }
    type_.element = integer_of(words);
  }

 private:
  void read_name(const Token& word, int depth) {
    constexpr int deepest = 8;
    if (const auto known = names_.find(word.text); known != names_.end() && depth < deepest) {
      const SourceType meant = read_type(known->second, names_.contains(word.text) ? without(word.text) : names_);
      type_.element = meant.element;
      type_.lanes = meant.lanes;
      type_.is_pointer |= meant.is_pointer;
      type_.is_const |= meant.is_const;
      type_.is_void |= meant.is_void;
      type_.is_texture |= meant.is_texture;
      return;
    }
    if (word.is("void")) type_.is_void = true;
    for (const Named& named : named_types)
      if (word.is(named.name)) type_.element = named.dtype;
    if (type_.element || word.text.empty()) return;
    const int lanes = word.text.back() - '0';
    if (lanes < 1 || lanes > 4) return;
    for (const Named& named : vector_types) {
      if (std::string_view(word.text).substr(0, word.text.size() - 1) != named.name) continue;
      type_.element = named.dtype;
      type_.lanes = lanes;
    }
  }
  /// A name does not stand for itself.
  TypeNames without(const std::string& name) const {
    TypeNames others = names_;
    others.erase(name);
    return others;
  }

  const TypeNames& names_;
  SourceType& type_;
};

}  // namespace

SourceType read_type(std::span<const Token> tokens, const TypeNames& names) {
  SourceType type;
  type.text = text_of(tokens);
  Tokens words;
  int pointers = 0;
  for (const Token& token : tokens) {
    if (token.is("*")) {
      ++pointers;
    } else if (token.is("const") || token.is("constexpr")) {
      if (pointers == 0) type.is_const = true;
    } else if (!is_ignored(token)) {
      words.push_back(token);
    }
  }
  Base(names, type).read(words);
  if (pointers > 0) type.is_pointer = true;
  if (pointers > 1) {  // to addresses
    type.element = DType::uint64;
    type.lanes = 1;
    type.is_void = type.is_const = false;
  }
  return type;
}

bool SourceType::takes_array(DType dtype) const {
  if (!element) return true;
  if (dtype == *element) return true;
  if (is_integer(dtype) && is_integer(*element) && lanes == 1) return itemsize(dtype) == itemsize(*element);
  // Vectors take arrays of their elements and of complex numbers.
  if (lanes > 1 && is_complex(dtype)) return real_dtype(dtype) == *element;
  const bool are_bytes = itemsize(dtype) == 1 && itemsize(*element) == 1;  // truth values as char
  return are_bytes;
}

}  // namespace tessera::kernel
