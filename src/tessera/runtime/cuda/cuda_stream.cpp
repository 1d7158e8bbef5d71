#include "tessera/runtime/cuda/cuda_stream.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/cuda/cuda_program.h"
#include "tessera/runtime/cuda/forks.h"

namespace tessera::runtime::cuda {

namespace {

void* make_stream(const Driver& driver) {
  constexpr unsigned non_blocking = 1;  // not ordered against the legacy default stream
  void* stream = nullptr;
  check(driver, driver.stream_create(&stream, non_blocking), "making a stream");
  return stream;
}

}  // namespace

CudaStream::CudaStream(const Driver& driver, void* context, MemoryPool& pool,
                       std::function<void(const char*)> on_failure, void* handle)
    : driver_(driver),
      context_(context),
      pool_(pool),
      on_failure_(std::move(on_failure)),
      stream_(handle ? handle : make_stream(driver)),
      is_ours_(!handle),
      staging_(driver, context, stream_) {}

CudaStream::~CudaStream() {
  if (is_forked || driver_.context_set(context_) != success) return;
  staging_.close();
  if (capturing_) driver_.stream_destroy(capturing_);
  if (is_ours_) driver_.stream_destroy(stream_);
}

void CudaStream::enter() const {
  require<RuntimeError>(!is_forked,
                        "a forked process cannot use the GPU of its parent: start processes by 'spawn' instead");
  check(driver_, driver_.context_set(context_), "entering the device");
}

template <class Body>
void CudaStream::call(Body&& body) {
  ++requests_;
  try {
    enter();
    order_work();
    body();
  } catch (const DeviceFailure& failure) {
    on_failure_(failure.what());
    throw;
  }
}

int CudaStream::launch_early(void* function, const Grid& grid, void** arguments) const {
  LaunchAttribute early{.id = LaunchAttribute::begins_early, .value = {1}};
  LaunchConfig config{.stream = stream_, .attributes = &early, .attribute_count = 1};
  std::copy(grid.blocks.begin(), grid.blocks.end(), config.blocks);
  std::copy(grid.threads.begin(), grid.threads.end(), config.threads);
  config.shared_bytes = grid.shared_bytes;
  return driver_.launch_with(&config, function, arguments, nullptr);
}

void CudaStream::launch(const Program& program, const Grid& grid, std::span<const char> parameters, Begin begin) {
  void* function = static_cast<const CudaProgram&>(program).function();
  if (rewriting_) return rewriting_->rewrite(function, grid, parameters);
  void* arguments[] = {const_cast<char*>(parameters.data())};
  const auto& [gx, gy, gz] = grid.blocks;
  const auto& [tx, ty, tz] = grid.threads;
  call([&] {
    static_cast<const CudaProgram&>(program).allow_dynamic(static_cast<int>(grid.shared_bytes));
    // Captured launches are ordered by the graph.
    const bool is_early = begin == Begin::early && target_ == stream_ && driver_.launch_with;
    const auto launch = [&] {
      if (begin == Begin::together)
        return driver_.launch_cooperative(function, gx, gy, gz, tx, ty, tz, grid.shared_bytes, stream_, arguments);
      return is_early
                 ? launch_early(function, grid, arguments)
                 : driver_.launch(function, gx, gy, gz, tx, ty, tz, grid.shared_bytes, target_, arguments, nullptr);
    };
    int status = launch();
    if (status == out_of_memory) [[unlikely]] {  // the driver needs memory for the threads' local memory
      pool_.trim();
      status = launch();
    }
    // Not OutOfMemory: its handlers assume that nothing has run.
    require<RuntimeError>(status != out_of_memory, "the GPU has no memory left to run a kernel");
    check(driver_, status, "launching a kernel");
    if (target_ == capturing_ && capturing_)
      note_launch({nullptr, function, grid, {parameters.begin(), parameters.end()}});
  });
}

void CudaStream::launch_user(const Program& program, const Grid& grid, std::span<void* const> arguments,
                             bool is_cooperative) {
  const auto& user = static_cast<const CudaProgram&>(program);
  auto** values = const_cast<void**>(arguments.data());
  const auto& [gx, gy, gz] = grid.blocks;
  const auto& [tx, ty, tz] = grid.threads;
  const auto launch = [&] {
    return is_cooperative
               ? driver_.launch_cooperative(user.function(), gx, gy, gz, tx, ty, tz, grid.shared_bytes, stream_, values)
               : driver_.launch(user.function(), gx, gy, gz, tx, ty, tz, grid.shared_bytes, stream_, values, nullptr);
  };
  call([&] {
    user.allow_dynamic(static_cast<int>(grid.shared_bytes));
    int status = launch();
    if (status == out_of_memory) [[unlikely]] {
      pool_.trim();
      status = launch();
    }
    require<RuntimeError>(status != out_of_memory, "the GPU has no memory left to run a kernel");
    check(driver_, status, "launching a kernel");
  });
}

void CudaStream::copy_in(char* device, const char* host, size_t nbytes) {
  call([&] {
    if (nbytes) staging_.copy_in(address_of(device), host, nbytes);
  });
}

void CudaStream::copy_out(std::span<const CopyOut> pieces) {
  call([&] { staging_.copy_out(pieces); });
}

void CudaStream::start_copy_in(char* device, const char* pinned, size_t nbytes) {
  call([&] {
    if (nbytes) check(driver_, driver_.copy_in(address_of(device), pinned, nbytes, stream_), "copying to the device");
  });
}

void CudaStream::start_copy_out(char* pinned, const char* device, size_t nbytes) {
  call([&] {
    if (nbytes)
      check(driver_, driver_.copy_out(pinned, address_of(device), nbytes, stream_), "copying from the device");
  });
}

void CudaStream::copy(char* to, const char* from, size_t nbytes) {
  if (nbytes && !rewriting_)
    call([&] {
      check(driver_, driver_.copy(address_of(to), address_of(from), nbytes, target_), "copying on the device");
    });
}

void CudaStream::copy_rows(char* to, const char* from, const Rows& rows) {
  if (rewriting_) return;
  Copy2D copy{.from = address_of(from), .to = address_of(to)};
  copy.from_pitch = copy.to_pitch = static_cast<size_t>(rows.pitch);
  copy.width = static_cast<size_t>(rows.nbytes);
  copy.height = static_cast<size_t>(rows.rows);
  call([&] { check(driver_, driver_.copy_2d(&copy, target_), "copying rows on the device"); });
}

void CudaStream::fill_zero(char* to, size_t nbytes) {
  if (nbytes && !rewriting_)
    call([&] { check(driver_, driver_.fill(address_of(to), 0, nbytes, target_), "clearing memory"); });
}

/// The nodes on which the next node captured there would depend.
static int find_last_captured(const Driver& driver, void* capturing, std::span<void* const>& nodes) {
  int status = 0;
  unsigned long long id = 0;
  void* graph = nullptr;
  void* const* last = nullptr;
  size_t count = 0;
  if (const int failed = driver.capture_info(capturing, &status, &id, &graph, &last, &count)) return failed;
  nodes = {last, count};
  return success;
}

/// This stream's work belongs to what the leader captures; false if that is not possible.
bool CudaStream::join_capture(CudaStream& leader) {
  enter();
  if (!capturing_) capturing_ = make_stream(driver_);
  leader.enter();
  const CudaEvent begun(driver_, leader.capturing_);
  enter();
  if (driver_.stream_wait_event(capturing_, begun.get(), 0) != success) return false;
  target_ = capturing_;
  leader_ = &leader;
  return true;
}

/// Where it fails, the driver says so when the capture ends.
void CudaStream::leave_capture() {
  CudaStream& leader = *std::exchange(leader_, this);
  if (std::exchange(target_, stream_) == stream_) return;
  try {
    enter();
    const CudaEvent ended(driver_, capturing_);
    leader.enter();
    driver_.stream_wait_event(leader.capturing_, ended.get(), 0);
  } catch (const RuntimeError&) {
    leader.enter();
  }
}

std::unique_ptr<Replay> CudaStream::capture(const std::function<void()>& work,
                                            std::span<const std::vector<int32_t>> after,
                                            std::span<Stream* const> beside) {
  // On a separate stream: other threads may copy on this one meanwhile.
  constexpr int relaxed = 2;
  enter();
  if (!capturing_) capturing_ = make_stream(driver_);
  if (driver_.begin_capture(capturing_, relaxed) != success) return nullptr;
  target_ = capturing_;
  launches_.clear();
  after_ = after;
  ends_.clear();
  is_apart_ = false;
  part_status_ = success;
  void *graph = nullptr, *ready = nullptr;
  std::vector<CudaStream*> members;
  for (Stream* other : beside) members.push_back(static_cast<CudaStream*>(other));
  std::exception_ptr failure;
  try {
    if (!std::ranges::all_of(members, [&](CudaStream* other) { return other->join_capture(*this); }))
      part_status_ = not_supported;
    else
      work();
  } catch (...) {
    failure = std::current_exception();
  }
  for (CudaStream* other : members) other->leave_capture();
  enter();
  target_ = stream_;
  after_ = {};
  const int ended = driver_.end_capture(capturing_, &graph);
  if (ended != success) graph = nullptr;
  if ((failure || part_status_ != success) && graph) driver_.graph_destroy(graph);
  if (failure) std::rethrow_exception(failure);
  if (part_status_ != success) return after.empty() ? nullptr : capture(work, {}, beside);
  if (!graph) return nullptr;
  if (driver_.graph_instantiate(&ready, graph, 0) == success)
    return std::make_unique<CudaReplay>(driver_, graph, ready, std::move(launches_), std::move(members));
  driver_.graph_destroy(graph);
  return nullptr;
}

void CudaStream::note_launch(LaunchNode launch) {
  std::span<void* const> last;
  if (find_last_captured(driver_, capturing_, last) == success && last.size() == 1) launch.node = last[0];
  leader_->launches_.push_back(std::move(launch));
}

void CudaStream::begin_part() {
  constexpr unsigned instead = 1;
  if (!capturing_ || target_ != capturing_ || after_.empty() || part_status_ != success) return;
  if (std::exchange(is_apart_, true)) {
    std::span<void* const> last;
    part_status_ = find_last_captured(driver_, capturing_, last);
    ends_.emplace_back(last.begin(), last.end());
  }
  std::vector<void*> nodes;
  for (const int32_t part : after_[ends_.size()])
    nodes.insert(nodes.end(), ends_[static_cast<size_t>(part)].begin(), ends_[static_cast<size_t>(part)].end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (part_status_ == success) part_status_ = driver_.capture_after(capturing_, nodes.data(), nodes.size(), instead);
}

bool CudaStream::rewrite(Replay& replay, const std::function<void()>& work) {
  enter();
  auto& written = static_cast<CudaReplay&>(replay);
  const auto turn_to = [&](CudaReplay* rewriting) {
    rewriting_ = rewriting;
    for (CudaStream* other : written.beside()) other->rewriting_ = rewriting;
  };
  written.begin_rewrite();
  turn_to(&written);
  try {
    work();
  } catch (...) {
    turn_to(nullptr);
    throw;
  }
  turn_to(nullptr);
  enter();
  return written.end_rewrite();
}

void CudaStream::settle() {
  if (!replayed_.is_there.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(replayed_.mutex);
  if (!replayed_.point) return;
  enter();
  check(driver_, driver_.stream_wait_event(stream_, static_cast<const CudaEvent&>(*replayed_.point).get(), 0),
        "waiting for an event");
  replayed_.point.reset();
  replayed_.is_there.store(false, std::memory_order_release);
}

/// The leader's next work comes after what this stream has got since the leader's last replay, if anything.
void CudaStream::come_before(CudaStream& leader) {
  if (before_work_) before_work_();
  if (!is_lent_ && replayed_.is_there && replayed_.leader == &leader && replayed_.requests == requests_) return;
  leader.wait_for(*record());
}

/// This stream's next work comes after the point in the leader's work.
void CudaStream::come_after(const CudaStream& leader, std::shared_ptr<Event> point) {
  {
    const std::lock_guard lock(replayed_.mutex);
    replayed_.point = std::move(point);
    replayed_.leader = &leader;
    // Whoever sees the new count finds the replay there.
    replayed_.is_there.store(true, std::memory_order_release);
    replayed_.requests = ++requests_;
  }
  if (is_lent_) settle();
}

void CudaStream::replay(const Replay& replay) {
  const auto& written = static_cast<const CudaReplay&>(replay);
  for (CudaStream* other : written.beside()) other->come_before(*this);
  call([&] { check(driver_, driver_.graph_launch(written.ready(), stream_), "launching kernels"); });
  if (written.beside().empty()) return;
  try {
    const std::shared_ptr<Event> point = record();
    for (CudaStream* other : written.beside()) other->come_after(*this, point);
  } catch (const OutOfMemory& error) {
    // Not OutOfMemory: its handlers assume that nothing has run.
    check(driver_, driver_.stream_synchronize(stream_), "waiting for the device");
    throw RuntimeError(error.what());
  }
}

namespace {

/// In place of an event while the work of a replay is written again, whose order stays as it is.
struct NoEvent final : Event {
  bool is_done() const override { return true; }
  void wait() const override {}
  double since(const Event&) const override { return 0; }
};

}  // namespace

std::unique_ptr<Event> CudaStream::record() {
  if (rewriting_) return std::make_unique<NoEvent>();
  enter();
  order_work();
  ++requests_;
  return std::make_unique<CudaEvent>(driver_, target_, context_);
}

std::unique_ptr<Event> CudaStream::record_timed() {
  enter();
  order_work();
  ++requests_;
  return std::make_unique<CudaEvent>(driver_, stream_, context_, CudaEvent::Timing::yes);
}

void CudaStream::wait_for(const Event& event) {
  if (rewriting_) return;
  call([&] {
    check(driver_, driver_.stream_wait_event(target_, static_cast<const CudaEvent&>(event).get(), 0),
          "waiting for an event");
  });
}

void CudaStream::synchronize() {
  const profile::InRow row(profile::Row::waiting);
  call([&] { check(driver_, driver_.stream_synchronize(stream_), "waiting for the device"); });
}

void CudaStream::follow(void* other) {
  ++requests_;
  const CudaEvent event(driver_, other);
  check(driver_, driver_.stream_wait_event(stream_, event.get(), 0), "ordering two streams");
}

void CudaStream::order(void* first, void* second) {
  if (first == second) return;
  call([&] {
    const CudaEvent event(driver_, first);
    check(driver_, driver_.stream_wait_event(second, event.get(), 0), "ordering two streams");
  });
}

}  // namespace tessera::runtime::cuda
