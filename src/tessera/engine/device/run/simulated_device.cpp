#include "tessera/engine/device/run/simulated_device.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/engine/device/run/simulated_shared_memory.h"
#include "tessera/engine/device/run/simulated_stream.h"
#include "tessera/engine/device/run/simulated_user_streams.h"
#include "tessera/runtime/adopted_buffer.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera::engine {

namespace {

class SimulatedDevice final : public runtime::Device {
 public:
  explicit SimulatedDevice(int number) : stream_{[this](const char* what) { note_failure(what); }, number} {
    stream_.set_before_work([this] { user_streams_.run_all(); });
    facts_ = {.name = "simulated",
              .number = number,
              .capability = 90,
              .multiprocessors = 1,
              .memory = int64_t{1} << 34,
              .cache = 1 << 20,
              .shared_bytes = 232448};
  }
  bool reach(const runtime::Device&) override { return true; }
  Ref<Buffer> allocate(size_t nbytes) override {
    const auto size = static_cast<int64_t>(nbytes);
    require<OutOfMemory>(!faults::fails(faults::Fault::allocation), "the simulated device has no {} bytes left", size);
    take_with_relief(size, [&] {
      require<OutOfMemory>(size <= capacity() - statistics_.bytes_in_use,
                           "the simulated device has no {} bytes left: {} are in use", size, statistics_.bytes_in_use);
    });
    const Ref<Buffer> home = runtime::HostPool::instance().allocate(nbytes);
    owned_.emplace(home->data(), nbytes);
    home->retain();
    std::memset(home->data(), 0xA5, nbytes);  // makes reads of uninitialised memory visible
    statistics_.bytes_in_use += size;
    statistics_.peak_bytes_in_use = std::max(statistics_.peak_bytes_in_use, statistics_.bytes_in_use);
    ++statistics_.allocations;
    return Ref<Buffer>(std::make_unique<Owned>(this, home.get(), nbytes).release());
  }
  Ref<Buffer> adopt(char* data, size_t nbytes, std::function<void()> release) override {
    return Ref<Buffer>(std::make_unique<runtime::AdoptedBuffer>(this, data, nbytes, std::move(release)).release());
  }
  void recycle(Buffer* buffer) noexcept override {
    if (runtime::is_adopted(*buffer)) {
      const std::unique_ptr<runtime::AdoptedBuffer> foreign(static_cast<runtime::AdoptedBuffer*>(buffer));
      return foreign->release();
    }
    const std::unique_ptr<Owned> owned(static_cast<Owned*>(buffer));
    statistics_.bytes_in_use -= static_cast<int64_t>(owned->nbytes());
    owned_.erase(owned->data());
    owned->home->release();
  }
  runtime::Family family() const override { return runtime::Family::simulated; }
  const runtime::DeviceFacts& facts() const override { return facts_; }
  std::optional<int> attribute(int number) const override {
    // An H100's, on which how many blocks fit a multiprocessor depends.
    constexpr std::pair<int, int> known[] = {{12, 65536}, {39, 2048}, {81, 233472},
                                             {82, 65536}, {106, 32},  {111, 1024}};
    for (const auto& [attribute, value] : known)
      if (attribute == number) return value;
    return std::nullopt;
  }
  int64_t limit_of(runtime::DeviceLimit limit) const override { return limits_[static_cast<size_t>(limit)]; }
  void set_limit_of(runtime::DeviceLimit limit, int64_t nbytes) override {
    limits_[static_cast<size_t>(limit)] = nbytes;
  }
  runtime::Stream& stream() override { return stream_; }
  runtime::Stream& inbound() override { return inbound_; }
  runtime::Stream& outbound() override { return outbound_; }
  std::unique_ptr<runtime::SharedMemory> make_shared_memory(size_t nbytes) override {
    return make_simulated_shared_memory(nbytes);
  }
  std::unique_ptr<runtime::SharedMemory> map_shared_memory(std::string_view handle) override {
    return map_simulated_shared_memory(handle);
  }
  runtime::UserStreams* user_streams() override { return &user_streams_; }
  std::shared_ptr<runtime::Program> load(std::string_view code, const char*) override {
    return std::make_shared<SimulatedProgram>(code);
  }
  std::shared_ptr<runtime::Module> load_module(std::string_view code, const runtime::JitOptions&,
                                               std::string&) override {
    return std::make_shared<SimulatedModule>(code);
  }
  bool takes_ir() const override { return true; }
  std::string assemble(std::string_view text, int) override { return std::string(text); }
  runtime::PoolStatistics statistics() const override { return statistics_; }
  void trim() override {}
  void set_limit(int64_t nbytes) override { limit_ = nbytes; }
  int64_t capacity() const override { return limit_ > 0 ? limit_ : facts_.memory; }
  bool has_allocated(const char* address) const {
    const auto after = owned_.upper_bound(address);
    if (after == owned_.begin()) return false;
    const auto& [begin, nbytes] = *std::prev(after);
    return address < begin + nbytes;
  }

 private:
  struct Owned : Buffer {
    Owned(Allocator* allocator, Buffer* of, size_t nbytes)
        : Buffer(allocator, of->data(), nbytes, of->capacity()), home(of) {}
    Buffer* home;
  };
  runtime::DeviceFacts facts_;
  runtime::PoolStatistics statistics_;
  std::map<const char*, size_t> owned_;  // where its memory begins, and how many bytes each piece has
  int64_t limit_ = 0;
  std::array<int64_t, 3> limits_{1024, 1 << 20, 8 << 20};
  SimulatedStream stream_;
  SimulatedInbound inbound_{[](const char*) {}};
  SimulatedStream outbound_{[](const char*) {}};
  SimulatedUserStreams user_streams_{*this};
};

/// Never destroyed: buffers outlive static destructors. The engine's lock guards it.
std::array<SimulatedDevice*, most_simulated>& used_devices() {
  static auto& devices = *new std::array<SimulatedDevice*, most_simulated>{};
  return devices;
}

}  // namespace

runtime::Device& simulated_device(int number) {
  SimulatedDevice*& device = used_devices()[static_cast<size_t>(number)];
  if (!device) device = new SimulatedDevice(number);
  return *device;
}

void run_natively(const runtime::Program& program, codegen::Compiler* compiler) {
  const auto* simulated = dynamic_cast<const SimulatedProgram*>(&program);
  if (!simulated || !compiler) return;
  try {
    simulated->compile(*compiler);
  } catch (const NotImplementedError&) {  // it has no native code
  }
}

runtime::Device* used_simulated_device(int number) {
  return number >= 0 && number < most_simulated ? used_devices()[static_cast<size_t>(number)] : nullptr;
}

runtime::Device* simulated_device_at(const void* address) {
  for (SimulatedDevice* device : used_devices())
    if (device && device->has_allocated(static_cast<const char*>(address))) return device;
  return nullptr;
}

}  // namespace tessera::engine
