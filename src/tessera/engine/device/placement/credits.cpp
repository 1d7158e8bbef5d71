#include "tessera/engine/device/placement/credits.h"

#include <algorithm>

#include "tessera/base/hash.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/support/limits.h"

namespace tessera::engine {

using graph::Version;

uint16_t Origins::enter(uint64_t site, int64_t nbytes) {
  const uint64_t key = Hash().add(site).add(static_cast<uint64_t>(nbytes)).value() | 1;
  const size_t number = 1 + key % (plan::PlacementLimits::most_origins - 1);
  Origin& origin = origins_[number];
  if (origin.key != key) origin = {.key = key, .nbytes = nbytes};
  if (origin.made >= plan::PlacementLimits::remembered_arrays) origin.made /= 2, origin.earned /= 2;
  origin.made += 1;
  return static_cast<uint16_t>(number);
}

void Origins::earn(uint16_t origin, double seconds) {
  if (origin) origins_[origin].earned += seconds;
}

void Origins::note_move(uint16_t number, bool is_first, int64_t nbytes) {
  if (!number) return;
  Origin& origin = origins_[number];
  if (origin.moves >= plan::PlacementLimits::remembered_moves) origin.moves /= 2, origin.arrays_moved /= 2;
  const double share =
      std::min(1.0, static_cast<double>(nbytes) / static_cast<double>(std::max<int64_t>(1, origin.nbytes)));
  origin.moves += share;
  if (is_first) origin.arrays_moved += share;
}

double Origins::expected(uint16_t number, int64_t nbytes) const {
  if (!number) return 0;
  // The most recently entered array has earned nothing yet.
  const Origin& origin = origins_[number];
  const double share =
      std::min(1.0, static_cast<double>(nbytes) / static_cast<double>(std::max<int64_t>(1, origin.nbytes)));
  return share * std::max(0.0, origin.earned / std::max(1.0, origin.made - 1));
}

double Origins::moves_each(uint16_t number) const {
  const Origin& origin = origins_[number];
  return number ? std::clamp(origin.moves / std::max(1.0, origin.arrays_moved), 1.0,
                             plan::PlacementLimits::most_moves_each)
                : 1.0;
}

/// Whether the next operation of this kind will find another array in its place, as a loop's temporaries are.
static bool is_new(const Version& version) { return version.age < plan::PlacementLimits::settled_age; }

void OperandCredits::add(Version& version) {
  if (is_unallocated(version) || std::find(versions_.begin(), versions_.end(), &version) != versions_.end()) return;
  versions_.push_back(&version);
  nbytes_ += version.nbytes;
  if ((version.lent || version.stays) && !lender_) lender_ = device_of(version);
  if (!version.on_devices) only_on_host_ += version.nbytes;
  if (!version.data) only_on_device_ += version.nbytes;
}

plan::OperandSums OperandCredits::sums(const DeviceSet* set, const runtime::Device* device) const {
  SmallVector<plan::OperandFacts, 8> operands;
  for (const Version* version : versions_) {
    const uint64_t any = version->on_devices ? 1 : 0;
    operands.push_back({});
    plan::OperandFacts& facts = operands.back();
    facts = {.nbytes = version->nbytes,
             .is_on_host = version->data != nullptr,
             .devices = set && !set->is_one() && any ? set->where(*version) : any};
    if (version->on_devices) {
      facts.credit = std::min(0.0F, version->credit);
      continue;
    }
    facts.moves = origins_.moves_each(version->origin);
    if (version->foreign) continue;
    facts.credit = version->credit;
    // An array that was copied back to the host stays there until it has earned another move.
    if (!version->was_moved) facts.expected = origins_.expected(version->origin, version->nbytes);
  }
  return plan::sum_operands(operands, set && device ? std::max(0, set->number_of(device)) : -1, facts_);
}

void OperandCredits::move(runtime::Device& device) {
  for (Version* version : versions_)
    if (!version->foreign && !find_copy(*version, device)) on_device(*version, device);
}

void OperandCredits::settle(bool on_device, double saving, double copying_back) {
  if (nbytes_ == 0) return;
  // If the operands on the host had been on the device, the others would not have been copied to the host.
  const double spared = only_on_host_ > 0 ? copying_back / static_cast<double>(only_on_host_) : 0;
  const double recurring = copying_new_back();
  // Operands that both have favour neither: what is saved is credited to those that have to be copied.
  int64_t on_one_side = 0;
  for (const Version* version : versions_)
    if ((version->data != nullptr) != (version->on_devices != nullptr)) on_one_side += version->nbytes;
  for (Version* version : versions_) {
    const double share_of_all = static_cast<double>(version->nbytes) / static_cast<double>(nbytes_);
    const double earned = (saving + (is_new(*version) ? 0 : recurring)) * share_of_all;
    const double share = on_device ? earned : saving * share_of_all;
    version->age = static_cast<uint8_t>(std::min(version->age + 1, plan::PlacementLimits::settled_age));
    origins_.earn(version->origin, earned);
    const bool is_here = version->data != nullptr, is_there = version->on_devices != nullptr;
    if (is_here != is_there && is_there == on_device) {
      // One more use at its current location.
      const double of_all = static_cast<double>(nbytes_) / static_cast<double>(on_one_side);
      const double credit =
          version->credit + share * of_all + (is_here ? spared * static_cast<double>(version->nbytes) : 0);
      version->credit = static_cast<float>(is_there ? std::min(0.0, credit) : std::max(0.0, credit));
    } else if (is_here != is_there) {
      version->credit = 0;
      if (on_device)
        origins_.note_move(version->origin, !version->was_moved, version->nbytes), version->was_moved = true;
      else
        version->maker = 0;  // its copy to the host is accounted for here, not by the maker
    } else {
      version->credit = 0;
    }
  }
}

double OperandCredits::copying_new_back() const {
  double seconds = 0;
  for (const Version* version : versions_)
    if (!version->data && is_new(*version))
      seconds += facts_.copy_start + static_cast<double>(version->nbytes) / facts_.to_host;
  return seconds > 0 ? seconds + facts_.synchronise : 0;
}

double OperandCredits::credit_a_byte() const {
  double most = 0;
  for (const Version* version : versions_)
    most = std::max(most, static_cast<double>(version->credit) / static_cast<double>(version->nbytes));
  return most;
}

uint16_t OperandCredits::origin() const {
  const Version* largest = nullptr;
  for (const Version* version : versions_)
    if (version->origin && (!largest || version->nbytes > largest->nbytes)) largest = version;
  return largest ? largest->origin : 0;
}

bool OperandCredits::was_moved() const {
  return std::any_of(versions_.begin(), versions_.end(), [](const Version* version) { return version->was_moved; });
}

void inherit(Version& result, const Version& operand, bool on_device) {
  if (!result.origin) result.origin = operand.origin;
  result.was_moved |= operand.was_moved;
  result.age = std::max(result.age, operand.age);
  result.stays |= on_device && (operand.lent || operand.stays);
  if (operand.nbytes == 0) return;
  const float credit = operand.credit * static_cast<float>(result.nbytes) / static_cast<float>(operand.nbytes);
  result.credit = on_device ? std::min(result.credit, credit) : std::max(result.credit, credit);
}

}  // namespace tessera::engine
