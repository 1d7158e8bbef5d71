#include "tessera/plan/working_sets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/base/hash.h"

namespace tessera::plan {

namespace {

using Limits = PlacementLimits;

double copy_in(int64_t nbytes, const MachineFacts& facts) {
  return nbytes > 0 ? facts.copy_start + static_cast<double>(nbytes) / facts.to_device : 0;
}
double copy_out(int64_t nbytes, const MachineFacts& facts) {
  return nbytes > 0 ? facts.copy_start + static_cast<double>(nbytes) / facts.to_host : 0;
}

/// What the work costs, with the copies of one operation, by where its set is.
struct Sides {
  double to_device = 0, to_host = 0;                // copies of the operands as they lie
  double at_host = 0, at_device = 0;                // of the work if all of the set is there, wherever it runs itself
  bool leaves_host = false, leaves_device = false;  // it runs on the other side, where it costs less in spite of copies
  double new_arrays = 0;                            // copies of arrays that the host made for it
};

Sides find_sides(const WorkCosts& work, std::span<const UsedArray> operands, const MachineFacts& facts) {
  Sides sides;
  double all_in = 0, all_out = 0;
  for (const UsedArray& array : operands) {
    const double in = copy_in(array.nbytes, facts), out = copy_out(array.nbytes, facts);
    if (!array.is_on_device) sides.to_device += in;
    if (!array.is_on_host) sides.to_host += out;
    if (array.is_on_other_device)
      sides.to_device += facts.copy_start + static_cast<double>(array.nbytes) / facts.between_devices;
    if (array.is_new) sides.new_arrays += in;
    all_in += array.is_on_host && array.is_on_device ? 0 : in;
    all_out += array.is_on_host ? 0 : out;
  }
  if (all_out > 0) all_out += facts.synchronise;
  const double there = work.device + all_in + copy_out(work.result_bytes, facts) + facts.synchronise;
  const double here = work.host + all_out + copy_in(work.result_bytes, facts);
  sides.leaves_host = there < work.host && work.making == 0;
  sides.leaves_device = here < work.device;
  sides.at_host = sides.leaves_host ? there : work.host;
  sides.at_device = sides.leaves_device ? here : work.device;
  return sides;
}

/// Whether the work itself may cost less on the side that is tried than on the one that it would leave for.
bool is_worth_trying(const WorkCosts& work, const Sides& sides, bool on_device) {
  return on_device ? work.device / work.device_error < sides.at_device : work.host / work.host_error < sides.at_host;
}

}  // namespace

uint32_t WorkingSets::made_by(uint64_t site, int64_t nbytes) {
  limit_sets();
  uint32_t& number = made_by_[Hash().add(site).add(static_cast<uint64_t>(nbytes)).value()];
  if (number == 0) number = new_set();
  return number;
}

/// Work without operands makes a set each time: arrays that are older than the sets are get new ones.
void WorkingSets::limit_sets() {
  if (sets_.size() >= Limits::most_sets) made_by_.clear(), sets_.resize(1);
}

uint32_t WorkingSets::new_set() {
  sets_.push_back({.patience = Limits::patience});
  return static_cast<uint32_t>(sets_.size()) - 1;
}

WorkingSets::Set& WorkingSets::of(uint32_t& number) {
  if (number >= sets_.size()) number = new_set();  // of an array that is older than the sets are
  while (sets_[number].joined) number = sets_[number].joined;
  return sets_[number];
}

uint32_t WorkingSets::join(std::span<const UsedArray> operands) {
  uint32_t into = 0;
  int64_t most = 0;
  for (const UsedArray& array : operands) {
    uint32_t number = array.set;
    if (!number) continue;
    of(number);
    if (array.nbytes > most) most = array.nbytes, into = number;
  }
  for (const UsedArray& array : operands) {
    uint32_t number = array.set;
    if (!number || array.nbytes < Limits::joining_bytes || most < Limits::joining_bytes) continue;
    Set& other = of(number);
    if (number == into) continue;
    Set& set = sets_[into];
    set.lead += other.lead;
    set.bytes += other.bytes;
    set.last_bytes += other.last_bytes;
    if (other.iterations > set.iterations) set.on_device = other.on_device;
    set.iterations = std::max(set.iterations, other.iterations);
    other = {.joined = into};
  }
  return into ? into : new_set();
}

void WorkingSets::count(Set& set, const UsedArray& array) {
  constexpr size_t most = 16;  // of arrays that are told apart: further ones count as often as they are used
  if (std::find(set.counted.begin(), set.counted.end(), array.identity) != set.counted.end()) return;
  if (set.counted.size() < most) set.counted.push_back(array.identity);
  set.bytes += array.nbytes;
}

double WorkingSets::moving(const Set& set, const MachineFacts& facts) {
  return facts.copy_start + copy_in(std::max(set.bytes, set.last_bytes), facts);
}
double WorkingSets::moving_back(const Set& set, const MachineFacts& facts) {
  return facts.synchronise + facts.copy_start + copy_out(std::max(set.bytes, set.last_bytes), facts);
}

void WorkingSets::end_iteration(Set& set, const MachineFacts& facts) {
  ++set.iterations;
  const double here = set.on_device ? set.costs.device : set.costs.host,
               there = set.on_device ? set.costs.host : set.costs.device;
  if (set.is_trial) {
    set.is_trial = false;
    // What it cost here is known now; on the other side it is what it was before.
    if (here >= set.compared) set.on_device = !set.on_device;
    set.lead = set.on_device ? moving_back(set, facts) : -moving(set, facts);
    set.spent = 0;
  } else if (set.costs.unsure > 0 && there - set.costs.unsure < here && set.iterations > 1) {
    const double trial = moving(set, facts) + moving_back(set, facts) + std::max(0.0, there - here);
    const bool is_due = set.spent * Limits::trial_share >= trial * std::ldexp(1.0, std::min(30, set.trials));
    set.wants_trial = is_due && set.is_unready;
    if (is_due && !set.is_unready)
      set.is_trial = true, set.compared = here, set.on_device = !set.on_device, ++set.trials;
  }
  set.last_bytes = set.bytes;
  set.last_against = set.costs.against;
  set.counted.clear();
  set.works = 0, set.bytes = 0, set.costs = {}, set.is_unready = false;
}

WorkingSets::Ends WorkingSets::ends_of(const Set& set, const MachineFacts& facts) {
  const double in = moving(set, facts), out = moving_back(set, facts), share = set.patience * (in + out);
  // Before anything repeats nothing is known of what follows: it goes where what was done would have been done sooner.
  return {.to_host = std::min(0.0, std::max(-in, out - share)),
          .to_device = set.iterations == 0 ? 0 : std::min(out, share - in)};
}

void WorkingSets::settle(Set& set, const MachineFacts& facts) {
  const double in = moving(set, facts), out = moving_back(set, facts);
  set.lead = std::clamp(set.lead, -in, std::max(out, 0.0));
  if (set.is_trial) return;
  const Ends ends = ends_of(set, facts);
  const bool changes =
      set.on_device ? set.lead <= ends.to_host && set.lead < 0 : set.lead >= ends.to_device && set.lead > -in;
  if (!changes) return;
  set.on_device = !set.on_device;
  set.patience = std::min(1.0, 2 * set.patience);
}

void WorkingSets::charge(Set& set, double lead) {
  set.lead += lead;
  if ((lead > 0) != set.on_device) set.costs.against += std::abs(lead);
}

/// Whether what speaks against its side in several iterations would not make the set change it.
bool WorkingSets::is_steady(const Set& set, const MachineFacts& facts) {
  if (set.is_trial || set.wants_trial || set.is_unready || set.iterations < Limits::steady_iterations) return false;
  const Ends ends = ends_of(set, facts);
  const double left = set.on_device ? set.lead - ends.to_host : ends.to_device - set.lead;
  return left > 2 * Limits::unweighed_runs * std::max(set.costs.against, set.last_against);
}

Placement WorkingSets::choose(const WorkCosts& work, std::span<const UsedArray> operands, const MachineFacts& facts) {
  limit_sets();
  const uint32_t number = join(operands);
  Set& set = sets_[number];
  if (set.works > 0 && (work.key == set.first_key || set.works >= Limits::works_an_iteration))
    end_iteration(set, facts);
  if (set.works++ == 0) set.first_key = work.key;
  const Sides sides = find_sides(work, operands, facts);
  for (const UsedArray& array : operands)
    if (!(set.on_device ? array.is_on_host : array.is_on_device)) count(set, array);
  const double times = work.times;
  set.costs.host += times * sides.at_host;
  set.costs.device += times * sides.at_device + sides.new_arrays;
  set.costs.unsure +=
      times * (set.on_device ? work.host * (1 - 1 / work.host_error) : work.device * (1 - 1 / work.device_error));
  charge(set, times * (sides.at_host - sides.at_device) - sides.new_arrays);
  Placement placement{.set = number};
  if (work.making > 0) {
    set.is_unready = true;
    set.lead = std::clamp(set.lead, -moving(set, facts), moving_back(set, facts));
    // On the device's side the host's part needs copies, too.
    const double there = set.on_device ? sides.to_host + copy_in(work.result_bytes, facts) : 0;
    const double gain = work.host + there - work.device;
    set.missed = std::max(0.0, set.missed + gain - (set.on_device ? 0 : sides.new_arrays));
    const bool repays_alone = gain >= work.making + (set.on_device ? 0 : sides.to_device);
    const double enough = work.making * (set.iterations > 1 ? Limits::patience : 1);
    placement.gets_ready = gain > 0 && (set.on_device || set.wants_trial || set.missed >= Limits::early * work.making);
    placement.on_device =
        gain > 0 && (repays_alone || (set.missed >= enough && (!work.in_background || set.on_device)));
    if (placement.on_device) set.on_device = true, set.missed = 0;
  } else {
    settle(set, facts);
    const bool leaves = set.on_device ? sides.leaves_device : sides.leaves_host;
    placement.on_device = set.on_device != (leaves && !(set.is_trial && is_worth_trying(work, sides, set.on_device)));
    const bool lies_there = (set.on_device ? sides.to_device : sides.to_host) == 0;
    if (lies_there && !leaves && is_steady(set, facts)) placement.repeats = Limits::unweighed_runs;
  }
  set.spent += times * (placement.on_device ? work.device : work.host);
  placement.reasons = {.host = work.host,
                       .device = work.device,
                       .to_device = sides.to_device,
                       .to_host = sides.to_host,
                       .lead = set.lead,
                       .moving = moving(set, facts),
                       .making = work.making,
                       .on_device = set.on_device,
                       .is_trial = set.is_trial};
  return placement;
}

bool WorkingSets::enters_device(uint32_t number, int64_t nbytes, double host_copy, const MachineFacts& facts) {
  Set& set = of(number);
  const double in = copy_in(nbytes, facts);
  set.costs.host += host_copy;
  set.lead += host_copy;
  if (set.missed > 0) set.missed += host_copy;
  // Memory that is used for the first time may cost the host more than the bus does.
  if (set.iterations == 0 && set.works == 0 && host_copy > in) set.on_device = true;
  if (!set.on_device) return false;
  set.costs.device += in, set.lead -= in;
  return true;
}

void WorkingSets::note_read(uint32_t number, int64_t nbytes, const MachineFacts& facts) {
  Set& set = of(number);
  const double seconds = copy_out(nbytes, facts) + facts.synchronise;
  set.costs.device += seconds;
  charge(set, -seconds);
  // Before any work on it: that is known of it now.
  if (set.iterations == 0 && set.works == 0) set.iterations = 1, set.on_device = false;
}

void WorkingSets::note_delay(uint32_t number, double seconds) {
  Set& set = of(number);
  set.costs.device += seconds;
  charge(set, -seconds);
}

std::string describe(const Reasons& reasons) {
  std::string text = reasons.on_device ? "its arrays belong on the device" : "its arrays belong on the host";
  if (reasons.is_trial) text += " for a trial";
  const std::pair<const char*, double> costs[] = {{"copies to the device", reasons.to_device},
                                                  {"copies to the host", reasons.to_host},
                                                  {"moving all", reasons.moving},
                                                  {"compiling and opening", reasons.making}};
  for (const auto& [name, seconds] : costs)
    if (seconds > 0) text += format(", {} {} us", name, std::llround(1e6 * seconds));
  return text + format(", ahead by {} us", std::llround(1e6 * reasons.lead));
}

}  // namespace tessera::plan
