#include "tessera/runtime/cuda/cuda_device.h"

#include <cstdlib>
#include <map>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/runtime/adopted_buffer.h"
#include "tessera/runtime/cuda/cuda_module.h"
#include "tessera/runtime/cuda/cuda_shared_memory.h"
#include "tessera/runtime/cuda/cuda_stream.h"
#include "tessera/runtime/cuda/cuda_user_streams.h"
#include "tessera/runtime/cuda/forks.h"
#include "tessera/runtime/cuda/memory_pool.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime::cuda {

namespace {

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int number, int part)
      : driver_(driver),
        context_(enter_context(driver, number)),
        pool_(driver),
        stream_(driver, context_, pool_, [this](const char* what) { note_failure(what); }),
        user_streams_(driver, context_, pool_, *this, stream_, [this](const char* what) { note_failure(what); }) {
    pool_.set_before_trim([this] { stream_.settle(); });
    check(driver_, driver_.device_get(&device_, number), "finding the device");
    char name[256] = {};
    check(driver_, driver_.device_name(name, sizeof name - 1, device_), "asking the device's name");
    size_t memory = 0;
    check(driver_, driver_.device_memory(&memory, device_), "asking the device's memory");
    const auto ask = [&](Attribute attribute) {
      int value = 0;
      check(driver_, driver_.device_attribute(&value, attribute, device_), "asking about the device");
      return value;
    };
    facts_ = {.name = name,
              .number = number,
              .part = part,
              .capability = 10 * ask(capability_major) + ask(capability_minor),
              .multiprocessors = ask(multiprocessor_count),
              .memory = static_cast<int64_t>(memory),
              .cache = ask(l2_cache_bytes),
              .shared_bytes = ask(runtime::cuda::most_shared_bytes)};
    check(driver_, driver_.driver_version(&facts_.driver_version), "asking the driver's version");
  }

  Ref<Buffer> allocate(size_t nbytes) override {
    stream_.enter();
    const auto size = static_cast<int64_t>(nbytes);
    user_streams_.release_done();
    const MemoryPool::Block block = take_with_relief(size, [&] {
      try {
        return pool_.take(size);
      } catch (const OutOfMemory&) {
        if (!user_streams_.release_memory()) throw;
      }
      return pool_.take(size);
    });
    char* data = reinterpret_cast<char*>(block.address);
    return Ref<Buffer>(std::make_unique<Buffer>(this, data, nbytes, static_cast<size_t>(block.capacity)).release());
  }
  void recycle(Buffer* buffer) noexcept override {
    if (is_adopted(*buffer)) {
      const std::unique_ptr<AdoptedBuffer> foreign(static_cast<AdoptedBuffer*>(buffer));
      return foreign->release();
    }
    const std::unique_ptr<Buffer> owned(buffer);
    pool_.give_back({address_of(owned->data()), static_cast<int64_t>(owned->capacity())});
  }

  Ref<Buffer> adopt(char* data, size_t nbytes, std::function<void()> release) override {
    return Ref<Buffer>(std::make_unique<AdoptedBuffer>(this, data, nbytes, std::move(release)).release());
  }

  Family family() const override { return Family::cuda; }
  const DeviceFacts& facts() const override { return facts_; }
  std::optional<int> attribute(int number) const override {
    int value = 0;
    if (driver_.device_attribute(&value, number, device_) != success) return std::nullopt;
    return value;
  }
  int64_t limit_of(DeviceLimit limit) const override {
    stream_.enter();
    size_t nbytes = 0;
    check(driver_, driver_.context_limit(&nbytes, static_cast<int>(limit)), "asking a limit of the device");
    return static_cast<int64_t>(nbytes);
  }
  void set_limit_of(DeviceLimit limit, int64_t nbytes) override {
    stream_.enter();
    check(driver_, driver_.context_set_limit(static_cast<int>(limit), static_cast<size_t>(nbytes)),
          "setting a limit of the device");
  }
  bool is_usable() const override { return !is_forked && Device::is_usable(); }
  Stream& stream() override { return stream_; }
  Stream& inbound() override { return beside(inbound_); }
  Stream& outbound() override { return beside(outbound_); }
  bool reach(const Device& other) override {
    const int number = other.facts().number;
    if (number == facts_.number) return true;  // another part of this device
    const auto known = reached_.find(number);
    return known != reached_.end() ? known->second : reached_[number] = allow_access(number);
  }
  std::unique_ptr<SharedMemory> make_shared_memory(size_t nbytes) override {
    stream_.enter();
    return cuda::make_shared_memory(driver_, nbytes);
  }
  std::unique_ptr<SharedMemory> map_shared_memory(std::string_view handle) override {
    stream_.enter();
    return cuda::map_shared_memory(driver_, handle);
  }
  UserStreams* user_streams() override { return &user_streams_; }
  std::shared_ptr<Program> load(std::string_view code, const char* entry) override {
    std::shared_ptr<Program> program =
        with_memory([&] { return std::make_shared<CudaModule>(driver_, context_, code); })->find(entry);
    require<RuntimeError>(program != nullptr, "loading a kernel: the code has no function {}", entry);
    return program;
  }
  std::shared_ptr<Module> load_module(std::string_view code, const JitOptions& options, std::string& log) override {
    return with_memory([&] { return std::make_shared<CudaModule>(driver_, context_, code, options, log); });
  }
  std::string assemble(std::string_view text, int optimization) override;
  PoolStatistics statistics() const override { return pool_.statistics(); }
  void trim() override {
    stream_.enter();
    pool_.trim();
  }
  void set_limit(int64_t nbytes) override { pool_.set_limit(nbytes); }
  int64_t capacity() const override {
    const int64_t limit = pool_.limit();
    return limit > 0 ? limit : facts_.memory;
  }

 private:
  bool allow_access(int number) {
    int access = 0;
    if (driver_.peer_attribute(&access, peer_access, facts_.number, number) != success || !access) return false;
    void* context = enter_context(driver_, number);
    stream_.enter();
    // Another library may have allowed it; where it fails, the driver copies by way of the host.
    constexpr int allowed_already = 704;
    const int status = driver_.context_reach(context, 0);
    return status == success || status == allowed_already;
  }
  /// Loads code, which takes device memory.
  template <class Load>
  std::shared_ptr<CudaModule> with_memory(Load&& load) {
    stream_.enter();
    constexpr int64_t room = int64_t{64} << 20;
    return take_with_relief(room, [&] {
      try {
        return load();
      } catch (const OutOfMemory&) {
        pool_.trim();
      }
      return load();
    });
  }
  /// A failure is recorded by the device's own stream: these streams are used by other threads.
  Stream& beside(std::unique_ptr<CudaStream>& stream) {
    stream_.enter();
    if (!stream) stream = std::make_unique<CudaStream>(driver_, context_, pool_, [](const char*) {});
    return *stream;
  }
  static void* enter_context(const Driver& driver, int number) {
    int device = 0;
    void* context = nullptr;
    check(driver, driver.device_get(&device, number), "finding the device");
    check(driver, driver.context_retain(&context, device), "opening the device");
    check(driver, driver.context_set(context), "entering the device");
    return context;
  }

  const Driver& driver_;
  int device_ = 0;
  void* context_;
  MemoryPool pool_;
  CudaStream stream_;
  CudaUserStreams user_streams_;
  std::unique_ptr<CudaStream> inbound_, outbound_;  // created on first use
  DeviceFacts facts_;
  std::map<int, bool> reached_;  // by number: whether memory of other devices is reached
};

