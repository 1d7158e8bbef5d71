#include "tessera/engine/device/memory/coherence.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/ranks/gather_on_ranks.h"
#include "tessera/engine/device/ranks/rank_place.h"
#include "tessera/engine/support/limits.h"
#include "tessera/graph/large_arrays.h"
#include "tessera/plan/placement_limits.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/host_stream.h"

namespace tessera::engine {

using graph::Version;
using profile::Counter;
using runtime::Buffer;
using runtime::Device;

namespace {

Device& owner_of(const Buffer& buffer) { return *static_cast<Device*>(buffer.allocator()); }

void keep_device_copy(Version& version, const Ref<Buffer>& buffer) {
  buffer->retain();
  version.add_device_copy(buffer.get());
  version.kept = 0;
  if (!version.large && version.nbytes >= graph::large_bytes)
    graph::note_large(version, {version.nbytes}, DType::uint8, 0);
}

std::string lost_text(const Version& version, const Device& device) {
  const std::string array = version.large ? format("an array of shape {} and data type {}",
                                                   shape_text(version.large->shape), name(version.large->dtype))
                                          : format("an array of {} bytes", version.nbytes);
  return format(
      "the elements of {} are lost: they, or what they come from, were only in the memory of {}, which failed before: "
      "{}",
      array, runtime::device_name(&device), device.failure());
}

/// Seconds a byte of large copies to a device; 0: none was made.
double& copy_in_seconds() {
  static double seconds = 0;
  return seconds;
}

void copy_in(Buffer& buffer, const char* data, Device& device) {
  const profile::InRow row(profile::Row::copying);
  const auto start = std::chrono::steady_clock::now();
  device.stream().copy_in(buffer.data(), data, buffer.nbytes());
  if (buffer.nbytes() >= static_cast<size_t>(plan::PlacementLimits::timed_bytes) && !device.takes_ir()) {
    // Memory that is not pinned has been read by now.
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double each = seconds / static_cast<double>(buffer.nbytes());
    // A copy that waited for other work says little.
    double& known = copy_in_seconds();
    known = known == 0 || each < known
                ? each
                : known + plan::PlacementLimits::copy_weight * (std::min(each, 2 * known) - known);
  }
  profile::add(Counter::copies_to_device);
  profile::add(Counter::bytes_to_device, static_cast<int64_t>(buffer.nbytes()));
}

const graph::DeviceCopy* find_entry(const Version& version, const Device& device) {
  const graph::DeviceCopy* entry = version.on_devices;
  while (entry && static_cast<const Buffer*>(entry->memory)->allocator() != &device) entry = entry->next;
  return entry;
}

/// Waits for the other device first, so that elements whose making failed there are not taken for valid here. What is
/// queued on it later waits for the copy, so that its memory may be written or given out again at once.
void copy_between(Buffer& to, Device& device, const Buffer& from, Device& other) {
  const profile::InRow row(profile::Row::copying);
  device.reach(other);
  other.stream().synchronize();
  device.stream().copy(to.data(), from.data(), to.nbytes());
  other.stream().wait_for(*device.stream().record());
  profile::add(Counter::copies_between_devices);
  profile::add(Counter::bytes_between_devices, static_cast<int64_t>(to.nbytes()));
}

/// What is known of a maker, in seconds.
struct Maker {
  uint32_t number = 0;
  double waited = 0;      // by the host, because of it
  double queued = 0;      // that its work since the last wait keeps the device busy
  double last_share = 0;  // of a wait
};

/// Of all makers; of two with one place in the table the later one. Guarded by the engine's lock, as versions are.
class WaitTimes {
 public:
  bool is_used = false;  // some plan or call chose the device

