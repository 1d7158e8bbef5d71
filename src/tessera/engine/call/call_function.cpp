// Calls of users' functions: one lane, on the host, compiled before it first runs.
#include <csetjmp>
#include <cstring>
#include <exception>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/engine/call/function_arguments.h"
#include "tessera/engine/call/launch_arguments.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/engine/unlocked.h"

namespace tessera {

namespace {

/// The host's function fails while compiled code is on the stack, which cannot pass on exceptions: it is left by a jump
/// to its caller. It owns nothing.
struct HostCall {
  const FunctionArguments* given;
  std::jmp_buf caller;
  std::exception_ptr failure;

  static int64_t call(void* self, uint32_t function, const int64_t* operands) {
    auto& host = *static_cast<HostCall*>(self);
    try {
      return host.given->host(host.given->context, function, operands);
    } catch (...) {
      host.failure = std::current_exception();
    }
    std::longjmp(host.caller, 1);
  }
};

void run_compiled(ir::KernelEntry entry, ir::KernelArguments arguments, const FunctionArguments& given) {
  if (!given.host) return entry(&arguments, nullptr, nullptr);
  HostCall host{.given = &given};
  arguments.host = HostCall::call;
  arguments.host_context = &host;
  if (setjmp(host.caller) == 0) return entry(&arguments, nullptr, nullptr);
  std::rethrow_exception(host.failure);
}

}  // namespace

void Recording::call_function(const std::shared_ptr<const ir::Kernel>& kernel, const FunctionArguments& given) {
  engine::UserKernel& user = state_->user_kernels.find_or_add(kernel);
  engine::KernelVariant& variant = user.variant(engine::layout_of(*kernel, given.views, given.memory));
  engine::KernelCache& kernels = state_->kernels;
  if (!variant.on_host) {
    variant.on_host = kernels.find_or_add(variant.hash, variant.kernel);
    kernels.prepare_function(variant.on_host);
  }
  const std::shared_ptr<engine::CachedKernel> code = variant.on_host;
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
                                      .flags = nullptr,
                                      .host = given.host,
                                      .host_context = given.context};
  const engine::Unlocked unlocked(state_->hooks, given.unlocks);
  const ir::KernelEntry entry = code->entry.load(std::memory_order_acquire);
  if (entry)
    run_compiled(entry, arguments, given);
  else
    code->program->run(arguments, nullptr, nullptr);
}

}  // namespace tessera
