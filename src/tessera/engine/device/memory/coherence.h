/// Coherence: at which places a version's elements are valid, the host and devices, and the copies between.
#pragma once

#include <functional>
#include <span>

#include "tessera/base/error.h"
#include "tessera/base/small_vector.h"
#include "tessera/base/unlocked.h"
#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Makes `buffer` on a device the only contents of the version, and the version settled.
void set_device_buffer(graph::Version& version, const Ref<runtime::Buffer>& buffer);
/// A settled version without contents; its memory is allocated where it is first used.
Ref<graph::Version> make_unallocated(int64_t nbytes);
Ref<graph::Version> make_unallocated_zeros(int64_t nbytes);
bool is_unallocated(const graph::Version& version);
/// The elements in the device's memory, copied there if necessary. A copy of foreign memory is not kept, because that
/// memory may change at any time.
Ref<runtime::Buffer> on_device(graph::Version& version, runtime::Device& device);
/// A settled version on the device, with the bytes at `data`.
Ref<graph::Version> make_on_device(const char* data, int64_t nbytes, runtime::Device& device);
/// Waits for the elements and copies them to host memory if only a device has them; releases the caller's lock
/// meanwhile when `hooks` are given. The copy of lent memory is made anew each time and is accessible by host_data()
/// only. The copies in `also`, from the same device, are done together with it; false where they were not. Throws
/// LostElements.
bool copy_to_host(graph::Version& version, const UnlockHooks& hooks = {}, std::span<const runtime::CopyOut> also = {});
/// Copies some bytes of a version that a device has to `to` and keeps no copy on the host; waits as copy_to_host()
/// does.
void copy_to_memory(graph::Version& version, int64_t offset, int64_t nbytes, char* to, const UnlockHooks& hooks);
/// The elements were in the memory of a device that failed.
class LostElements : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};
/// Marks the contents as lost; for versions computed from lost ones.
void lose(graph::Version& version, runtime::Device& device);
/// Copies some bytes of a version from the device to `to`, with the caller's lock released. The caller holds a
/// reference to the version.
void copy_part_to_host(const graph::Version& version, int64_t offset, int64_t nbytes, char* to,
                       const UnlockHooks& hooks);
/// A new identifier of a producer (a plan, or calls of one kind) that repeatedly creates versions on a device; never 0.
uint32_t new_maker();
/// Records that the maker queued work that keeps the device busy for `seconds`.
void note_queued(uint32_t maker, double seconds);
/// Work was queued whose kernels or library the device had not run before: what is waited for that, some `seconds`, is
/// charged to nobody.
void note_first_run(double seconds);
/// Seconds a byte that recent large copies to a GPU took; 0: none was made.
double seconds_a_byte_to_device();
/// Seconds the host has waited so far because of this maker: its share of the waits for queued work, and the copies of
/// its results.
double seconds_waited_for(uint32_t maker);
/// Callers that divide seconds_waited_for() by a number of runs halve both after PlacementLimits::remembered_runs.
void forget_half(uint32_t maker);
/// The host ran what this maker makes instead: what was waited for weighs a little less, so that one long wait, such as
/// for a kernel that was compiled meanwhile, does not keep its work on the host for ever.
void forget_some(uint32_t maker);
/// Divides a wait of this many seconds among the makers whose work was queued.
void divide_wait(double seconds);
/// Address of the elements on the host, after copy_to_host().
char* host_data(const graph::Version& version);
/// A device that has the elements, one that can be used if there is one; null when only the host has them.
runtime::Device* device_of(const graph::Version& version);
/// All devices that have the elements.
SmallVector<runtime::Device*, 4> devices_of(const graph::Version& version);
/// The device's copy of the elements, or null.
Ref<runtime::Buffer> find_copy(const graph::Version& version, const runtime::Device& device);
/// Whether the host or another device than this one has the elements.
bool is_elsewhere(const graph::Version& version, const runtime::Device& device);
/// From now on `buffer`, which other libraries see, is the only valid memory of the elements.
void lend(graph::Version& version, const Ref<runtime::Buffer>& buffer);
/// To be called before the host writes: makes the host's copy the only one.
void drop_device_copies(graph::Version& version);
/// Releases this device's copy, after copying it to the host if it is the only one.
void drop_copy_of(graph::Version& version, const runtime::Device& device);

}  // namespace tessera::engine
