/// SimulatedStream: programs of printed kernels, and streams that run them when they are launched: by the interpreter,
/// mapped kernels of many threads as native code.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/base/mutex.h"
#include "tessera/codegen/compiler.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/engine/device/run/simulated_module.h"
#include "tessera/engine/device/run/simulated_replay.h"
#include "tessera/engine/kernels/waiting_lanes.h"
#include "tessera/ir/interpreter.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

using codegen::DeviceParameters;

class SimulatedProgram final : public runtime::Program {
 public:
  /// Parses the text of a kernel and of its epilogue.
  explicit SimulatedProgram(std::string_view text) {
    for (size_t next; !text.empty(); text.remove_prefix(next)) {
      next = text.find("\nkernel ") + 1;
      if (next == 0) next = text.size();
      parts_.push_back(std::make_unique<Part>(text.substr(0, next)));
    }
  }
  int registers() const override { return 0; }
  int local_bytes() const override { return 0; }
  int attribute(runtime::ProgramAttribute) const override { return 0; }
  void set_attribute(runtime::ProgramAttribute, int) const override {}
  std::optional<std::vector<runtime::ParameterPlace>> parameters() const override { return std::nullopt; }
  int blocks_a_multiprocessor(int, size_t) const override { return most_blocks_that_meet; }

  /// Makes native code of a kernel over a grid, which its larger launches run from then on.
  void compile(codegen::Compiler& compiler) const {
    if (parts_.size() == 1 && !parts_[0]->native)
      parts_[0]->native = compiler.compile(parts_[0]->kernel, codegen::Tier::quick);
  }

  /// Decodes the parameter block as a compiled kernel would.
  void run(std::span<const char> parameters, int64_t shared_bytes) const {
    const char* block = parameters.data();
    if (!parts_[0]->at.by_value()) std::memcpy(&block, parameters.data(), sizeof block);
    parts_[0]->run(block, shared_bytes);
    block += parts_[0]->at.epilogue();
    for (size_t k = 1; k < parts_.size(); block += parts_[k++]->at.size) parts_[k]->run(block, 0);
  }

 private:
  struct Part {
    explicit Part(std::string_view text) : kernel(ir::parse(text)), at(kernel), program(kernel) {}
    void run(const char* block, int64_t shared_bytes) const {
      const auto words = [&](int64_t offset) { return reinterpret_cast<const int64_t*>(block + offset); };
      const ir::KernelArguments arguments{.buffers = reinterpret_cast<char* const*>(block + at.buffers),
                                          .strides = words(at.strides),
                                          .dimensions = words(at.dimensions),
                                          .scalars = block + at.scalars,
                                          .extents = words(at.extents),
                                          .flags = reinterpret_cast<uint32_t*>(*words(at.flags)),
                                          .shared_bytes = shared_bytes,
                                          .wait_for = wait_for_others};
      if (native && threads_of(words(at.extents)) >= many_threads)
        return native->entry()(&arguments, words(at.begin), words(at.end));
      if (!ir::waits_for_others(kernel)) return program.run(arguments, words(at.begin), words(at.end));
      run_waiting(kernel, words(at.extents),
                  [&](const int64_t* begin, const int64_t* end) { program.run(arguments, begin, end); });
    }

    int64_t threads_of(const int64_t* extents) const {
      return std::accumulate(extents, extents + kernel.ndim, int64_t{1}, std::multiplies<>());
    }

    static constexpr int64_t many_threads = 1024;
    ir::Kernel kernel;
    DeviceParameters at;
    ir::Program program;
    mutable std::shared_ptr<codegen::NativeKernel> native{};
  };
  std::vector<std::unique_ptr<Part>> parts_;
};

/// One thread at a time uses the simulated device's streams: callers that wait for them have released their lock.
class SimulatedTurn {
 private:
  static inline RecursiveMutex mutex_;
  std::lock_guard<RecursiveMutex> lock_{mutex_};
};

