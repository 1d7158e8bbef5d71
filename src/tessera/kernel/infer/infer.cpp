// Passes over the whole function, in the order of its statements, until one finds nothing new. A statement that cannot
// be typed yet is left to the next pass: what follows may tell. Types only grow, so this ends, mostly with the second
// pass.
#include "tessera/kernel/infer/infer.h"

#include <algorithm>
#include <utility>

#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

namespace {

constexpr int kernel_axes = 6, block_axes = 3;

/// Calls that fit a thread's stack, of functions that the host calls: by how many values the longest has.
int64_t deepest_calls(const ir::Kernel& kernel) {
  constexpr int64_t most = 10'000, most_with_host = 400, stack = int64_t{3} << 20, least_frame = 256, value = 8;
  size_t longest = 0;
  bool calls_host = false;  // on the caller's thread: the interpreter has no other for it
  for (const ir::Kernel& body : kernel.bodies) {
    longest = std::max(longest, body.instructions.size());
    calls_host |=
        std::ranges::any_of(body.instructions, [](const ir::Instruction& i) { return i.op == ir::Opcode::call_host; });
  }
  return std::min(calls_host ? most_with_host : most, stack / (least_frame + value * static_cast<int64_t>(longest)));
}

/// Refuses what an op's body, which runs for one element at a time on any device, cannot do.
void check_body(const Function& function, const typed::Program& known) {
  const auto refuse = [&](std::string_view what, std::string_view instead) {
    throw CompileError(Fault::unsupported, fault_message(function, function.tree.place,
                                                         format("{} {}", function.name(), what), {}, instead));
  };
  if (known.failures.prints) refuse("prints, which ufuncs do not", "a kernel or a function with @jit");
  if (known.failures.reports) refuse("raises, which ufuncs do not", "a value such as nan, or a function with @jit");
  constexpr int64_t most = 256;  // numbers that stand in the code
  for (const auto& array : known.constants)
    if (array->held || array->bytes.empty() || array->bytes.size() > static_cast<size_t>(most * itemsize(array->dtype)))
      refuse(format("reads a global array that has no elements, more than {}, or is on a device", most), "an argument");
}

class Inference {
 public:
  explicit Inference(bool is_for_host) : is_for_host_(is_for_host) {}

  /// What passes find.
  template <class Pass>
  typed::Program find(const Pass& pass) {
    constexpr int most_passes = 1000;
    while (true) {
      invariant(program_.passes < most_passes, "kernel: inference finds something new in each of {} passes",
                most_passes);
      ++program_.passes;
      Findings findings(program_);
      program_.expressions.clear();
      const int64_t deepest = pass(findings);
      if (!is_settled(findings)) continue;
      if (program_.calls.has_any && is_for_host_ && std::exchange(program_.calls.deepest, deepest) != deepest) continue;
      return std::move(program_);
    }
  }

 private:
  bool is_settled(const Findings& findings) {
    const auto& deferred = findings.deferred();
    if (findings.has_grown() && program_.lists.takes_integers) {
      // Some were none: variables that hold such elements are looked at anew.
      program_.lists.takes_integers = false;
      program_.variables.found.clear();
      return false;
    }
    if (findings.is_growing()) {
      constexpr int most_alike = 16;  // passes in a row that end in the same way while types may still grow
      const std::string text = deferred.empty() ? "" : deferred.front().what();
      alike_ = !text.empty() && text == last_ ? alike_ + 1 : 0;
      last_ = text;
      if (alike_ > most_alike) throw CompileError(deferred.front());
      return false;
    }
    if (findings.wants_element() && !program_.lists.takes_integers) {
      program_.lists.takes_integers = true;
      return false;
    }
    if (!deferred.empty()) throw CompileError(deferred.front());
    return true;
  }

  typed::Program program_;
  const bool is_for_host_;
  std::string last_;
  int alike_ = 0;
};

}  // namespace

ir::Builder builder_for(const Function& function, const CompileOptions& options, bool keeps_code) {
  const bool is_kernel = !options.is_function || options.is_device;
  const int axes = options.is_body ? 1 : is_kernel ? kernel_axes : 0, of_blocks = is_kernel ? block_axes : 1;
  return ir::Builder(axes, function.name(), options.is_body ? 1 : of_blocks, keeps_code);
}

std::vector<Item> operands_of_body(ir::Builder& b, std::span<const DType> in) {
  std::vector<Item> operands;
  for (DType t : in) b.add_buffer({.dtype = t, .ndim = 1});
  const std::vector<ir::Value> at{b.index(0)};
  for (uint32_t k = 0; k < in.size(); ++k) operands.push_back({Type::scalar(in[k]), {b.load(k, at)}});
  return operands;
}

typed::Program infer(const Function& function, std::span<const Type> arguments, const Environment& environment,
                     const CompileOptions& options, const Declared& declared) {
  return Inference(options.is_function && !options.is_device).find([&](Findings& findings) {
    ir::Builder b = builder_for(function, options, false);
    Lowering lowering(b, findings, environment, options);
    lower_function(lowering, function, declare_parameters(b, arguments), declared);
    findings.add().result = lowering.result;
    return deepest_calls(b.kernel());
  });
}

typed::Program infer_body(const Function& function, std::span<const DType> in, const Environment& environment,
                          const CompileOptions& options) {
  return Inference(false).find([&](Findings& findings) {
    ir::Builder b = builder_for(function, options, false);
    Lowering lowering(b, findings, environment, options);
    findings.add().result = lowering.lower_body(function, operands_of_body(b, in)).type;
    check_body(function, *findings);
    return int64_t{0};
  });
}

}  // namespace tessera::kernel
