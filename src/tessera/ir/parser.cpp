#include <charconv>
#include <cstring>
#include <unordered_map>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

constexpr size_t deepest = 64;

/// Reads the grammar that the printer documents.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Kernel parse() {
    expect("kernel");
    kernel_.name = std::string(word("a name"));
    kernel_.ndim = static_cast<uint8_t>(number("a number of axes", 64));
    expect("flags");
    kernel_.flag_slots = static_cast<uint32_t>(number("a number of flags", 1 << 20));
    expect("{");
    while (parse_parameter()) {
    }
    parse_body(0);
    skip_space();
    check(at_ == text_.size(), "the end of the text");
    try {
      verify(kernel_);
    } catch (const InvariantError& error) {
      throw ValueError(error.what());
    }
    return std::move(kernel_);
  }

 private:
  // --- Words --------------------------------------------------------------------------------------------------------
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  void check(bool ok, std::string_view wanted) const {
    if (ok) return;
    size_t line = 1;
    size_t start = 0;
    for (size_t k = 0; k < at_; ++k) {
      if (text_[k] == '\n') ++line, start = k + 1;
    }
    const size_t end = std::min(text_.find_first_of(" \n", at_), std::min(at_ + 20, text_.size()));
    throw ValueError(format("parse: line {}, column {}: expected {} at '{}'", line, at_ - start + 1, wanted,
                            text_.substr(at_, end - at_)));
  }

  bool peek(std::string_view token) {
    skip_space();
    return text_.substr(at_).starts_with(token);
  }
  bool accept(std::string_view token) {
    if (!peek(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) { check(accept(token), token); }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  std::string_view word(std::string_view wanted) {
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const size_t end = std::exchange(at_, start);
    check(end > start, wanted);
    at_ = end;
    return text_.substr(start, end - start);
  }
  bool accept_word(std::string_view token) {
    const size_t before = at_;
    skip_space();
    if (at_ < text_.size() && is_word(text_[at_]) && word(token) == token) return true;
    at_ = before;
    return false;
  }

  template <class T>
  T literal(std::string_view wanted, int base = 10) {
    skip_space();
    T value{};
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    std::from_chars_result result{};
    if constexpr (std::is_floating_point_v<T>) {
      result = std::from_chars(first, last, value);
    } else {
      result = std::from_chars(first, last, value, base);
    }
    check(result.ec == std::errc(), wanted);
    at_ += static_cast<size_t>(result.ptr - first);
    return value;
  }
  int64_t number(std::string_view wanted, int64_t most) {
    const size_t before = at_;
    const int64_t value = literal<int64_t>(wanted);
    if (value < 0 || value > most) {
      at_ = before;
      check(false, wanted);
    }
    return value;
  }

  DType dtype() {
    const size_t before = at_;
    const auto found = dtype_from_name(word("a type"));
    if (!found) at_ = before, check(false, "a type");
    return *found;
  }

  template <class Enum>
  Enum named(Enum last, std::string_view wanted) {
    skip_space();
    const size_t before = at_;
    const std::string_view given = word(wanted);
    for (int k = 0; k <= static_cast<int>(last); ++k) {
      if (name(static_cast<Enum>(k)) == given) return static_cast<Enum>(k);
    }
    at_ = before;
    check(false, wanted);
    return last;
  }

  // --- Declarations -------------------------------------------------------------------------------------------------
  bool parse_parameter() {
    if (accept_word("buffer")) {
      BufferParam b{.dtype = dtype(), .ndim = static_cast<uint8_t>(number("a number of axes", 64)), .readable = false};
      b.readable = accept_word("read");
      b.writable = accept_word("write");
      b.streaming = accept_word("streaming");
      b.inner = named(InnerStride::broadcast, "strided, contiguous or broadcast");
      b.no_alias = accept_word("no_alias");
      if (accept_word("like")) b.strides_like = static_cast<int16_t>(number("an earlier buffer", 32767));
      kernel_.buffers.push_back(b);
      return true;
    }
    if (accept_word("scalar")) {
      // `scalar.` would be an instruction; those always follow a value.
      kernel_.scalars.push_back(dtype());
      return true;
    }
    if (accept_word("array")) {
      const DType t = dtype();
      const int64_t size = number("a number of elements", int64_t{1} << 31);
      kernel_.arrays.push_back({t, size, accept_word("shared")});
      return true;
    }
    return false;
  }

  // --- Instructions -------------------------------------------------------------------------------------------------
  void parse_body(RegionId region) {
    check(++depth_ < deepest, "fewer nested regions");
    while (!accept("}")) {
      const Value v = parse_instruction();
      kernel_.regions[region].body.push_back(v);
    }
    --depth_;
  }

  void parse_region(RegionId region) {
    expect("{");
    expect("(");
    while (!accept(")")) {
      const int64_t given = value_number();
      expect(":");
      const DType t = dtype();
      std::vector<Value>& args = kernel_.regions[region].arg_values;
      const Value v = add({.op = Opcode::region_arg, .type = t, .imm = static_cast<uint32_t>(args.size())});
      args.push_back(v);
      kernel_.regions[region].arg_types.push_back(t);
      define(given, v);
    }
    parse_body(region);
  }

  int64_t value_number() {
    expect("%");
    return number("a value", int64_t{1} << 32);
  }
  void define(int64_t given, Value v) { check(values_.emplace(given, v).second, "a value that is not defined yet"); }
  Value add(const Instruction& i) {
    kernel_.instructions.push_back(i);
    return static_cast<Value>(kernel_.instructions.size() - 1);
  }

  template <class T, class Bits>
  void read_float(unsigned char* to) {
    skip_space();
    if (accept("0x")) {
      const Bits bits = literal<Bits>("a number", 16);
      std::memcpy(to, &bits, sizeof bits);
    } else {
      const T value = literal<T>("a number");
      std::memcpy(to, &value, sizeof value);
    }
  }

  Scalar parse_constant(DType t) {
    Scalar s;
    s.dtype = t;
    switch (t) {
      case DType::boolean:
        if (accept_word("true")) return Scalar::of_bool(true);
        check(accept_word("false"), "true or false");
        return Scalar::of_bool(false);
      case DType::float32: read_float<float, uint32_t>(s.bytes); return s;
      case DType::float64: read_float<double, uint64_t>(s.bytes); return s;
      case DType::complex64:
        read_float<float, uint32_t>(s.bytes);
        read_float<float, uint32_t>(s.bytes + 4);
        return s;
      case DType::complex128:
        read_float<double, uint64_t>(s.bytes);
        read_float<double, uint64_t>(s.bytes + 8);
        return s;
      case DType::float16:
      case DType::bfloat16:
      case DType::uint64: {
        const uint64_t bits = literal<uint64_t>("a number");
        std::memcpy(s.bytes, &bits, itemsize(t));
        return s;
      }
      default: return Scalar::of_int(t, literal<int64_t>("a number"));
    }
  }

  void parse_immediate(Instruction& i) {
    if (i.op == Opcode::constant) {
      const Scalar value = parse_constant(i.type);
      size_t k = 0;
      while (k < kernel_.constants.size() && !(kernel_.constants[k] == value)) ++k;
      if (k == kernel_.constants.size()) kernel_.constants.push_back(value);
      i.imm = static_cast<uint32_t>(k);
    } else if (has_immediate(i.op)) {
      expect("@");
      i.imm = static_cast<uint32_t>(number("a number", 1 << 24));
      if (i.op == Opcode::dimension) {
        expect(".");
        i.imm = i.imm * 64 + static_cast<uint32_t>(number("an axis", 63));
      }
    }
    if (i.op == Opcode::atomic || i.op == Opcode::atomic_array) {
      i.attr = static_cast<uint8_t>(named(AtomicKind::compare_exchange, "an atomic operation"));
    } else if (i.op == Opcode::reduce) {
      const ReduceKind kind = named(ReduceKind::bit_xor, "a reduction");
      i.attr = reduce_attr(kind, named(ReduceOrder::pairwise_complex, "an order"));
    } else if (i.op == Opcode::check) {
      i.attr = static_cast<uint8_t>(named(ErrorRule::cast, "a rule"));
    }
  }

  Value parse_instruction() {
    int64_t given = -1;
    if (peek("%")) {
      given = value_number();
      expect("=");
    }
    skip_space();
    const size_t before = at_;
    const auto op = opcode_from_name(word("an instruction"));
    if (!op || *op == Opcode::region_arg) at_ = before, check(false, "an instruction");
    Instruction i{.op = *op};
    if (i.op != Opcode::yield && i.op != Opcode::barrier) {
      expect(".");
      i.type = dtype();
    }
    parse_immediate(i);
    i.first_arg = static_cast<uint32_t>(kernel_.args.size());
    while (peek("%") && !starts_definition()) {
      const size_t here = at_;
      const auto found = values_.find(value_number());
      if (found == values_.end()) at_ = here, check(false, "a value that is defined");
      kernel_.args.push_back(found->second);
      check(++i.arg_count < 60000, "fewer operands");
    }
    if (has_regions(i.op)) {
      i.region_count = i.op == Opcode::if_ || i.op == Opcode::while_ ? 2 : 1;
      i.first_region = static_cast<RegionId>(kernel_.regions.size());
      kernel_.regions.resize(kernel_.regions.size() + i.region_count);
    }
    const Value v = add(i);
    for (int k = 0; k < i.region_count; ++k) {
      if (k == 1 && i.op == Opcode::if_ && !peek("{")) {
        kernel_.instructions[v].region_count = 1;
        break;
      }
      parse_region(i.first_region + k);
    }
    if (given >= 0) define(given, v);
    return v;
  }

  // Whether the value here begins the next instruction.
  bool starts_definition() {
    const size_t before = at_;
    expect("%");
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const bool defines = peek("=");
    at_ = before;
    return defines;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  Kernel kernel_;
  std::unordered_map<int64_t, Value> values_;
};

}  // namespace

Kernel parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace tessera::ir