  Maker* find(uint32_t number) {
    const size_t at = number % plan::PlacementLimits::most_makers;
    return at < makers_.size() && makers_[at].number == number ? &makers_[at] : nullptr;
  }
  Maker& of(uint32_t number) {
    const size_t at = number % plan::PlacementLimits::most_makers;
    if (at >= makers_.size()) makers_.resize(at + 1);
    if (makers_[at].number != number) makers_[at] = {.number = number};
    return makers_[at];
  }
  bool has_queued() const { return !queued_.empty(); }
  void queue(uint32_t number, double seconds) {
    Maker& maker = of(number);
    if (maker.queued == 0 && seconds > 0) queued_.push_back(number);
    maker.queued += seconds;
  }
  /// Divides a wait for the device among the makers in proportion to how long their work keeps it busy. A wait that is
  /// many times longer than any before says something of the machine at that moment, not of the work.
  void divide(double waited) {
    double total = 0;
    for (const uint32_t number : queued_) total += of(number).queued;
    for (const uint32_t number : queued_) {
      Maker& maker = of(number);
      if (maker.queued == 0) continue;
      const double most = plan::PlacementLimits::outlier * std::max(maker.queued, maker.last_share);
      maker.last_share = std::min(waited * maker.queued / total, most);
      maker.waited += maker.last_share;
    }
    forget_queued();
  }
  void forget_queued() {
    for (const uint32_t number : queued_) of(number).queued = 0;
    queued_.clear();
  }

 private:
  std::vector<Maker> makers_;
  std::vector<uint32_t> queued_;  // those with queued work
};

WaitTimes& waits() {
  static WaitTimes all;
  return all;
}

/// Seconds of waiting for the device, and of copying; without waiting for the lock.
struct CopySeconds {
  double waited = 0, copied = 0;
};

/// Copies the pieces that make_pieces() returns, among them so many bytes of the version, with the caller's lock
/// released.
template <class Pieces>
CopySeconds timed_copy_out(const Version& version, Device& device, int64_t nbytes, const UnlockHooks& hooks,
                           Pieces&& make_pieces) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  // Where no plan chose the device there is nothing to divide the wait among.
  const bool divides = version.maker && nbytes >= CopyLimits::long_copy && waits().has_queued();
  CopySeconds seconds;
  {
    const Unlocked unlocked(hooks);
    const profile::InRow row(profile::Row::copying);
    const std::vector<runtime::CopyOut> pieces = make_pieces();
    const auto start = Clock::now();
    if (divides) {
      device.stream().synchronize();
      seconds.waited = since(start);
    }
    device.stream().copy_out(pieces);
    (nbytes >= CopyLimits::long_copy ? seconds.copied : seconds.waited) = since(start) - seconds.waited;
  }
  profile::add(Counter::copies_from_device);
  profile::add(Counter::bytes_from_device, nbytes);
  return seconds;
}

/// The first device with a tile that can be used; null where there are no tiles.
Device* owner_of(std::span<const Tile> tiles) {
  Device* owner = nullptr;
  for (const Tile& tile : tiles)
    if (!tile.owned.empty() && (!owner || (!owner->is_usable() && tile.device->is_usable()))) owner = tile.device;
  return owner;
}

/// Throws LostElements if the device of one of the pieces failed.
void check_pieces(const Version& version, std::span<const TilePiece> pieces) {
  for (const TilePiece& piece : pieces)
    if (!piece.tile->device->failure().empty()) throw LostElements(lost_text(version, *piece.tile->device));
}

/// Copies these bytes of the version's tiles to the host.
void copy_tiles_out(const Version& version, const tile::Range& bytes, char* to, const UnlockHooks& hooks) {
  // The tiles stay as they are while the lock is released, whatever becomes of the version.
  const Ref<const Version> held(&version);
  const TiledMemory tiles(tiles_of(version).begin(), tiles_of(version).end());
  const std::vector<TilePiece> pieces = pieces_of(tiles, bytes);
  check_pieces(version, pieces);
  if (Ranks* ranks = Ranks::active()) {
    const profile::InRow row(profile::Row::copying);
    std::vector<RankPiece> parts;  // the lock is kept: one thread at a time exchanges
    for (const TilePiece& piece : pieces)
      parts.push_back({rank_of(*piece.tile->device), piece.tile->memory ? piece.tile->data(piece.bytes.begin) : nullptr,
                       to + (piece.bytes.begin - bytes.begin), piece.bytes.size()});
    gather_on_ranks(*ranks, bytes.begin, bytes.size(), parts);
  } else {
    require<RuntimeError>(tiles.empty() || tiles[0].device->family() != runtime::Family::rank,
                          "an array that is cut over ranks cannot be read in a process that one of them forked: read "
                          "it before");
    const Unlocked unlocked(hooks);
    const profile::InRow row(profile::Row::copying);
    for (const TilePiece& piece : pieces)
      piece.tile->device->stream().copy_out(to + (piece.bytes.begin - bytes.begin), piece.tile->data(piece.bytes.begin),
                                            static_cast<size_t>(piece.bytes.size()));
  }
  profile::add(Counter::copies_from_device, static_cast<int64_t>(pieces.size()));
  profile::add(Counter::bytes_from_device, bytes.size());
}

/// Puts the tiles together in the host's memory.
void gather_on_host(Version& version, const UnlockHooks& hooks) {
  const Ref<Version> held(&version);
  watch_copy_out(&version, version.nbytes, *owner_of(tiles_of(version)));
  if (version.data) return;
  const Ref<Buffer> buffer = runtime::HostPool::instance().allocate(static_cast<size_t>(version.nbytes));
  copy_tiles_out(version, {0, version.nbytes}, buffer->data(), hooks);
  if (version.data) return;
  if (version.memory) Version::release_memory(version.memory);
  buffer->retain();
  version.memory = buffer.get();
  version.data = buffer->data();
}

/// Puts the tiles together in a device's memory.
void gather_on(const Version& version, Buffer& buffer, Device& device) {
  const std::vector<TilePiece> pieces = pieces_of(tiles_of(version), {0, version.nbytes});
  check_pieces(version, pieces);
  note_gather(version.nbytes, "an operation without a distributed form");
  for (const TilePiece& piece : pieces)
    copy_tile(buffer.data() + piece.bytes.begin, device, piece.tile->data(piece.bytes.begin), *piece.tile->device,
              piece.bytes.size());
}

/// Charges a copy to who made the version.
void charge_copy(const Version& version, const CopySeconds& seconds) {
  if (version.maker) {
    if (seconds.copied > 0 && waits().is_used) waits().of(version.maker).waited += seconds.copied;
    waits().divide(seconds.waited);
  } else {
    waits().forget_queued();
  }
}

}  // namespace