/// Fails as GPUs do: the launch succeeds, and the next call that waits throws.
class SimulatedStream : public runtime::Stream {
 public:
  explicit SimulatedStream(std::function<void(const char*)> on_failure, int device = 0)
      : on_failure_(std::move(on_failure)) {
    const char* failure = std::getenv("TESSERA_SIMULATED_FAILURE");
    const char* at = failure ? std::strchr(failure, '@') : nullptr;
    if (failure && (at ? std::atoi(at + 1) : 0) == device) launches_left_ = std::atoll(failure);
  }
  using Stream::launch;
  uint64_t requests() const override {
    const SimulatedTurn turn;
    return requests_;
  }
  /// What has to be done before this stream's own work.
  void set_before_work(std::function<void()> before_work) { before_work_ = std::move(before_work); }
  void launch(const runtime::Program& program, const runtime::Grid& grid, std::span<const char> parameters,
              runtime::Begin) override {
    const SimulatedTurn turn;
    order_work();
    ++requests_;
    if (writing_) {
      std::vector<char> kept(parameters.begin(), parameters.end());
      return writing_->add(this, [this, &program, grid, kept] { run(program, grid, kept); });
    }
    require<RuntimeError>(!faults::fails(faults::Fault::launch), "launching a kernel on the simulated device failed");
    run(program, grid, parameters);
  }
  void launch_user(const runtime::Program& program, const runtime::Grid& grid, std::span<void* const> arguments,
                   bool) override {
    const SimulatedTurn turn;
    order_work();
    ++requests_;
    require<RuntimeError>(!faults::fails(faults::Fault::launch), "launching a kernel on the simulated device failed");
    if (launches_left_ > 0 && --launches_left_ == 0) has_failed_ = true;
    const SimulatedKernel& kernel = static_cast<const SimulatedFunction&>(program).kernel();
    if (!has_failed_) kernel.run(grid.blocks.data(), grid.threads.data(), grid.shared_bytes, arguments.data());
  }
  void copy_in(char* device, const char* host, size_t nbytes) override {
    require<RuntimeError>(!faults::fails(faults::Fault::copy), "copying to the simulated device failed");
    copy(device, host, nbytes);
  }
  void copy_out(std::span<const runtime::CopyOut> pieces) override {
    const SimulatedTurn turn;
    require<RuntimeError>(!faults::fails(faults::Fault::copy), "copying from the simulated device failed");
    synchronize();
    for (const runtime::CopyOut& piece : pieces)
      if (piece.nbytes) std::memcpy(piece.host, piece.device, piece.nbytes);
  }
  void copy(char* to, const char* from, size_t nbytes) override {
    const SimulatedTurn turn;
    if (writing_) return writing_->add(this, [=, this] { copy(to, from, nbytes); });
    order_work();
    if (nbytes) std::memcpy(to, from, nbytes);
  }
  void copy_rows(char* to, const char* from, const runtime::Rows& rows) override {
    const SimulatedTurn turn;
    if (writing_) return writing_->add(this, [=, this] { copy_rows(to, from, rows); });
    order_work();
    for (int64_t row = 0; row < rows.rows; ++row)
      std::memcpy(to + row * rows.pitch, from + row * rows.pitch, static_cast<size_t>(rows.nbytes));
  }
  void fill_zero(char* to, size_t nbytes) override {
    const SimulatedTurn turn;
    if (writing_) return writing_->add(this, [=, this] { fill_zero(to, nbytes); });
    order_work();
    std::memset(to, 0, nbytes);
  }
  std::unique_ptr<runtime::Replay> capture(const std::function<void()>& work,
                                           std::span<const std::vector<int32_t>> after,
                                           std::span<runtime::Stream* const> beside) override {
    const SimulatedTurn turn;
    auto replay = std::make_unique<SimulatedReplay>();
    replay->after.assign(after.begin(), after.end());
    for (runtime::Stream* other : beside) replay->beside.push_back(static_cast<SimulatedStream*>(other));
    write(*replay, work);
    return replay;
  }
  void begin_part() override {
    const SimulatedTurn turn;
    if (writing_) writing_->parts.emplace_back();
  }
  bool rewrite(runtime::Replay& replay, const std::function<void()>& work) override {
    const SimulatedTurn turn;
    auto& written = static_cast<SimulatedReplay&>(replay);
    const size_t count = written.count();
    written.clear();
    write(written, work);
    return written.count() == count;
  }
  void replay(const runtime::Replay& replay) override {
    const SimulatedTurn turn;
    order_work();
    require<RuntimeError>(!faults::fails(faults::Fault::launch), "launching a graph on the simulated device failed");
    static_cast<const SimulatedReplay&>(replay).run();
  }
  std::unique_ptr<runtime::Event> record() override {
    const SimulatedTurn turn;
    if (writing_) return writing_->record(this);
    order_work();
    return std::make_unique<SimulatedEvent>();
  }
  void wait_for(const runtime::Event& event) override {
    const SimulatedTurn turn;
    if (writing_) return writing_->wait_for(this, static_cast<const SimulatedEvent&>(event));
    event.wait();
  }
  void synchronize() override {
    const SimulatedTurn turn;
    order_work();
    if (!has_failed_) return;
    constexpr const char* what = "waiting for the simulated device failed: a kernel was made to fail";
    on_failure_(what);
    throw runtime::DeviceFailure(what);
  }
  void wait_for_other(void* stream) override { note(stream); }
  void let_other_wait(void* stream) override { note(stream); }
  /// A library queues work here, which may be made to fail as a launch is.
  void* handle() override {
    const SimulatedTurn turn;
    order_work();
    if (launches_left_ > 0 && --launches_left_ == 0) has_failed_ = true;
    return this;
  }

