/// SimulatedUserStreams: users' streams of the simulated device, whose work runs as late as it may.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/engine/device/run/simulated_stream.h"
#include "tessera/runtime/adopted_buffer.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/user_streams.h"

namespace tessera::engine {

using runtime::Buffer;

/// Work that runs when somebody waits for it, at the last moment: what does not wait for it sees that it is not done.
class SimulatedQueue final : public SimulatedStream {
 public:
  using SimulatedStream::launch;
  using SimulatedStream::SimulatedStream;
  void launch(const runtime::Program& program, const runtime::Grid& grid, std::span<const char> parameters,
              runtime::Begin begin) override {
    std::vector<char> kept(parameters.begin(), parameters.end());
    put([=, this, &program] { SimulatedStream::launch(program, grid, kept, begin); });
  }
  void launch_user(const runtime::Program& program, const runtime::Grid& grid, std::span<void* const> arguments,
                   bool is_cooperative) override {
    const SimulatedKernel& kernel = static_cast<const SimulatedFunction&>(program).kernel();
    std::vector<std::vector<char>> kept;
    for (size_t k = 0; k < arguments.size(); ++k) {
      const char* value = static_cast<const char*>(arguments[k]);
      kept.emplace_back(value, value + kernel.sizes[k]);
    }
    put([=, this, &program] {
      std::vector<void*> values;
      for (const std::vector<char>& value : kept) values.push_back(const_cast<char*>(value.data()));
      SimulatedStream::launch_user(program, grid, values, is_cooperative);
    });
  }
  void copy_in(char* device, const char* host, size_t nbytes) override {
    put([this, device, bytes = std::vector<char>(host, host + nbytes)] {
      SimulatedStream::copy(device, bytes.data(), bytes.size());
    });
  }
  void copy(char* to, const char* from, size_t nbytes) override {
    put([=, this] { SimulatedStream::copy(to, from, nbytes); });
  }
  void copy_out(std::span<const runtime::CopyOut> pieces) override {
    const SimulatedTurn turn;
    run(queued_);
    for (const runtime::CopyOut& piece : pieces) SimulatedStream::copy(piece.host, piece.device, piece.nbytes);
  }
  std::unique_ptr<runtime::Event> record() override {
    const SimulatedTurn turn;
    return std::make_unique<SimulatedEvent>([this, number = queued_, alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) run(number);
    });
  }
  void wait_for(const runtime::Event& event) override {
    put([before = static_cast<const SimulatedEvent&>(event).reach()] {
      if (before) before();
    });
  }
  void synchronize() override {
    const SimulatedTurn turn;
    run(queued_);
    SimulatedStream::synchronize();
  }
  /// Keeps the buffers until the work so far is done.
  void hold(std::vector<Ref<Buffer>> memory) {
    put([memory = std::move(memory)] {});
  }

 private:
  void put(std::function<void()> work) {
    const SimulatedTurn turn;
    work_.push_back(std::move(work));
    ++queued_;
  }
  void run(uint64_t until) {
    const SimulatedTurn turn;
    while (done_ < until) {
      const std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      ++done_;
      next();
    }
  }

  std::deque<std::function<void()>> work_;
  uint64_t queued_ = 0, done_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>();
};

class SimulatedUserStreams;

class SimulatedUserStream final : public runtime::UserStream {
 public:
  SimulatedUserStream(SimulatedUserStreams& all, runtime::Device& device, std::shared_ptr<SimulatedQueue> queue)
      : all_(all), device_(device), queue_(std::move(queue)) {}
  const std::shared_ptr<SimulatedQueue>& queue() const { return queue_; }
  void* share() override { return queue_->handle(); }
  ~SimulatedUserStream() override;
  runtime::Device& device() override { return device_; }
  SimulatedQueue& stream() override { return *queue_; }
  void start_copy_in(char* device, const char* pinned, size_t nbytes) override { queue_->copy(device, pinned, nbytes); }
  void start_copy_out(char* pinned, const char* device, size_t nbytes) override {
    queue_->copy(pinned, device, nbytes);
  }
  void hold(std::vector<Ref<Buffer>> memory) override { queue_->hold(std::move(memory)); }
  void release_done() override {}

 private:
  SimulatedUserStreams& all_;
  runtime::Device& device_;
  std::shared_ptr<SimulatedQueue> queue_;
};

class SimulatedUserStreams final : public runtime::UserStreams {
 public:
  explicit SimulatedUserStreams(runtime::Device& device) : device_(device) {}
  std::shared_ptr<runtime::UserStream> make(void* handle) override {
    const SimulatedTurn turn;
    std::shared_ptr<SimulatedQueue> queue;
    for (SimulatedUserStream* known : streams_)
      if (known->queue().get() == handle) queue = known->queue();
    if (!queue) queue = std::make_shared<SimulatedQueue>([](const char*) {});
    auto stream = std::make_shared<SimulatedUserStream>(*this, device_, std::move(queue));
    streams_.push_back(stream.get());
    return stream;
  }
  Ref<Buffer> allocate_pinned(size_t nbytes) override {
    const SimulatedTurn turn;
    const Ref<Buffer> home = runtime::HostPool::instance().allocate(nbytes);
    pinned_[home->data()] = nbytes;
    return runtime::adopt(home->data(), nbytes, [this, home] { unpin(home->data()); });
  }
  void pin(char* memory, size_t nbytes) override {
    const SimulatedTurn turn;
    pinned_[memory] = nbytes;
  }
  void unpin(char* memory) override {
    const SimulatedTurn turn;
    run_all();
    require<RuntimeError>(pinned_.erase(memory) == 1, "the simulated device has not pinned this memory");
  }
  bool is_pinned(const char* memory, size_t nbytes) override {
    const SimulatedTurn turn;
    auto at = pinned_.upper_bound(memory);
    if (at == pinned_.begin()) return false;
    --at;
    return memory + nbytes <= at->first + at->second;
  }
  void run_all() {
    const SimulatedTurn turn;
    for (SimulatedUserStream* stream : streams_) stream->stream().synchronize();
  }
  void remove(SimulatedUserStream& stream) {
    const SimulatedTurn turn;
    stream.stream().synchronize();
    std::erase(streams_, &stream);
  }

 private:
  runtime::Device& device_;
  std::vector<SimulatedUserStream*> streams_;
  std::map<const char*, size_t> pinned_;
};

inline SimulatedUserStream::~SimulatedUserStream() { all_.remove(*this); }

}  // namespace tessera::engine