Ref<Version> make_on_device(const char* data, int64_t nbytes, Device& device) {
  watch_copy_in(nullptr, nbytes, device);
  const Ref<Buffer> buffer = device.allocate(static_cast<size_t>(nbytes));
  copy_in(*buffer, data, device);
  Ref<Version> version(Version::make());
  version->nbytes = nbytes;
  set_device_buffer(*version, buffer);
  return version;
}

Ref<Version> make_unallocated(int64_t nbytes) {
  Ref<Version> version(Version::make());
  version->nbytes = nbytes;
  return version;
}

Ref<Version> make_unallocated_zeros(int64_t nbytes) {
  Ref<Version> version = make_unallocated(nbytes);
  version->zeros = true;
  return version;
}

bool is_unallocated(const Version& version) {
  return !version.window && !version.data && !version.on_devices && !version.tiles;
}

void set_device_buffer(Version& version, const Ref<Buffer>& buffer) {
  const Ref<Buffer> held = buffer;  // it may be one of the copies
  version.release_device_copies();
  keep_device_copy(version, held);
  if (version.memory) Version::release_memory(version.memory);
  version.memory = nullptr;
  version.data = nullptr;
  version.window = nullptr;
}

Ref<Buffer> on_device(Version& version, Device& device) {
  graph::mark_used(version);
  if (Ref<Buffer> copy = find_copy(version, device)) return copy;
  // Logging a copy below releases the lock: another thread may copy the elements to the device meanwhile.
  const Ref<Version> held(&version);
  Device* other = device_of(version);
  if (other && (other->family() != device.family() || !other->is_usable())) other = nullptr;
  if (other)
    watch_copy_between(&version, version.nbytes, *other, device);
  else if (!is_unallocated(version))
    watch_copy_in(&version, version.nbytes, device);
  Ref<Buffer> buffer = device.allocate(static_cast<size_t>(version.nbytes));
  if (Ref<Buffer> copy = find_copy(version, device)) return copy;
  if (is_unallocated(version)) {
    if (version.zeros) device.stream().fill_zero(buffer->data(), static_cast<size_t>(version.nbytes));
    keep_device_copy(version, buffer);
    return buffer;
  }
  if (const Ref<Buffer> from = other ? find_copy(version, *other) : nullptr) {
    copy_between(*buffer, device, *from, *other);
  } else if (other && !version.data) {
    gather_on(version, *buffer, device);
  } else {
    copy_to_host(version);
    if (!version.settled()) runtime::HostStream::instance().wait(version.ticket);
    copy_in(*buffer, host_data(version), device);
  }
  if (!version.foreign && !version.lent) keep_device_copy(version, buffer);
  return buffer;
}

