#include "tessera/runtime/cuda/cuda_device.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/runtime/cuda/memory_pool.h"
#include "tessera/runtime/cuda/staging.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::runtime::cuda {

namespace {

constexpr unsigned non_blocking = 1;  // not ordered against the legacy default stream

Address address_of(const char* data) { return reinterpret_cast<Address>(data); }

/// A forked child has the driver's memory but not its threads: any call may hang.
std::atomic<bool> is_forked{false};

void watch_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  static_cast<void>(registered);
}

class CudaProgram final : public Program {
 public:
  CudaProgram(const Driver& driver, std::string_view code, const char* entry) : driver_(driver) {
    const std::string text(code);  // the driver wants a terminated text
    check(driver_, driver_.module_load(&module_, text.data()), "loading a kernel");
    check(driver_, driver_.module_function(&function_, module_, entry), "finding a kernel");
    check(driver_, driver_.function_attribute(&registers_, function_registers, function_), "looking at a kernel");
    check(driver_, driver_.function_attribute(&local_bytes_, function_local_bytes, function_), "looking at a kernel");
  }
  ~CudaProgram() override { driver_.module_unload(module_); }
  int registers() const override { return registers_; }
  int local_bytes() const override { return local_bytes_; }
  void* function() const { return function_; }

 private:
  const Driver& driver_;
  void* module_ = nullptr;
  void* function_ = nullptr;
  int registers_ = 0;
  int local_bytes_ = 0;
};

class CudaEvent final : public Event {
 public:
  CudaEvent(const Driver& driver, void* stream) : driver_(driver) {
    check(driver_, driver_.event_create(&event_, 0), "making an event");
    check(driver_, driver_.event_record(event_, stream), "recording an event");
  }
  ~CudaEvent() override { driver_.event_destroy(event_); }
  bool is_done() const override {
    const int status = driver_.event_query(event_);
    if (status == not_ready) return false;
    check(driver_, status, "asking for an event");
    return true;
  }
  void wait() const override { check(driver_, driver_.event_synchronize(event_), "waiting for the device"); }
  double since(const Event& start) const override {
    float milliseconds = 0;
    const auto& from = static_cast<const CudaEvent&>(start);
    check(driver_, driver_.event_elapsed(&milliseconds, from.event_, event_), "timing");
    return static_cast<double>(milliseconds);
  }
  void* get() const { return event_; }

 private:
  const Driver& driver_;
  void* event_ = nullptr;
};

/// A launch as a node of a graph: what it is asked for, and the graph's name of it.
struct LaunchNode {
  void* node = nullptr;
  void* function = nullptr;
  Grid grid;
  std::vector<char> parameters;
};

class CudaReplay final : public Replay {
 public:
  /// Nodes are known by the graph that `ready` was made of.
  CudaReplay(const Driver& driver, void* graph, void* ready, std::vector<LaunchNode> launches)
      : launches(std::move(launches)), driver_(driver), graph_(graph), ready_(ready) {}
  ~CudaReplay() override {
    driver_.graph_exec_destroy(ready_);
    driver_.graph_destroy(graph_);
  }
  void* ready() const { return ready_; }

  std::vector<LaunchNode> launches;

 private:
  const Driver& driver_;
  void* graph_;
  void* ready_;
};

class CudaStream final : public Stream {
 public:
  CudaStream(const Driver& driver, void* context, MemoryPool& pool, std::function<void(const char*)> on_failure)
      : driver_(driver), context_(context), pool_(pool), on_failure_(std::move(on_failure)), stream_(make(driver)), staging_(driver, context, stream_) {}

