/// Coherence: where a version's elements are valid, on the host, on a device or on both, and the copies between.
#pragma once

#include <functional>
#include <span>

#include "tessera/base/error.h"
#include "tessera/engine/unlocked.h"
#include "tessera/graph/storage.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Makes `buffer` on a device the only contents of the version, which is settled by that.
void set_device_buffer(graph::Version& version, const Ref<runtime::Buffer>& buffer);
/// A settled version that nobody has written: it gets memory where it is used first.
Ref<graph::Version> make_unallocated(int64_t nbytes);
Ref<graph::Version> make_unallocated_zeros(int64_t nbytes);
bool is_unallocated(const graph::Version& version);
/// The elements in the device's memory, copied there when they are not. A copy of foreign memory is not kept: it may
/// change at any time.
Ref<runtime::Buffer> on_device(graph::Version& version, runtime::Device& device);
/// A settled version on the device with the bytes at `data`.
Ref<graph::Version> make_on_device(const char* data, int64_t nbytes, runtime::Device& device);
/// Waits for the elements and copies them to host memory when they are on a device only, without the caller's lock when
/// its hooks are given. Of lent memory the copy is made anew each time, and is found by host_data() only. Throws
/// LostElements. The bytes in `also` come with them.
void bring_home(graph::Version& version, const UnlockHooks& hooks = {}, std::span<const runtime::CopyOut> also = {});
/// What was in the memory of a device that failed.
class LostElements : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};
/// Makes contents that needed lost ones lost as well.
void lose(graph::Version& version, runtime::Device& device);
/// Copies some bytes of what a device has to `to`. The caller holds the version.
void copy_part_home(const graph::Version& version, int64_t offset, int64_t nbytes, char* to);
/// A number for what makes versions on a device again and again; never 0.
uint32_t new_maker();
/// That the maker's work was queued on the device, which it keeps busy for so long.
void note_queued(uint32_t maker, double seconds);
/// Calls charge(origin, seconds) for what others waited for copies of arrays that no maker made on the device, since
/// the last call.
void charge_copies_home(const std::function<void(uint16_t, double)>& charge);
/// Seconds that somebody waited so far on account of this maker: for its share of what the device had to do first, and
/// for copies of what it made.
double seconds_waited_for(uint32_t maker);
/// Who divides that by a number of runs halves both after so many.
constexpr int64_t remembered_runs = 64;
void forget_half(uint32_t maker);
/// Seconds that a call waited for what it and others had queued before.
void divide_wait(double seconds);
/// Where the elements lie on the host, once they were brought home.
char* host_data(const graph::Version& version);
/// The device that has the elements; null when it is the host alone.
runtime::Device* device_of(const graph::Version& version);
/// From now on others see the elements in `buffer`, which is their only true place.
void lend(graph::Version& version, const Ref<runtime::Buffer>& buffer);
/// Before the host writes: the device's copy is no longer one.
void drop_device_copy(graph::Version& version);

}  // namespace tessera::engine