bool copy_to_host(Version& version, const UnlockHooks& hooks, std::span<const runtime::CopyOut> also) {
  if (version.data) return false;
  if (is_unallocated(version)) {
    runtime::HostPool& pool = runtime::HostPool::instance();
    const auto nbytes = static_cast<size_t>(version.nbytes);
    eager::set_buffer(version, version.zeros ? pool.allocate_zeros(nbytes) : pool.allocate(nbytes));
    return false;
  }
  if (!version.on_devices) return gather_on_host(version, hooks), false;
  // While the lock is released, another thread may free the version or its memory, or copy the same elements to the
  // host.
  const Ref<Version> held(&version);
  const Device* asked = device_of(version);
  if (!asked->failure().empty()) throw LostElements(lost_text(version, *asked));
  watch_copy_out(&version, version.nbytes, *asked);
  if (version.data) return false;
  // Logging released the lock: the copy may have been dropped meanwhile, as another device has one.
  Device& device = *device_of(version);
  if (!device.failure().empty()) throw LostElements(lost_text(version, device));
  if (&device != asked) also = {};
  const Ref<Buffer> from = find_copy(version, device);
  Ref<Buffer> buffer(static_cast<Buffer*>(version.memory));
  const CopySeconds seconds = timed_copy_out(version, device, version.nbytes, hooks, [&] {
    const size_t nbytes = static_cast<size_t>(version.nbytes);
    if (!buffer) buffer = runtime::HostPool::instance().allocate(nbytes);
    std::vector<runtime::CopyOut> pieces{{buffer->data(), from->data(), nbytes}};
    pieces.insert(pieces.end(), also.begin(), also.end());
    return pieces;
  });
  if (version.data) return !also.empty();
  charge_copy(version, seconds);
  if (!version.memory) {
    version.memory = buffer.get();
    buffer->retain();
  }
  if (!version.lent) version.data = eager::buffer_of(version)->data();
  return !also.empty();
}

void copy_to_memory(Version& version, int64_t offset, int64_t nbytes, char* to, const UnlockHooks& hooks) {
  if (!version.on_devices) return copy_tiles_out(version, {offset, offset + nbytes}, to, hooks);
  const Ref<Version> held(&version);
  Device& device = *device_of(version);
  if (!device.failure().empty()) throw LostElements(lost_text(version, device));
  const Ref<Buffer> from = find_copy(version, device);
  watch_copy_out(&version, nbytes, device);
  charge_copy(version, timed_copy_out(version, device, nbytes, hooks, [&] {
                return std::vector<runtime::CopyOut>{{to, from->data() + offset, static_cast<size_t>(nbytes)}};
              }));
}

void lose(Version& version, Device& device) {
  set_device_buffer(version, device.adopt(nullptr, static_cast<size_t>(version.nbytes), [] {}));
}

