/// CudaStream: a CUDA stream behind the Stream interface, and the capture of its work for replays.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/runtime/cuda/cuda_replay.h"
#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/cuda/memory_pool.h"
#include "tessera/runtime/cuda/staging.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

class CudaStream final : public Stream {
 public:
  /// Over the handle of a stream that other code owns, or else a new one.
  CudaStream(const Driver& driver, void* context, MemoryPool& pool, std::function<void(const char*)> on_failure,
             void* handle = nullptr);
  ~CudaStream() override;
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  using Stream::launch;
  void launch(const Program& program, const Grid& grid, std::span<const char> parameters, Begin begin) override;
  void launch_user(const Program& program, const Grid& grid, std::span<void* const> arguments,
                   bool is_cooperative) override;
  uint64_t requests() const override { return requests_; }
  void copy_in(char* device, const char* host, size_t nbytes) override;
  void copy_out(std::span<const CopyOut> pieces) override;
  void copy(char* to, const char* from, size_t nbytes) override;
  void copy_rows(char* to, const char* from, const Rows& rows) override;
  void fill_zero(char* to, size_t nbytes) override;
  std::unique_ptr<Replay> capture(const std::function<void()>& work, std::span<const std::vector<int32_t>> after,
                                  std::span<Stream* const> beside) override;
  void begin_part() override;
  bool rewrite(Replay& replay, const std::function<void()>& work) override;
  void replay(const Replay& replay) override;
  std::unique_ptr<Event> record() override;
  std::unique_ptr<Event> record_timed() override;
  void wait_for(const Event& event) override;
  void synchronize() override;
  void wait_for_other(void* stream) override { order(stream, stream_); }
  void let_other_wait(void* stream) override { order(stream_, stream); }
  void* handle() override {
    enter();
    order_work();
    ++requests_;  // the caller may queue work of its own on the handle
    return stream_;
  }
  void* lend() override {
    is_lent_ = true;
    return handle();
  }
  /// What has to be queued before this stream's own work.
  void set_before_work(std::function<void()> before_work) { before_work_ = std::move(before_work); }
  /// Makes this stream wait for the work of another.
  void follow(void* other);
  /// Makes it wait for the replay of another device's stream that its work is to come after. Any thread may call it.
  void settle();
  void* get() const { return stream_; }
  /// Copies from and to pinned memory, which is used until the stream's work is done.
  void start_copy_in(char* device, const char* pinned, size_t nbytes);
  void start_copy_out(char* pinned, const char* device, size_t nbytes);
  /// Makes the device's context current for this thread.
  void enter() const;

 private:
  void order_work() {
    settle();
    if (before_work_) before_work_();
  }
  int launch_early(void* function, const Grid& grid, void** arguments) const;
  /// Reports a device failure before the exception leaves.
  template <class Body>
  void call(Body&& body);
  void note_launch(LaunchNode launch);
  bool join_capture(CudaStream& leader);
  void leave_capture();
  void come_before(CudaStream& leader);
  void come_after(const CudaStream& leader, std::shared_ptr<Event> point);
  void order(void* first, void* second);

  const Driver& driver_;
  void* context_;
  MemoryPool& pool_;
  std::function<void(const char*)> on_failure_;
  void* stream_;
  bool is_ours_;
  void* target_ = stream_;  // stream that receives launches, copies and fills: while capturing, the capturing stream
  void* capturing_ = nullptr;
  CudaStream* leader_ = this;                    // with whose work this one's is captured
  std::vector<LaunchNode> launches_;             // captured so far, of all streams that it leads
  std::span<const std::vector<int32_t>> after_;  // the parts that each part captured waits for
  // The last nodes of each earlier part: work that depends on them depends on the part.
  std::vector<std::vector<void*>> ends_;
  bool is_apart_ = false;  // a part is being captured
  int part_status_ = 0;    // first error status of the driver while the part was captured
  std::atomic<uint64_t> requests_ = 0;
  std::atomic<bool> is_lent_ = false;  // other code's work may be here at any time, and is not counted in requests_
  CudaReplay* rewriting_ = nullptr;    // the replay whose launches get other parameters
  /// A replay of another stream with work of this one. It is waited for by the next work here, so that replays which
  /// follow each other need not wait for this stream in between.
  struct Replayed {
    Mutex mutex{};
    std::atomic<bool> is_there = false;
    std::shared_ptr<Event> point{};
    const CudaStream* leader = nullptr;
    uint64_t requests = 0;  // of this stream at that time
  } replayed_{};
  std::function<void()> before_work_;
  Staging staging_;
};

}  // namespace tessera::runtime::cuda
