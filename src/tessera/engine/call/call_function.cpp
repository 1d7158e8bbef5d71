// Calls of users' functions: one lane, on the host, compiled before it first runs; their parallel loops run on all
// threads.
#include <bit>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <mutex>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/engine/call/function_arguments.h"
#include "tessera/engine/call/launch_arguments.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/unlocked.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

namespace {

using engine::CachedKernel;

/// The code of a function and of its parallel loops.
struct FunctionCode {
  std::shared_ptr<CachedKernel> whole;
  std::vector<std::shared_ptr<CachedKernel>> parts;
};

/// What all threads of a call share.
struct FunctionCall {
  const FunctionArguments& given;
  const FunctionCode& code;
  const ir::KernelArguments& arguments;
  std::mutex mutex;  // of the caller's functions
};

void run(const CachedKernel& code, const ir::KernelArguments& arguments) {
  if (const ir::KernelEntry entry = code.entry.load(std::memory_order_acquire))
    entry(&arguments, nullptr, nullptr);
  else
    code.program->run(arguments, nullptr, nullptr);
}

Scalar scalar_of(DType dtype, const int64_t* words) {
  if (is_complex(dtype)) {
    Scalar scalar{.dtype = DType::complex128};
    std::memcpy(scalar.bytes, words, 16);
    return scalar.cast_to(dtype);
  }
  if (is_floating(dtype)) return Scalar::of_float(DType::float64, std::bit_cast<double>(words[0])).cast_to(dtype);
  return Scalar::of_int(DType::int64, words[0]).cast_to(dtype);
}

/// One thread's code on its stack. The host's function fails while compiled code is on the stack, which cannot pass on
/// exceptions: it is left by a jump to its caller. It owns nothing.
struct HostCall {
  FunctionCall& call;
  bool is_compiled = false;
  std::jmp_buf caller;
  std::exception_ptr failure;

  void enter(const CachedKernel& code, ir::KernelArguments arguments) {
    arguments.host = answer;
    arguments.host_context = this;
    is_compiled = code.entry.load(std::memory_order_acquire) != nullptr;
    if (setjmp(caller) == 0) return run(code, arguments);
    std::rethrow_exception(failure);
  }

  static int64_t answer(void* self, uint32_t function, const int64_t* operands) {
    auto& host = *static_cast<HostCall*>(self);
    const FunctionArguments& given = host.call.given;
    try {
      if (function >= given.first_part) return host.run_part(function - given.first_part, operands), 0;
      const std::lock_guard lock(host.call.mutex);
      return given.host(given.context, function, operands);
    } catch (...) {
      if (!host.is_compiled) throw;
      host.failure = std::current_exception();
    }
    std::longjmp(host.caller, 1);
  }

  void run_part(uint32_t part, const int64_t* operands) {
    const CachedKernel& code = *call.code.parts[part];
    const std::vector<DType>& types = code.kernel->scalars;
    const size_t own = call.given.scalars.size();
    std::vector<int64_t> words(2 * types.size());
    if (own > 0) std::memcpy(words.data(), call.arguments.scalars, 16 * own);
    for (size_t k = own; k + 1 < types.size(); ++k)
      std::memcpy(&words[2 * k], scalar_of(types[k], operands + 1 + 2 * (k - own)).bytes, 16);
    auto piece = [&](int64_t begin, int64_t end) {
      std::vector<int64_t> scalars = words;
      ir::KernelArguments arguments = call.arguments;
      arguments.scalars = reinterpret_cast<const char*>(scalars.data());
      for (int64_t number = begin; number < end; ++number) {
        scalars[2 * types.size() - 2] = number;
        HostCall{.call = call}.enter(code, arguments);
      }
    };
    runtime::parallel_for(operands[0], 1, piece);
  }
};

}  // namespace

void Recording::call_function(const std::shared_ptr<const ir::Kernel>& kernel, const FunctionArguments& given) {
  engine::KernelCache& kernels = state_->kernels;
  const auto code_of = [&](const std::shared_ptr<const ir::Kernel>& of) {
    engine::UserKernel& user = state_->user_kernels.find_or_add(of);
    engine::KernelVariant& variant = user.variant(engine::layout_of(*of, given.views, given.memory));
    if (!variant.on_host) {
      variant.on_host = kernels.find_or_add(variant.hash, variant.kernel);
      kernels.prepare_function(variant.on_host);
    }
    return variant.on_host;
  };
  FunctionCode code{.whole = code_of(kernel)};
  for (const auto& part : given.parts) code.parts.push_back(code_of(part));
  std::vector<int64_t> words;
  for (const View& view : given.views) words.insert(words.end(), view.strides.begin(), view.strides.end());
  const size_t axes = words.size();
  for (const View& view : given.views) words.insert(words.end(), view.shape.begin(), view.shape.end());
  std::vector<int64_t> scalars(2 * given.scalars.size());
  for (size_t k = 0; k < given.scalars.size(); ++k) std::memcpy(&scalars[2 * k], given.scalars[k].bytes, 16);
  const ir::KernelArguments arguments{.buffers = given.memory.data(),
                                      .strides = words.data(),
                                      .dimensions = words.data() + axes,
                                      .scalars = reinterpret_cast<const char*>(scalars.data()),
                                      .extents = nullptr,
                                      .flags = nullptr};
  const engine::Unlocked unlocked(state_->hooks, given.unlocks);
  if (!given.host && given.parts.empty()) return run(*code.whole, arguments);
  FunctionCall call{.given = given, .code = code, .arguments = arguments};
  HostCall{.call = call}.enter(*code.whole, arguments);
}

}  // namespace tessera