void copy_part_to_host(const Version& version, int64_t offset, int64_t nbytes, char* to, const UnlockHooks& hooks) {
  if (const Device* device = device_of(version)) watch_copy_out(&version, nbytes, *device);
  // Logging released the lock: another thread may have copied all of it to the host.
  if (version.data) {
    std::memcpy(to, version.data + offset, static_cast<size_t>(nbytes));
    return;
  }
  if (!version.on_devices) return copy_tiles_out(version, {offset, offset + nbytes}, to, hooks);
  Device& device = *device_of(version);
  const Ref<Buffer> from = find_copy(version, device);
  {
    const Unlocked unlocked(hooks);
    const profile::InRow row(profile::Row::copying);
    device.stream().copy_out(to, from->data() + offset, static_cast<size_t>(nbytes));
  }
  profile::add(Counter::copies_from_device);
  profile::add(Counter::bytes_from_device, nbytes);
}

uint32_t new_maker() {
  static uint32_t makers = 0;
  return ++makers;
}

void note_queued(uint32_t maker, double seconds) {
  WaitTimes& all = waits();
  all.is_used = true;
  if (maker) all.queue(maker, seconds);
}

void note_first_run(double seconds) {
  static const uint32_t nobody = new_maker();
  note_queued(nobody, seconds);
}

void forget_half(uint32_t maker) {
  if (Maker* found = waits().find(maker)) found->waited /= 2;
}

void forget_some(uint32_t maker) {
  if (Maker* found = waits().find(maker)) found->waited *= 1 - plan::PlacementLimits::forgotten_share;
}

void divide_wait(double seconds) { waits().divide(seconds); }

double seconds_a_byte_to_device() { return copy_in_seconds(); }

double seconds_waited_for(uint32_t maker) {
  const Maker* found = waits().find(maker);
  return found ? found->waited : 0;
}

char* host_data(const Version& version) { return version.data ? version.data : eager::buffer_of(version)->data(); }

Device* device_of(const Version& version) {
  const graph::DeviceCopy* first = version.on_devices;
  if (!first) return owner_of(tiles_of(version));
  for (const graph::DeviceCopy* copy = first; first->next && copy; copy = copy->next)
    if (Device& owner = owner_of(*static_cast<const Buffer*>(copy->memory)); owner.is_usable()) return &owner;
  return &owner_of(*static_cast<const Buffer*>(first->memory));
}

SmallVector<Device*, 4> devices_of(const Version& version) {
  SmallVector<Device*, 4> devices;
  for (const graph::DeviceCopy* copy = version.on_devices; copy; copy = copy->next)
    devices.push_back(&owner_of(*static_cast<const Buffer*>(copy->memory)));
  return devices;
}

Ref<Buffer> find_copy(const Version& version, const Device& device) {
  const graph::DeviceCopy* entry = find_entry(version, device);
  return Ref<Buffer>(entry ? static_cast<Buffer*>(entry->memory) : nullptr);
}

bool is_elsewhere(const Version& version, const Device& device) {
  if (version.data || is_tiled(version)) return true;
  const SmallVector<Device*, 4> owners = devices_of(version);
  return std::any_of(owners.begin(), owners.end(),
                     [&](const Device* owner) { return owner != &device && owner->is_usable(); });
}

void lend(Version& version, const Ref<Buffer>& buffer) {
  set_device_buffer(version, buffer);
  version.lent = true;
}

void drop_device_copies(Version& version) {
  if (!version.on_devices && !version.tiles) return;
  version.watched = 0;  // its elements are about to be overwritten
  copy_to_host(version);
  version.kept = 0;
  version.release_device_copies();
}

void drop_copy_of(Version& version, const Device& device) {
  if (!is_elsewhere(version, device)) return drop_device_copies(version);
  version.kept = 0;
  if (const graph::DeviceCopy* entry = find_entry(version, device)) version.release_device_copy(*entry);
}

}  // namespace tessera::engine
