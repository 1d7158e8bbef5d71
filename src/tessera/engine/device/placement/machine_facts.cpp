#include "tessera/engine/device/placement/machine_facts.h"
#include "tessera/engine/support/limits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <optional>
#include <sstream>
#include <thread>

#include "tessera/base/error.h"
#include "tessera/base/format.h"
#include "tessera/base/hash.h"
#include "tessera/base/private_folder.h"
#include "tessera/profile/account.h"
#include "tessera/runtime/host/system_memory.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array measured{
    &plan::MachineFacts::host_bytes,   &plan::MachineFacts::host_steps,   &plan::MachineFacts::wake,
    &plan::MachineFacts::device_bytes, &plan::MachineFacts::device_steps, &plan::MachineFacts::to_device,
    &plan::MachineFacts::to_host,      &plan::MachineFacts::launch,       &plan::MachineFacts::synchronise,
    &plan::MachineFacts::copy_start,   &plan::MachineFacts::first_touch};

/// The shortest of a few runs.
template <class F>
double seconds(F&& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const auto start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// Memory from the system, which the pool does not keep.
class Pages {
 public:
  explicit Pages(size_t nbytes) : nbytes_(nbytes), data_(static_cast<char*>(runtime::map_pages(nbytes))) {
    require<OutOfMemory>(data_ != nullptr, "{} bytes to measure this machine", nbytes);
  }
  ~Pages() { runtime::unmap_pages(data_, nbytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* data() const { return data_; }

 private:
  size_t nbytes_;
  char* data_;
};

std::string describe(const runtime::Device& device) {
  const runtime::DeviceFacts& facts = device.facts();
  return format("5 {} sm_{} driver {} threads {}", facts.name, facts.capability, facts.driver_version,
                runtime::thread_count());
}

}  // namespace

plan::MachineFacts measure_machine(runtime::Device& device) {
  // On the host more than any cache has.
  constexpr size_t large = size_t{256} << 20, nbytes = size_t{64} << 20, little = size_t{1} << 16;
  constexpr int launches = 64;
  constexpr double steps_a_cycle = 64, cycles = 1.5e9;
  plan::MachineFacts facts;
  const Pages a(large);
  std::optional<Pages> b;
  auto fill = [&](int64_t begin, int64_t end) { std::memset(a.data() + begin, 1, static_cast<size_t>(end - begin)); };
  runtime::parallel_for(large, 1 << 20, fill);
  auto copy = [&](int64_t begin, int64_t end) {
    std::memcpy(b->data() + begin, a.data() + begin, static_cast<size_t>(end - begin));
  };
  facts.first_touch = static_cast<double>(nbytes) / seconds([&] {
                        b.reset();
                        b.emplace(nbytes);
                        runtime::parallel_for(nbytes, 1 << 20, copy);
                      });
  b.reset();
  b.emplace(large);
  facts.host_bytes = 2.0 * large / seconds([&] { runtime::parallel_for(large, 1 << 20, copy); });
  auto nothing = [](int64_t, int64_t) {};
  // Of threads that rest, as before a plan that nothing is known of.
  facts.wake = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto start = Clock::now();
    runtime::parallel_for(runtime::thread_count(), 1, nothing);
    facts.wake = std::min(facts.wake, std::max(1e-6, std::chrono::duration<double>(Clock::now() - start).count()));
  }
  facts.host_steps = plan::PlacementLimits::steps_a_thread * runtime::thread_count();
  facts.device_steps = steps_a_cycle * cycles * device.facts().multiprocessors;
  runtime::Stream& stream = device.stream();
  const Ref<runtime::Buffer> x = device.allocate(nbytes), y = device.allocate(nbytes);
  // The fixed cost of copies and the cost per byte: large copies use several staging buffers at once.
  const auto in = [&](size_t size) {
    return seconds([&] { stream.copy_in(x->data(), a.data(), size), stream.synchronize(); });
  };
  const auto out = [&](size_t size) { return seconds([&] { stream.copy_out(b->data(), x->data(), size); }); };
  const auto rate = [&](double less, double more) {
    return static_cast<double>(nbytes - little) / std::max(1e-9, more - less);
  };
  for (int k = 0; k < 2; ++k) in(nbytes);  // warm up: staging buffers are allocated once copies amortise them
  const double short_in = in(little), short_out = out(little);
  facts.to_device = rate(short_in, in(nbytes));
  facts.to_host = rate(short_out, out(nbytes));
  facts.copy_start = std::max(1e-6, std::max(short_in - static_cast<double>(little) / facts.to_device,
                                             short_out - static_cast<double>(little) / facts.to_host));
  const auto copies = [&](size_t size) {
    for (int k = 0; k < launches; ++k) stream.copy(y->data(), x->data(), size);
    stream.synchronize();
  };
  facts.device_bytes = 2.0 * launches * nbytes / seconds([&] { copies(nbytes); });
  facts.launch = std::max(3e-6, seconds([&] { copies(16); }) / launches);
  facts.synchronise = seconds([&] { stream.copy_out(b->data(), x->data(), 8); });
  return facts;
}

std::string write_facts(const plan::MachineFacts& facts, const std::string& machine) {
  std::ostringstream out;
  out.precision(6);
  out << machine << '\n';
  for (auto fact : measured) out << facts.*fact << '\n';
  return out.str();
}

bool read_facts(const std::string& text, const std::string& machine, plan::MachineFacts& facts) {
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line) || line != machine) return false;
  plan::MachineFacts found;
  for (auto fact : measured)
    if (!(in >> found.*fact) || !(found.*fact > 0)) return false;
  facts = found;
  return true;
}

namespace {

/// The account moves what the first use of memory takes beyond its bytes.
const plan::MachineFacts& with_account(const plan::MachineFacts& facts) {
  profile::Account::set_first_touch(std::max(0.0, 1 / facts.first_touch - 2 / facts.host_bytes));
  return facts;
}

}  // namespace

plan::MachineFacts find_machine_facts(runtime::Device& device, const std::string& folder) {
  // Constants for a simulated device: decisions must not depend on the load of this machine.
  if (device.takes_ir()) return {.compile = 0, .open = 0};
  const std::string machine = describe(device);
  const std::string name = format("machine-{}", Hash().add(std::string_view(machine)).value());
  const std::optional<PrivateFolder> kept = PrivateFolder::open(folder, Missing::is_made);
  plan::MachineFacts facts;
  const auto text = kept ? kept->read(name) : std::nullopt;
  if (text && read_facts(*text, machine, facts)) return with_account(facts);
  try {
    facts = measure_machine(device);
  } catch (const OutOfMemory&) {  // the device's memory is in use: return typical values and store nothing
    return {};
  }
  if (kept) kept->write(name, write_facts(facts, machine));  // if that fails, the next process measures again
  return with_account(facts);
}

}  // namespace tessera::engine
