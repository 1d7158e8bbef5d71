// Calls of users' functions: one lane, on the host, compiled before it first runs; their parallel loops run on all
// threads.
#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/local_array.h"
#include "tessera/base/unlocked.h"
#include "tessera/engine/kernels/function_arguments.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/state.h"
#include "tessera/ir/new_memory.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

namespace {

using engine::CachedKernel;

using Parts = std::vector<std::shared_ptr<CachedKernel>>;

/// Says where machine code's frames begin until it goes.
class StackNote {
 public:
  StackNote(CallState* state, const void* stack) : state_(state), before_(state ? state->stack : nullptr) {
    if (state_) state_->stack = stack;
  }
  ~StackNote() {
    if (state_) state_->stack = before_;
  }
  StackNote(const StackNote&) = delete;
  StackNote& operator=(const StackNote&) = delete;

 private:
  CallState* state_;
  const void* before_;
};

/// What all threads of a call share.
struct FunctionCall {
  const FunctionArguments& given;
  const Parts& parts;
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
  ir::ArrayArena arena;

  void enter(const CachedKernel& code, ir::KernelArguments arguments) {
    arguments.host = answer;
    arguments.host_context = this;
    arguments.arena = &arena;
    is_compiled = code.entry.load(std::memory_order_acquire) != nullptr;
    if (setjmp(caller) == 0) return run(code, arguments);
    std::rethrow_exception(failure);
  }

  /// The same of the whole function, whose machine code's frames are those below this one.
  [[gnu::noinline]] void enter_whole(const CachedKernel& code, const ir::KernelArguments& arguments) {
    const StackNote note(call.given.state,
                         code.entry.load(std::memory_order_acquire) ? __builtin_frame_address(0) : nullptr);
    if (call.given.state) call.given.state->arena = &arena;
    enter(code, arguments);
  }

  static int64_t answer(void* self, uint32_t function, const int64_t* operands) {
    auto& host = *static_cast<HostCall*>(self);
    const FunctionArguments& given = host.call.given;
    try {
      if (function >= given.first_part) return host.run_part(function - given.first_part, operands), 0;
      if (function == ir::mark_arena) return static_cast<int64_t>(host.arena.next);
      if (function == ir::release_arena) return host.arena.release(static_cast<uintptr_t>(operands[0])), 0;
      if (function == ir::allocate || function == ir::allocate_zeros) return host.allocate(function, operands);
      return host.ask(function, operands);
    } catch (...) {
      if (!host.is_compiled) throw;
      host.failure = std::current_exception();
    }
    std::longjmp(host.caller, 1);
  }

  int64_t ask(uint32_t function, const int64_t* operands) {
    std::unique_lock lock(call.mutex, std::defer_lock);
    if (function < call.given.apart && !call.parts.empty()) lock.lock();  // else there is one thread
    return call.given.host(call.given.context, function, operands);
  }

  /// As native code does it: small arrays are taken from the block, or from a new one.
  int64_t allocate(uint32_t function, const int64_t* operands) {
    if (operands[1] < 0) return ask(function, operands);  // words of containers
    const int64_t size = itemsize(static_cast<DType>(operands[1])), elements = std::max<int64_t>(0, operands[0]);
    if (!call.given.packs_arrays || elements > ir::most_arena_bytes / size) return ask(function, operands);
    const auto bytes = static_cast<uintptr_t>(size * elements + ir::arena_alignment) &
                       ~static_cast<uintptr_t>(ir::arena_alignment - 1);
    if (bytes >= arena.end - arena.next) add_block(bytes + 1);
    const uintptr_t taken = std::exchange(arena.next, arena.next + bytes);
    if (function == ir::allocate_zeros) std::memset(reinterpret_cast<void*>(taken), 0, bytes);
    return static_cast<int64_t>(taken) / size;
  }