/// With `is_short_text`: the lowest level that keeps values in registers takes a tenth less time than the default.
std::string CudaDevice::assemble(std::string_view text, int optimization) {
  stream_.enter();
  constexpr int ptx_input = 1;
  constexpr size_t log_bytes = 16384;
  std::array<char, log_bytes> log{};
  std::array<int, 3> options{jit_error_log, jit_error_log_bytes, jit_optimization};
  std::array<void*, 3> values{log.data(), reinterpret_cast<void*>(log_bytes - 1),
                              reinterpret_cast<void*>(static_cast<uintptr_t>(std::max(0, optimization)))};
  const unsigned count = optimization >= 0 ? 3 : 2;
  struct Link {
    const Driver& driver;
    void* state = nullptr;
    ~Link() {
      if (state) driver.link_destroy(state);
    }
  } link{driver_};
  check(driver_, driver_.link_create(count, options.data(), values.data(), &link.state), "starting the assembler");
  const auto check_text = [&](int status) {
    try {
      check(driver_, status, "assembling a kernel");
    } catch (const DeviceFailure&) {
      throw;
    } catch (const RuntimeError& error) {
      throw RuntimeError(log[0] ? format("{}: {}", error.what(), log.data()) : error.what());
    }
  };
  std::string input(text);
  check_text(driver_.link_add(link.state, ptx_input, input.data(), input.size() + 1, "kernel", 0, nullptr, nullptr));
  void* code = nullptr;
  size_t size = 0;
  check_text(driver_.link_complete(link.state, &code, &size));
  return std::string(static_cast<const char*>(code), size);
}

}  // namespace

int device_number_of(const Driver& driver, const void* address) {
  constexpr unsigned device_memory = 2;
  unsigned kind = 0;
  int number = -1;
  const auto at = reinterpret_cast<Address>(address);
  if (driver.pointer_attribute(&kind, pointer_memory_type, at) != success || kind != device_memory) return -1;
  return driver.pointer_attribute(&number, pointer_device, at) == success ? number : -1;
}

/// Called before the device is opened, because opening takes device memory.
static void require_known(const Driver& driver, int number) {
  constexpr int oldest = 7;  // Volta: the oldest that kernels support
  int device = 0, major = 0;
  check(driver, driver.device_get(&device, number), "finding the device");
  check(driver, driver.device_attribute(&major, capability_major, device), "asking about the device");
  require<RuntimeError>(major >= oldest,
                        "device gpu:{}: its compute capability is {}, and kernels are made for {} and newer", number,
                        major, oldest);
}

Device* open_device(const Driver& driver, int number, int part) {
  require_known(driver, number);
  watch_forks();
  Device* device = std::make_unique<CudaDevice>(driver, number, part).release();
  // Registered after the driver's own exit handlers, so it runs first: assembly in progress ends before they run.
  static const int registered = std::atexit(stop_background);
  static_cast<void>(registered);
  return device;
}

}  // namespace tessera::runtime::cuda
