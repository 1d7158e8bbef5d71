/// CudaUserStreams: users' streams of one GPU, ordered against the GPU's own stream by events, and pinned memory.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/runtime/cuda/cuda_stream.h"
#include "tessera/runtime/user_streams.h"

namespace tessera::runtime::cuda {

class CudaUserStream;

class CudaUserStreams final : public UserStreams {
 public:
  /// `own` is the GPU's stream, which is made to wait for the users' before its work.
  CudaUserStreams(const Driver& driver, void* context, MemoryPool& pool, Device& device, CudaStream& own,
                  std::function<void(const char*)> on_failure);
  std::shared_ptr<UserStream> make(void* handle) override;
  Ref<Buffer> allocate_pinned(size_t nbytes) override;
  void pin(char* memory, size_t nbytes) override;
  void unpin(char* memory) override;
  bool is_pinned(const char* memory, size_t nbytes) override;
  /// Gives up memory of which the work is done.
  void release_done();
  /// Waits for the streams and gives up the memory that they hold; false where they hold none.
  bool release_memory();

 private:
  friend class CudaUserStream;
  void join();
  void join_all();
  void wait_for_all() noexcept;
  void remove(CudaUserStream& stream) noexcept;

  const Driver& driver_;
  void* context_;
  MemoryPool& pool_;
  Device& device_;
  CudaStream& own_;
  std::function<void(const char*)> on_failure_;
  Mutex mutex_;
  std::vector<CudaUserStream*> streams_;
  std::atomic<bool> hold_memory_ = false;
  std::atomic<bool> have_work_ = false;  // that the GPU's own stream was not made to wait for
};

}  // namespace tessera::runtime::cuda
