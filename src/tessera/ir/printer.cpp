#include <charconv>
#include <cmath>
#include <cstring>

#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

/// The grammar, one instruction per line:
///   kernel NAME NDIM [block AXES] flags N {
///     buffer DTYPE NDIM [read] [write] [streaming] INNER [no_alias] [aligned] [like N] / scalar DTYPE /
///     array DTYPE SIZE [shared] / foreign NAME [numba] [grid] [-> DTYPE] (DTYPE...) / linked HASH
///     function NAME (DTYPE...) -> (DTYPE...) / body {(%N:DTYPE ...) ... } of each function, behind them all
///     [%N =] OP.DTYPE [@IMM] [ATTR...] %N... [{(%N:DTYPE ...) ... }...]
///   }
class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string print() {
    append("kernel ", kernel_.name, " ", kernel_.ndim);
    if (kernel_.block_axes != 1) append(" block ", kernel_.block_axes);
    if (const auto& known = kernel_.known_extents; known != decltype(kernel_.known_extents){})
      append(" extents ", known[0], " ", known[1], " ", known[2]);
    if (kernel_.fast_math) append(" fast");
    print_device_options(kernel_.device);
    append(" flags ", kernel_.flag_slots, " {\n");
    for (const BufferParam& b : kernel_.buffers) print_buffer(b);
    for (DType t : kernel_.scalars) append("  scalar ", tessera::name(t), "\n");
    for (const ArrayDecl& a : kernel_.arrays) {
      append("  array ", tessera::name(a.dtype), " ", a.size, a.shared ? " shared\n" : "\n");
    }
    for (const ForeignFunction& f : kernel_.foreign) print_foreign(f);
    if (kernel_.linked) out_ += "  linked " + std::to_string(kernel_.linked) + "\n";
    for (const FunctionDecl& f : kernel_.functions) print_function(f);
    for (size_t k = 0; k < kernel_.bodies.size(); ++k) {
      const Kernel function = function_kernel(kernel_, k);
      append("  body", Printer(function).print_body(), "\n");
    }
    for (Value v : kernel_.regions[0].body) print_instruction(v, 1);
    append("}\n");
    return std::move(out_);
  }

  std::string print_body() {
    print_region(kernel_.regions[0], 1);
    return std::move(out_);
  }

 private:
  void append_one(std::string_view text) { out_ += text; }
  void append_one(int64_t number) { out_ += std::to_string(number); }
  template <class... Parts>
  void append(const Parts&... parts) {
    (append_one(parts), ...);
  }

  void print_device_options(const DeviceOptions& options) {
    if (options == DeviceOptions{}) return;
    append(" device");
    for (int64_t number : {options.max_registers, options.max_threads, options.min_blocks, options.max_cluster})
      append(" ", number);
    append(" ", options.carveout + 1, " ", options.optimization + 1);
  }

  void print_buffer(const BufferParam& b) {
    append("  buffer ", tessera::name(b.dtype), " ", b.ndim, b.readable ? " read" : "", b.writable ? " write" : "",
           b.streaming ? " streaming" : "", " ", ir::name(b.inner), b.no_alias ? " no_alias" : "",
           b.aligned ? " aligned" : "");
    if (b.strides_like >= 0) append(" like ", b.strides_like);
    append("\n");
  }

  void print_foreign(const ForeignFunction& f) {
    append("  foreign ", f.name, f.is_numbas ? " numba" : "", f.meets_in_grid ? " grid" : "");
    if (f.result) append(" -> ", tessera::name(*f.result));
    append(" (");
    for (size_t k = 0; k < f.parameters.size(); ++k) append(k ? " " : "", tessera::name(f.parameters[k]));
    append(")\n");
  }

  void print_function(const FunctionDecl& f) {
    append("  function ", f.name, " (");
    for (size_t k = 0; k < f.parameters.size(); ++k) append(k ? " " : "", tessera::name(f.parameters[k]));
    append(") -> (");
    for (size_t k = 0; k < f.results.size(); ++k) append(k ? " " : "", tessera::name(f.results[k]));
    append(")\n");
  }

  template <class Float, class Bits>
  void print_float(const unsigned char* bytes) {
    Float value;
    Bits bits;
    std::memcpy(&value, bytes, sizeof value);
    std::memcpy(&bits, bytes, sizeof bits);
    char text[64];
    const auto end = std::isfinite(value) ? std::to_chars(text, text + sizeof text, value)
                                          : std::to_chars(text + 2, text + sizeof text, bits, 16);
    if (!std::isfinite(value)) std::memcpy(text, "0x", 2);
    out_.append(text, end.ptr);
  }

  void print_constant(const Scalar& s) {
    switch (s.dtype) {
      case DType::boolean: append(s.bytes[0] ? "true" : "false"); return;
      case DType::float32: print_float<float, uint32_t>(s.bytes); return;
      case DType::float64: print_float<double, uint64_t>(s.bytes); return;
      case DType::complex64:
        print_float<float, uint32_t>(s.bytes);
        append(" ");
        print_float<float, uint32_t>(s.bytes + 4);
        return;
      case DType::complex128:
        print_float<double, uint64_t>(s.bytes);
        append(" ");
        print_float<double, uint64_t>(s.bytes + 8);
        return;
      case DType::float16:
      case DType::bfloat16:
      case DType::uint64: {
        uint64_t bits = 0;
        std::memcpy(&bits, s.bytes, itemsize(s.dtype));
        out_ += std::to_string(bits);
        return;
      }
      default: append(s.as_int());
    }
  }

  void print_attribute(const Instruction& i) {
    switch (i.op) {
      case Opcode::atomic:
      case Opcode::atomic_array:
        append(" ", ir::name(atomic_kind(i.attr)), is_of_imaginary_part(i.attr) ? " imag" : "");
        return;
      case Opcode::shuffle: append(" ", ir::name(static_cast<ShuffleKind>(i.attr))); return;
      case Opcode::load:
      case Opcode::store:
        if (i.attr) append(" ", ir::name(static_cast<CacheHint>(i.attr)));
        if (i.alignment) append(" aligned ", int64_t{i.alignment});
        return;
      case Opcode::is_aligned: append(" ", int64_t{i.attr}); return;
      case Opcode::fence: append(" ", ir::name(static_cast<FenceScope>(i.attr))); return;
      case Opcode::reduce: append(" ", ir::name(reduce_kind(i.attr)), " ", ir::name(reduce_order(i.attr))); return;
      case Opcode::check: append(" ", ir::name(static_cast<ErrorRule>(i.attr))); return;
      case Opcode::for_: append(i.attr == parallel_iterations ? " parallel" : ""); return;
      default: return;
    }
  }

  void print_instruction(Value v, int depth) {
    const Instruction& i = kernel_.instructions[v];
    out_.append(2 * depth, ' ');
    if (kernel_.result_count(v) > 0) append("%", v, " = ");
    append(ir::name(i.op));
    if (has_type(i.op)) append(".", tessera::name(i.type));
    if (i.op == Opcode::constant) {
      append(" ");
      print_constant(kernel_.constants[i.imm]);
    } else if (i.op == Opcode::dimension) {
      append(" @", i.imm / 64, ".", i.imm % 64);
    } else if (has_immediate(i.op)) {
      append(" @", i.imm);
    }
    print_attribute(i);
    for (Value operand : kernel_.operands(v)) append(" %", operand);
    for (int k = 0; k < i.region_count; ++k) print_region(kernel_.regions[i.first_region + k], depth);
    append("\n");
  }

  void print_region(const Region& region, int depth) {
    append(" {(");
    for (size_t k = 0; k < region.arg_values.size(); ++k) {
      append(k ? " %" : "%", region.arg_values[k], ":", tessera::name(region.arg_types[k]));
    }
    append(")\n");
    for (Value v : region.body) print_instruction(v, depth + 1);
    out_.append(2 * depth, ' ');
    append("}");
  }

  const Kernel& kernel_;
  std::string out_;
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).print(); }

}  // namespace tessera::ir
