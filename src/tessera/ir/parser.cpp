#include <cstring>
#include <unordered_map>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/text_reader.h"

namespace tessera::ir {

namespace {

constexpr size_t deepest = 64;

/// Parser of the grammar documented in printer.cpp.
class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  Kernel parse() {
    in_.expect("kernel");
    kernel_.name = std::string(in_.word("a name"));
    kernel_.ndim = static_cast<uint8_t>(in_.number("a number of axes", 64));
    if (in_.accept_word("block")) kernel_.block_axes = static_cast<uint8_t>(in_.number("a number of axes", 64));
    if (in_.accept_word("extents"))
      for (int16_t& extent : kernel_.known_extents) extent = static_cast<int16_t>(in_.number("an extent", 32767));
    kernel_.fast_math = in_.accept_word("fast");
    if (in_.accept_word("device")) parse_device_options(kernel_.device);
    in_.expect("flags");
    kernel_.flag_slots = static_cast<uint32_t>(in_.number("a number of flags", 1 << 20));
    in_.expect("{");
    while (parse_parameter()) {
    }
    parse_body(0);
    in_.check(in_.at_end(), "the end of the text");
    try {
      verify(kernel_);
    } catch (const InvariantError& error) {
      throw ValueError(error.what());
    }
    return std::move(kernel_);
  }

 private:
  // The last two begin at -1, and are written from 0 on.
  void parse_device_options(DeviceOptions& options) {
    const auto next = [&](int64_t most) { return static_cast<int16_t>(in_.number("an option", most)); };
    options.max_registers = next(32767);
    options.max_threads = next(32767);
    options.min_blocks = next(32767);
    options.max_cluster = next(32767);
    options.carveout = static_cast<int16_t>(next(101) - 1);
    options.optimization = static_cast<int8_t>(next(5) - 1);
  }

  template <class Enum>
  Enum named(Enum last, std::string_view wanted) {
    in_.peek("");  // skips spaces
    const size_t before = in_.position();
    const std::string_view given = in_.word(wanted);
    for (int k = 0; k <= static_cast<int>(last); ++k) {
      if (name(static_cast<Enum>(k)) == given) return static_cast<Enum>(k);
    }
    in_.fail_at(before, wanted);
  }

  // --- Declarations -------------------------------------------------------------------------------------------------
  bool parse_parameter() {
    if (in_.accept_word("buffer")) {
      BufferParam b{
          .dtype = in_.dtype(), .ndim = static_cast<uint8_t>(in_.number("a number of axes", 64)), .readable = false};
      b.readable = in_.accept_word("read");
      b.writable = in_.accept_word("write");
      b.streaming = in_.accept_word("streaming");
      b.inner = named(InnerStride::broadcast, "strided, contiguous or broadcast");
      b.no_alias = in_.accept_word("no_alias");
      b.aligned = in_.accept_word("aligned");
      if (in_.accept_word("like")) b.strides_like = static_cast<int16_t>(in_.number("an earlier buffer", 32767));
      kernel_.buffers.push_back(b);
      return true;
    }
    if (in_.accept_word("scalar")) {
      // `scalar.` would begin an instruction; those always follow a value.
      kernel_.scalars.push_back(in_.dtype());
      return true;
    }
    if (in_.accept_word("array")) {
      const DType t = in_.dtype();
      const int64_t size = in_.number("a number of elements", int64_t{1} << 31);
      kernel_.arrays.push_back({t, size, in_.accept_word("shared")});
      return true;
    }
    if (in_.accept_word("foreign")) {
      parse_foreign();
      return true;
    }
    if (in_.accept_word("linked")) {
      kernel_.linked = in_.literal<uint64_t>("a hash");
      return true;
    }
    if (in_.accept_word("function")) {
      FunctionDecl f{.name = std::string(in_.word("a name"))};
      f.parameters = parse_dtypes();
      in_.expect("->");
      f.results = parse_dtypes();
      kernel_.functions.push_back(std::move(f));
      return true;
    }
    if (in_.accept_word("body")) {
      in_.check(kernel_.bodies.size() < kernel_.functions.size(), "no more bodies than functions");
      parse_function_body();
      return true;
    }
    return false;
  }

  std::vector<DType> parse_dtypes() {
    std::vector<DType> dtypes;
    in_.expect("(");
    while (!in_.accept(")")) dtypes.push_back(in_.dtype());
    return dtypes;
  }

  // Its instructions are numbered on their own.
  void parse_function_body() {
    Kernel outer = kernel_;
    kernel_.bodies.clear();
    std::unordered_map<int64_t, Value> known = std::exchange(values_, {});
    parse_region(0);
    outer.bodies.push_back(function_body(std::move(kernel_)));
    kernel_ = std::move(outer);
    values_ = std::move(known);
  }

  void parse_foreign() {
    ForeignFunction f{.name = std::string(in_.word("a name"))};
    f.is_numbas = in_.accept_word("numba");
    f.meets_in_grid = in_.accept_word("grid");
    if (in_.accept("->")) f.result = in_.dtype();
    in_.expect("(");
    while (!in_.accept(")")) f.parameters.push_back(in_.dtype());
    kernel_.foreign.push_back(std::move(f));
  }

  // --- Instructions -------------------------------------------------------------------------------------------------
  void parse_body(RegionId region) {
    in_.check(++depth_ < deepest, "fewer nested regions");
    while (!in_.accept("}")) {
      const Value v = parse_instruction();
      kernel_.regions[region].body.push_back(v);
    }
    --depth_;
  }