  /// Blocks grow, so that calls that make one array take little more than it.
  void add_block(uintptr_t least) {
    constexpr uintptr_t first = 1 << 10, most = 1 << 18;
    const uintptr_t wanted = std::max(least, std::clamp(4 * (arena.end - arena.begin), first, most));
    const uintptr_t bytes = (wanted + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
    const int64_t words[] = {static_cast<int64_t>(bytes / sizeof(int64_t)), static_cast<int64_t>(ir::arena_dtype)};
    arena.begin = static_cast<uintptr_t>(ask(ir::allocate, words)) * sizeof(int64_t);
    arena.next = arena.begin;
    arena.end = arena.begin + bytes;
  }

  void run_part(uint32_t part, const int64_t* operands) {
    const CachedKernel& code = *call.parts[part];
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
    const StackNote note(call.given.state, nullptr);
    runtime::parallel_for(operands[0], 1, piece);
  }
};

size_t count_axes(std::span<const View> views) {
  size_t axes = 0;
  for (const View& view : views) axes += view.shape.size();
  return 2 * axes;
}

/// Strides, then extents; returns where they end.
int64_t* put_axes(int64_t* words, std::span<const View> views) {
  for (const View& view : views) words = std::ranges::copy(view.strides, words).out;
  for (const View& view : views) words = std::ranges::copy(view.shape, words).out;
  return words;
}

void put_axes(std::vector<int64_t>& words, std::span<const View> views) {
  words.resize(count_axes(views));
  put_axes(words.data(), views);
}

/// Strides, extents and scalars lie in these words, but for the axes that all calls share.
ir::KernelArguments arguments_in(int64_t* words, const FunctionArguments& given, const FunctionCode& last) {
  const int64_t* const strides = given.are_alike ? last.axes.data() : words;
  int64_t* const scalars = given.are_alike ? words : put_axes(words, given.views);
  const int64_t* const dimensions =
      strides + (given.are_alike ? last.axes.size() : static_cast<size_t>(scalars - words)) / 2;
  words = scalars;
  for (const Scalar& scalar : given.scalars) std::memcpy(std::exchange(words, words + 2), scalar.bytes, 16);
  return {.buffers = given.memory.data(),
          .strides = strides,
          .dimensions = dimensions,
          .scalars = reinterpret_cast<const char*>(scalars),
          .extents = nullptr,
          .flags = nullptr};
}

}  // namespace

const std::atomic<ir::KernelEntry>& FunctionCode::entry() const { return code->entry; }

FunctionRunner Recording::function_runner(const std::shared_ptr<const ir::Kernel>& kernel, std::span<const View> views,
                                          std::span<char* const> memory) {
  engine::UserKernel& user = state_->user_kernels.find_or_add(kernel);
  engine::KernelVariant& variant = user.variant(engine::layout_of(*kernel, views, memory));
  if (!variant.on_host) {
    variant.on_host = state_->kernels.find_or_add(variant.hash, variant.kernel);
    state_->kernels.prepare_function(variant.on_host);
  }
  return [code = variant.on_host](const ir::KernelArguments& arguments) { run(*code, arguments); };
}

void Recording::call_function(const std::shared_ptr<const ir::Kernel>& kernel, const FunctionArguments& given,
                              FunctionCode& last) {
  engine::KernelCache& kernels = state_->kernels;
  const auto code_of = [&](const std::shared_ptr<const ir::Kernel>& of, const engine::LaunchLayout& layout) {
    engine::UserKernel& user = state_->user_kernels.find_or_add(of);
    engine::KernelVariant& variant = user.variant(layout);
    if (!variant.on_host) {
      variant.on_host = kernels.find_or_add(variant.hash, variant.kernel);
      kernels.prepare_function(variant.on_host);
    }
    return variant.on_host;
  };
  if (!last.code || !given.are_alike) {
    const engine::LaunchLayout layout = engine::layout_of(*kernel, given.views, given.memory);
    if (!last.code || last.layout != layout) last = {layout, code_of(kernel, layout), {}};
    if (given.are_alike) put_axes(last.axes, given.views);
  }
  // Variants keep their code, so this stays although another thread's call may change `last`.
  const CachedKernel& code = *last.code;
  const size_t words = (given.are_alike ? 0 : count_axes(given.views)) + 2 * given.scalars.size();
  constexpr size_t most_on_stack = 64;
  LocalArray<int64_t, most_on_stack> few(words <= most_on_stack ? words : 0);
  std::vector<int64_t> many(words <= most_on_stack ? 0 : words);
  const ir::KernelArguments arguments = arguments_in(words <= most_on_stack ? few.data() : many.data(), given, last);
  if (!given.host && given.parts.empty()) {
    const Unlocked unlocked(state_->hooks, given.unlocks);
    return run(code, arguments);
  }
  Parts parts;
  for (const auto& part : given.parts)
    parts.push_back(code_of(part, engine::layout_of(*part, given.views, given.memory)));
  const Unlocked unlocked(state_->hooks, given.unlocks);
  FunctionCall call{.given = given, .parts = parts, .arguments = arguments};
  HostCall{.call = call}.enter_whole(code, arguments);
}

}  // namespace tessera