  void launch(const Program& program, const Grid& grid, std::span<const char> parameters) override {
    if (rewriting_) return rewrite_launch(program, grid, parameters);
    void* arguments[] = {const_cast<char*>(parameters.data())};
    const auto& [gx, gy, gz] = grid.blocks;
    const auto& [tx, ty, tz] = grid.threads;
    void* function = static_cast<const CudaProgram&>(program).function();
    call([&] {
      const auto launch = [&] { return driver_.launch(function, gx, gy, gz, tx, ty, tz, 0, target_, arguments, nullptr); };
      int status = launch();
      if (status == out_of_memory) [[unlikely]] {  // for what threads keep in memory of their own
        pool_.trim();
        status = launch();
      }
      // Not OutOfMemory: who catches that counts on nothing having run.
      require<RuntimeError>(status != out_of_memory, "the GPU has no memory left to run a kernel");
      check(driver_, status, "launching a kernel");
      if (target_ == capturing_ && capturing_) note_launch({nullptr, function, grid, {parameters.begin(), parameters.end()}});
    });
  }
  void copy_in(char* device, const char* host, size_t nbytes) override {
    call([&] { if (nbytes) staging_.copy_in(address_of(device), host, nbytes); });
  }
  void copy_out(std::span<const CopyOut> pieces) override {
    call([&] { staging_.copy_out(pieces); });
  }
  void copy(char* to, const char* from, size_t nbytes) override {
    if (nbytes && !rewriting_) call([&] { check(driver_, driver_.copy(address_of(to), address_of(from), nbytes, target_), "copying on the device"); });
  }
  void copy_rows(char* to, const char* from, const Rows& rows) override {
    if (rewriting_) return;
    Copy2D copy{.from = address_of(from), .to = address_of(to)};
    copy.from_pitch = copy.to_pitch = static_cast<size_t>(rows.pitch);
    copy.width = static_cast<size_t>(rows.nbytes);
    copy.height = static_cast<size_t>(rows.rows);
    call([&] { check(driver_, driver_.copy_2d(&copy, target_), "copying rows on the device"); });
  }
  void fill_zero(char* to, size_t nbytes) override {
    if (nbytes && !rewriting_) call([&] { check(driver_, driver_.fill(address_of(to), 0, nbytes, target_), "clearing memory"); });
  }
  std::unique_ptr<Replay> capture(const std::function<void()>& work) override {
    // On a stream of its own: others may copy on this one meanwhile.
    constexpr int relaxed = 2;
    enter();
    if (!capturing_) capturing_ = make(driver_);
    if (driver_.begin_capture(capturing_, relaxed) != success) return nullptr;
    target_ = capturing_;
    launches_.clear();
    void *graph = nullptr, *ready = nullptr;
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    target_ = stream_;
    const int ended = driver_.end_capture(capturing_, &graph);
    if (ended != success) graph = nullptr;
    if (failure && graph) driver_.graph_destroy(graph);
    if (failure) std::rethrow_exception(failure);
    if (!graph) return nullptr;
    if (driver_.graph_instantiate(&ready, graph, 0) == success) return std::make_unique<CudaReplay>(driver_, graph, ready, std::move(launches_));
    driver_.graph_destroy(graph);
    return nullptr;
  }
  bool rewrite(Replay& replay, const std::function<void()>& work) override {
    enter();
    rewriting_ = &static_cast<CudaReplay&>(replay);
    rewritten_ = 0;
    try {
      work();
    } catch (...) {
      rewriting_ = nullptr;
      throw;
    }
    return std::exchange(rewriting_, nullptr) != nullptr && rewritten_ == static_cast<CudaReplay&>(replay).launches.size();
  }
  void replay(const Replay& replay) override {
    call([&] { check(driver_, driver_.graph_launch(static_cast<const CudaReplay&>(replay).ready(), stream_), "launching kernels"); });
  }
  std::unique_ptr<Event> record() override {
    enter();
    return std::make_unique<CudaEvent>(driver_, stream_);
  }
  void wait_for(const Event& event) override {
    call([&] {
      check(driver_, driver_.stream_wait_event(stream_, static_cast<const CudaEvent&>(event).get(), 0), "waiting for an event");
    });
  }
  void synchronize() override {
    call([&] { check(driver_, driver_.stream_synchronize(stream_), "waiting for the device"); });
  }
  void wait_for_other(void* stream) override { order(stream, stream_); }
  void let_other_wait(void* stream) override { order(stream_, stream); }
  void* handle() override {
    enter();
    return stream_;
  }
  /// Makes the device's context this thread's.
  void enter() const {
    require<RuntimeError>(!is_forked, "a forked process cannot use the GPU of its parent: start processes by 'spawn' instead");
    check(driver_, driver_.context_set(context_), "entering the device");
  }

 private:
  template <class Body>
  void call(Body&& body) const {
    try {
      enter();
      body();
    } catch (const DeviceFailure& failure) {
      on_failure_(failure.what());
      throw;
    }
  }
  /// The launch captured last is what the next one would wait for.
  void note_launch(LaunchNode launch) {
    int status = 0;
    unsigned long long id = 0;
    void* graph = nullptr;
    void* const* last = nullptr;
    size_t count = 0;
    if (driver_.capture_info(capturing_, &status, &id, &graph, &last, &count) == success && count == 1) launch.node = last[0];
    launches_.push_back(std::move(launch));
  }
  /// Launches come in the order in which they were captured. What does not fit leaves `rewritten_` behind.
  void rewrite_launch(const Program& program, const Grid& grid, std::span<const char> parameters) {
    CudaReplay& replay = *rewriting_;
    if (rewritten_ >= replay.launches.size()) return;
    LaunchNode& launch = replay.launches[rewritten_];
    const bool fits = launch.node && launch.function == static_cast<const CudaProgram&>(program).function() && launch.grid == grid;
    if (!fits) return;
    if (!std::equal(parameters.begin(), parameters.end(), launch.parameters.begin(), launch.parameters.end())) {
      launch.parameters.assign(parameters.begin(), parameters.end());
      void* arguments[] = {launch.parameters.data()};
      KernelNode node{.function = launch.function, .arguments = arguments};
      std::copy(grid.blocks.begin(), grid.blocks.end(), node.blocks);
      std::copy(grid.threads.begin(), grid.threads.end(), node.threads);
      if (driver_.graph_set_kernel(replay.ready(), launch.node, &node) != success) return;
    }
    ++rewritten_;
  }
  void order(void* first, void* second) {
    if (first == second) return;
    call([&] {
      const CudaEvent event(driver_, first);
      check(driver_, driver_.stream_wait_event(second, event.get(), 0), "ordering two streams");
    });
  }
  static void* make(const Driver& driver) {
    void* stream = nullptr;
    check(driver, driver.stream_create(&stream, non_blocking), "making a stream");
    return stream;
  }