  void parse_region(RegionId region) {
    in_.expect("{");
    in_.expect("(");
    while (!in_.accept(")")) {
      const int64_t given = value_number();
      in_.expect(":");
      const DType t = in_.dtype();
      std::vector<Value>& args = kernel_.regions[region].arg_values;
      const Value v = add({.op = Opcode::region_arg, .type = t, .imm = static_cast<uint32_t>(args.size())});
      args.push_back(v);
      kernel_.regions[region].arg_types.push_back(t);
      define(given, v);
    }
    parse_body(region);
  }

  int64_t value_number() {
    in_.expect("%");
    return in_.number("a value", int64_t{1} << 32);
  }
  void define(int64_t given, Value v) {
    in_.check(values_.emplace(given, v).second, "a value that is not defined yet");
  }
  Value add(const Instruction& i) {
    kernel_.instructions.push_back(i);
    return static_cast<Value>(kernel_.instructions.size() - 1);
  }

  template <class T, class Bits>
  void read_float(unsigned char* to) {
    if (in_.accept("0x")) {
      const Bits bits = in_.literal<Bits>("a number", 16);
      std::memcpy(to, &bits, sizeof bits);
    } else {
      const T value = in_.literal<T>("a number");
      std::memcpy(to, &value, sizeof value);
    }
  }

  Scalar parse_constant(DType t) {
    Scalar s;
    s.dtype = t;
    switch (t) {
      case DType::boolean:
        if (in_.accept_word("true")) return Scalar::of_bool(true);
        in_.check(in_.accept_word("false"), "true or false");
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
        const uint64_t bits = in_.literal<uint64_t>("a number");
        std::memcpy(s.bytes, &bits, itemsize(t));
        return s;
      }
      default: return Scalar::of_int(t, in_.literal<int64_t>("a number"));
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
      in_.expect("@");
      i.imm = static_cast<uint32_t>(in_.number("a number", 1 << 24));
      if (i.op == Opcode::dimension) {
        in_.expect(".");
        i.imm = i.imm * 64 + static_cast<uint32_t>(in_.number("an axis", 63));
      }
    }
    if (i.op == Opcode::atomic || i.op == Opcode::atomic_array) {
      const AtomicKind kind = named(last_atomic_kind, "an atomic operation");
      i.attr = atomic_attr(kind, in_.accept_word("imag"));
    } else if (i.op == Opcode::reduce) {
      const ReduceKind kind = named(ReduceKind::bit_xor, "a reduction");
      i.attr = reduce_attr(kind, named(ReduceOrder::pairwise_complex, "an order"));
    } else if (i.op == Opcode::shuffle) {
      i.attr = static_cast<uint8_t>(named(ShuffleKind::exchange, "a shuffle"));
    } else if (i.op == Opcode::fence) {
      i.attr = static_cast<uint8_t>(named(FenceScope::system, "block, device or system"));
    } else if (i.op == Opcode::load || i.op == Opcode::store) {
      const bool is_aligned = in_.accept_word("aligned");
      if (!is_aligned && !in_.peek("%")) i.attr = static_cast<uint8_t>(named(CacheHint::write_through, "a cache"));
      if (is_aligned || in_.accept_word("aligned")) i.alignment = static_cast<uint8_t>(in_.number("bytes", 255));
    } else if (i.op == Opcode::is_aligned) {
      i.attr = static_cast<uint8_t>(in_.number("bytes", 255));
    } else if (i.op == Opcode::check) {
      i.attr = static_cast<uint8_t>(named(ErrorRule::cast, "a rule"));
    } else if (i.op == Opcode::for_ && in_.accept_word("parallel")) {
      i.attr = parallel_iterations;
    }
  }

  Value parse_instruction() {
    int64_t given = -1;
    if (in_.peek("%")) {
      given = value_number();
      in_.expect("=");
    }
    in_.peek("");  // skips spaces
    const size_t before = in_.position();
    const auto op = opcode_from_name(in_.word("an instruction"));
    if (!op || *op == Opcode::region_arg) in_.fail_at(before, "an instruction");
    Instruction i{.op = *op};
    if (has_type(i.op)) {
      in_.expect(".");
      i.type = in_.dtype();
    }
    parse_immediate(i);
    i.first_arg = static_cast<uint32_t>(kernel_.args.size());
    while (in_.peek("%") && !starts_definition()) {
      const size_t here = in_.position();
      const auto found = values_.find(value_number());
      if (found == values_.end()) in_.fail_at(here, "a value that is defined");
      kernel_.args.push_back(found->second);
      in_.check(++i.arg_count < 60000, "fewer operands");
    }
    if (has_regions(i.op)) {
      i.region_count = i.op == Opcode::if_ || i.op == Opcode::while_ ? 2 : 1;
      i.first_region = static_cast<RegionId>(kernel_.regions.size());
      kernel_.regions.resize(kernel_.regions.size() + i.region_count);
    }
    const Value v = add(i);
    for (int k = 0; k < i.region_count; ++k) {
      if (k == 1 && i.op == Opcode::if_ && !in_.peek("{")) {
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
    const size_t before = in_.position();
    in_.expect("%");
    in_.skip_digits();
    const bool defines = in_.peek("=");
    in_.rewind(before);
    return defines;
  }

  TextReader in_;
  size_t depth_ = 0;
  Kernel kernel_;
  std::unordered_map<int64_t, Value> values_;
};

}  // namespace

Kernel parse(std::string_view text) { return Parser(text).parse(); }

}  // namespace tessera::ir