 private:
  void run(const runtime::Program& program, const runtime::Grid& grid, std::span<const char> parameters) {
    for (int axis = 0; axis < 3; ++axis)
      require<RuntimeError>(grid.blocks[axis] > 0 && grid.threads[axis] > 0, "the simulated device got an empty grid");
    if (launches_left_ > 0 && --launches_left_ == 0) has_failed_ = true;
    if (!has_failed_) static_cast<const SimulatedProgram&>(program).run(parameters, grid.shared_bytes);
  }
  /// Lets the work be noted in the replay instead of being done.
  void write(SimulatedReplay& replay, const std::function<void()>& work) {
    const auto turn_to = [&](SimulatedReplay* writing) {
      writing_ = writing;
      for (SimulatedStream* other : replay.beside) other->writing_ = writing;
    };
    turn_to(&replay);
    try {
      work();
    } catch (...) {
      turn_to(nullptr);
      throw;
    }
    turn_to(nullptr);
  }
  void order_work() const {
    if (before_work_) before_work_();
  }

  std::function<void()> before_work_;
  std::function<void(const char*)> on_failure_;
  int64_t launches_left_ = 0;
  uint64_t requests_ = 0;
  bool has_failed_ = false;
  SimulatedReplay* writing_ = nullptr;

  static void note(void* stream) { require<ValueError>(stream != nullptr, "the simulated device got no stream"); }
};

/// Copies to the device take effect only when they are waited for.
class SimulatedInbound final : public SimulatedStream {
 public:
  using SimulatedStream::SimulatedStream;
  void copy_in(char* device, const char* host, size_t nbytes) override {
    const SimulatedTurn turn;
    coming_.push_back({device, {host, host + nbytes}});
  }
  std::unique_ptr<runtime::Event> record() override {
    return std::make_unique<SimulatedEvent>([this] { synchronize(); });
  }
  void synchronize() override {
    const SimulatedTurn turn;
    for (const auto& [device, bytes] : coming_) SimulatedStream::copy_in(device, bytes.data(), bytes.size());
    coming_.clear();
  }

 private:
  struct Coming {
    char* device;
    std::vector<char> bytes;
  };
  std::vector<Coming> coming_;
};

}  // namespace tessera::engine