  const Driver& driver_;
  void* context_;
  MemoryPool& pool_;
  std::function<void(const char*)> on_failure_;
  void* stream_;
  void* target_ = stream_;  // of launches and the like: the stream that writes them down while that goes on
  void* capturing_ = nullptr;
  std::vector<LaunchNode> launches_;   // captured so far
  CudaReplay* rewriting_ = nullptr;    // whose launches get other parameters
  size_t rewritten_ = 0;               // of them
  Staging staging_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int number)
      : driver_(driver), context_(enter_context(driver, number)), pool_(driver), stream_(driver, context_, pool_, [this](const char* what) { note_failure(what); }) {
    int device = 0;
    check(driver_, driver_.device_get(&device, number), "finding the device");
    char name[256] = {};
    check(driver_, driver_.device_name(name, sizeof name - 1, device), "asking the device's name");
    size_t memory = 0;
    check(driver_, driver_.device_memory(&memory, device), "asking the device's memory");
    const auto ask = [&](Attribute attribute) {
      int value = 0;
      check(driver_, driver_.device_attribute(&value, attribute, device), "asking about the device");
      return value;
    };
    facts_ = {.name = name,
              .number = number,
              .capability = 10 * ask(capability_major) + ask(capability_minor),
              .multiprocessors = ask(multiprocessor_count),
              .memory = static_cast<int64_t>(memory),
              .cache = ask(l2_cache_bytes)};
    check(driver_, driver_.driver_version(&facts_.driver_version), "asking the driver's version");
  }

  Ref<Buffer> allocate(size_t nbytes) override {
    stream_.enter();
    const auto size = static_cast<int64_t>(nbytes);
    const MemoryPool::Block block = take_with_relief(size, [&] { return pool_.take(size); });
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
  bool is_usable() const override { return !is_forked && Device::is_usable(); }
  Stream& stream() override { return stream_; }
  Stream& inbound() override { return beside(inbound_); }
  Stream& outbound() override { return beside(outbound_); }
  std::shared_ptr<Program> load(std::string_view code, const char* entry) override {
    stream_.enter();
    constexpr int64_t room = int64_t{64} << 20;
    return take_with_relief(room, [&] {
      try {
        return std::make_shared<CudaProgram>(driver_, code, entry);
      } catch (const OutOfMemory&) {
        pool_.trim();
      }
      return std::make_shared<CudaProgram>(driver_, code, entry);
    });
  }
  std::string assemble(std::string_view text) override;
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
  /// A failure is this device's once its own stream hears of it: others than its thread may use this one.
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
  void* context_;
  MemoryPool pool_;
  CudaStream stream_;
  std::unique_ptr<CudaStream> inbound_, outbound_;  // made when first asked for
  DeviceFacts facts_;
};

std::string CudaDevice::assemble(std::string_view text) {
  stream_.enter();
  constexpr int ptx_input = 1;
  struct Link {
    const Driver& driver;
    void* state = nullptr;
    ~Link() {
      if (state) driver.link_destroy(state);
    }
  } link{driver_};
  check(driver_, driver_.link_create(0, nullptr, nullptr, &link.state), "starting the assembler");
  std::string input(text);
  check(driver_, driver_.link_add(link.state, ptx_input, input.data(), input.size() + 1, "kernel", 0, nullptr, nullptr),
        "assembling a kernel");
  void* code = nullptr;
  size_t size = 0;
  check(driver_, driver_.link_complete(link.state, &code, &size), "assembling a kernel");
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

Device* open_device(const Driver& driver, int number) {
  watch_forks();
  Device* device = std::make_unique<CudaDevice>(driver, number).release();
  // The driver's own exit handlers exist now: what is still being assembled ends before they run.
  static const int registered = std::atexit(stop_background);
  static_cast<void>(registered);
  return device;
}

}  // namespace tessera::runtime::cuda
