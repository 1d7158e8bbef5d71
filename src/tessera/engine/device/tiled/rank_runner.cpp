#include "tessera/engine/device/tiled/rank_runner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "tessera/base/hash.h"
#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/memory/tiled_memory.h"
#include "tessera/engine/device/run/device_plan.h"
#include "tessera/engine/device/tiled/clip_boxes.h"
#include "tessera/engine/device/tiled/place_launches.h"
#include "tessera/engine/device/tiled/place_wave.h"
#include "tessera/engine/device/tiled/scheduled_run.h"
#include "tessera/engine/host/wave_rows.h"
#include "tessera/engine/support/copy_boxes.h"
#include "tessera/engine/support/memory.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_stream.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

namespace {

constexpr int64_t least_elements = 1 << 18;  // of an array that is cut because that repays itself

/// Of contents that every rank made for itself: all of short ones, parts of long ones.
uint64_t hash_of_contents(const char* data, int64_t nbytes) {
  constexpr int64_t most_words = 2048;
  const int64_t words = nbytes / 8, step = std::max<int64_t>(1, words / most_words);
  Hash hash;
  for (int64_t at = 0; at < words; at += step) {
    uint64_t word;
    std::memcpy(&word, data + at * 8, sizeof word);
    hash.add(word);
  }
  for (int64_t at = words * 8; at < nbytes; ++at) hash.add(static_cast<uint8_t>(data[at]));
  return hash.value();
}

uint64_t hash_of_values(const graph::Node& node) {
  Hash hash;
  const graph::Form& form = *node.form;
  hash.add(static_cast<uint64_t>(node.offset));
  for (int k = 0; k < form.input_count; ++k) {
    if (!form.inputs[k].scalar) {
      hash.add(static_cast<uint64_t>(node.inputs[k].offset));
      continue;
    }
    std::array<uint64_t, 2> words{};
    std::memcpy(words.data(), node.inputs[k].scalar, static_cast<size_t>(itemsize(form.inputs[k].dtype)));
    hash.add(words[0]).add(words[1]);
  }
  return hash.value();
}

void note_operations(const plan::Plan& plan, const plan::Request& request, Ranks& ranks) {
  // Only what no rank has of another is compared by its contents: once, before it is cut.
  std::vector<uint64_t> contents(static_cast<size_t>(request.size()), 0);
  for (const plan::Slot& slot : plan.slots) {
    if (slot.external.node < 0) continue;
    const graph::Version& version = version_at(request, slot.external);
    if (!version.data || version.tiles || version.window) continue;
    uint64_t& hash = contents[static_cast<size_t>(slot.external.node)];
    hash = Hash().add(hash).add(hash_of_contents(version.data, version.nbytes)).value();
  }
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    const uint64_t values = Hash().add(hash_of_values(node)).add(contents[static_cast<size_t>(i)]).value();
    ranks.note_operation(node.form, values, node.site);
  }
}

/// What the schedule says beyond the operations: what of their results is needed later.
uint64_t hash_of(const tile::Schedule& schedule) {
  Hash hash;
  hash.add(schedule.actions.size()).add(static_cast<uint64_t>(schedule.gathered));
  for (const tile::Action& action : schedule.actions)
    if (const auto* message = std::get_if<tile::Message>(&action))
      hash.add(static_cast<uint64_t>(message->slot))
          .add(static_cast<uint64_t>(message->bytes.begin))
          .add(static_cast<uint64_t>(message->bytes.end));
  return hash.value();
}

}  // namespace

bool RankRunner::is_cut(int64_t elements, const Ranks& ranks) {
  return elements > (tile_rules().cut == CutRule::always ? ranks.size() : least_elements);
}

/// What this rank does of one run.
struct RankRunner::Run {
  const BoundPlan& bound;
  const plan::Request& request;
  TiledSlots& slots;
  Ranks& ranks;
  const PlaceLaunches* on_device = nullptr;  // null: on the cores
  std::vector<uint32_t> flags{};
  std::vector<tile::Message> coming{};           // to here, and perhaps not here yet
  std::vector<std::span<const char>> leaving{};  // from here, and perhaps not there yet

  /// Does what the action at `k` says for this rank, or a wave that begins there; returns the next one.
  size_t act(std::span<const tile::Action> actions, size_t k) {
    const tile::Action& action = actions[k];
    if (const auto* message = std::get_if<tile::Message>(&action)) return exchange(*message), k + 1;
    const auto* part = std::get_if<tile::PartMove>(&action);
    const auto* launch = std::get_if<tile::Launch>(&action);
    if (!ranks.is_mine(part ? part->place : launch->place)) return k + 1;
    wait();
    if (on_device) {
      part ? on_device->move(*part) : on_device->launch(*launch, false);
      return k + 1;
    }
    if (const int32_t number = bound.steps[static_cast<size_t>(part ? part->step : launch->step)].wave; number >= 0) {
      const plan::Wave& wave = bound.plan.waves[static_cast<size_t>(number)];
      if (const auto found = find_place_wave(bound.plan, wave, request, slots, actions, k, ranks.rank()))
        return run_wave(wave, *found), found->end;
    }
    part ? copy(*part) : compute(*launch);
    return k + 1;
  }

  void wait() {
    ranks.wait();
    coming.clear(), leaving.clear();
  }

 private:
  void exchange(const tile::Message& message) {
    const int64_t nbytes = message.bytes.size();
    const bool is_from_here = message.from != tile::host && ranks.is_mine(message.from),
               is_to_here = ranks.is_mine(message.to);
    const auto at = [&](int place) { return slots.address(message.slot, place) + message.bytes.begin; };
    if (message.from == tile::host) {  // every rank has it
      if (is_to_here)
        slots.device(message.to)
            .stream()
            .copy_in(at(message.to), slots.on_host(message.slot) + message.bytes.begin, static_cast<size_t>(nbytes));
      return;
    }
    // What came here may be passed on to others.
    const auto is_coming = [&](const tile::Message& other) {
      return other.slot == message.slot && !intersect(other.bytes, message.bytes).empty();
    };
    if (is_from_here && std::ranges::any_of(coming, is_coming)) wait();
    // Slots share memory: what is under way may lie where this one goes.
    if (is_to_here && std::ranges::any_of(leaving, [&](const std::span<const char>& bytes) {
          return bytes.data() < at(message.to) + nbytes && at(message.to) < bytes.data() + bytes.size();
        }))
      wait();
    if (is_from_here) {
      ranks.send_of_place(message.to, at(message.from), nbytes);
      leaving.emplace_back(at(message.from), static_cast<size_t>(nbytes));
    }
    if (is_to_here) ranks.receive_at_place(message.from, at(message.to), nbytes), coming.push_back(message);
    if (!is_from_here && !is_to_here) return;
    profile::add(profile::Counter::copies_between_devices);
    profile::add(profile::Counter::bytes_between_devices, nbytes);
  }

  void copy(const tile::PartMove& part) {
    const plan::CopyStep& copy =
        bound.plan.steps[static_cast<size_t>(part.step)].copies[static_cast<size_t>(part.move)];
    copy_boxes(slots.address(copy.from, part.place), slots.address(copy.to, part.place),
               clip_boxes(boxes_for(copy, request), part.bytes));
  }

  /// What a kernel is called with.
  struct Arguments {
    struct alignas(16) Scalar {
      unsigned char bytes[16];
    };
    std::vector<char*> buffers;
    std::vector<Scalar> scalars;
    ir::KernelArguments all;
  };
  Arguments arguments(size_t k) {
    const plan::KernelStep& step = bound.plan.steps[k].kernel;
    const BoundPlan::BoundStep& its = bound.steps[k];
    Arguments arguments;
    for (const plan::Binding& binding : step.buffers)
      arguments.buffers.push_back(slots.address(binding.slot, ranks.rank()) + offset_of(binding, request));
    for (const plan::NodeRef& at : step.scalars) {
      arguments.scalars.emplace_back();
      std::memcpy(arguments.scalars.back().bytes, request.node(at.node).inputs[at.input].scalar,
                  sizeof arguments.scalars.back().bytes);
    }
    arguments.all = {.buffers = arguments.buffers.data(),
                     .strides = its.strides.data(),
                     .dimensions = its.dimensions.data(),
                     .scalars = reinterpret_cast<const char*>(arguments.scalars.data()),
                     .extents = step.extents.data(),
                     .flags = flags.data() + its.first_flag};
    return arguments;
  }

  void run_box(size_t k, const ir::KernelArguments& arguments, const Dims& begin, const Dims& end) {
    const CachedKernel& kernel = *bound.steps[k].kernel;
    if (const ir::KernelEntry entry = kernel.code_for(bound.plan.steps[k].kernel.work))
      entry(&arguments, begin.data(), end.data());
    else
      kernel.program->run(arguments, begin.data(), end.data());
  }

  void compute(const tile::Launch& launch) {
    const auto k = static_cast<size_t>(launch.step);
    const BoundPlan::BoundStep& its = bound.steps[k];
    const Arguments with = arguments(k);
    Dims last = bound.plan.steps[k].kernel.extents, first(last.size(), 0);
    if (!first.empty()) first[0] = launch.begin, last[0] = launch.end;
    if (its.grain == 0 || runtime::thread_count() == 1) return run_box(k, with.all, first, last);
    const auto axis = static_cast<size_t>(its.split_axis);
    const int64_t from = first[axis];
    auto body = [&](int64_t begin, int64_t end) {
      Dims low = first, high = last;
      low[axis] = from + begin, high[axis] = from + end;
      run_box(k, with.all, low, high);
    };
    runtime::parallel_for(last[axis] - from, its.grain, body);
  }

  void run_wave(const plan::Wave& wave, const PlaceWave& here) {
    std::vector<Arguments> with;
    for (int32_t k = wave.first_step; k < wave.end_step; ++k) with.push_back(arguments(static_cast<size_t>(k)));
    profile::add(profile::Counter::waves);
    const auto visit = [&](size_t p, const plan::WaveRows& rows) {
      const plan::WavePart& part = wave.parts[p];
      const auto k = static_cast<size_t>(part.step);
      const plan::Step& step = bound.plan.steps[k];
      const tile::Range& limits = here.limits[p];
      if (part.copy >= 0) {
        const plan::CopyStep& copy = step.copies[static_cast<size_t>(part.copy)];
        const plan::ByteBox all = box_rows(copy.boxes[static_cast<size_t>(part.box)], part, rows);
        for (const plan::ByteBox& box : clip_boxes({all}, limits))
          copy_box(slots.address(copy.from, ranks.rank()), slots.address(copy.to, ranks.rank()), box);
        return;
      }
      Dims end = step.kernel.extents, begin(end.size(), 0);
      const plan::WaveRows range = index_range(end[0], part, rows);
      begin[0] = std::max(range.begin, limits.begin), end[0] = std::min(range.end, limits.end);
      if (begin[0] < end[0]) run_box(k, with[k - static_cast<size_t>(wave.first_step)].all, begin, end);
    };
    const plan::WaveShares shares = plan::share_wave(wave, runtime::thread_count(), here.rows);
    for (const auto* apart : {&shares.apart, &shares.seams}) {
      auto body = [&](int64_t from, int64_t to) {
        for (int64_t s = from; s < to; ++s) march(wave, (*apart)[static_cast<size_t>(s)], visit);
      };
      runtime::parallel_for(static_cast<int64_t>(apart->size()), 1, body);
    }
  }
};

void RankRunner::prepare_kernels(const BoundPlan& bound) {
  for (size_t k = 0; k < bound.steps.size(); ++k)
    kernels_.prepare(bound.steps[k].kernel, bound.plan.steps[k].kernel.work);
}

void RankRunner::forecast(const BoundPlan& bound, const plan::Request& request, Ranks& ranks,
                          const std::function<void()>& run_on_host) {
  const plan::Plan& plan = bound.plan;
  const ScheduledRun scheduled = schedule_run(plan, request, ranks.places(), most_extra_lanes(), nullptr);
  const graph::Node& last = request.node(request.size() - 1);
  std::string what;
  for (int i = 0; i < request.size() && what.size() < 60; ++i)
    if (const graph::Form& form = *request.node(i).form; form.op)
      what += (what.empty() ? "" : ", ") + std::string(form.op->name);
  forecast_->add(Hash().add(last.site).add(static_cast<uint64_t>(request.size())).add(what).value(),
                 ranks.line_of(last.site) + ": " + what, scheduled.schedule(), scheduled.steps());
  TiledSlots slots(plan, request, scheduled.schedule(), ranks.places());
  slots.allocate(margins_);
  const bool computes = forecast_->machine().computes;
  if (computes) run_on_host();
  slots.settle(computes);
}

void RankRunner::watch_device(Ranks& ranks) {
  ranks.events().set_source([this, &ranks] {
    devices_.of(*ranks.device()).collect_events();
    for (const FloatReport& report : std::exchange(device_window_.reports, {})) ranks.events().raise(report);
  });
}

DevicePlan* RankRunner::bind(BoundPlan& bound, Ranks& ranks) {
  runtime::Device* const device = ranks.device();
  if (!device) return nullptr;
  if (!bound.elsewhere.of_rank) {
    bound.elsewhere.of_rank = devices_.of(*device).bind_parts(bound.plan, devices_.compiler_for(*device));
    watch_device(ranks);
  }
  if (!bound.elsewhere.of_rank->is_complete)
    ranks.stop(format("rank {} on {} has no code of the plan for {}: {}. With --gpus 0 ranks compute on their cores",
                      ranks.rank(), ranks.host(ranks.rank()), runtime::device_name(device),
                      devices_.of(*device).problem()));
  return bound.elsewhere.of_rank.get();
}

void RankRunner::run(BoundPlan& bound, const plan::Request& request, RunWindow& window, Ranks& ranks) {
  const plan::Plan& plan = bound.plan;
  note_operations(plan, request, ranks);
  const ScheduledRun scheduled =
      schedule_run(plan, request, ranks.places(), most_extra_lanes(), schedules_of(bound, ranks.places().size()));
  const graph::Node& last = request.node(request.size() - 1);
  ranks.note_held(last.form, hash_of(scheduled.schedule()), last.site);
  note_gathered(fallbacks_, request, scheduled.schedule());
  TiledSlots slots(plan, request, scheduled.schedule(), ranks.places());
  try {
    slots.allocate(margins_);
  } catch (const OutOfMemory& error) {
    ranks.stop(format("rank {} on {} has no memory for its part of {} of shape {}: {}", ranks.rank(),
                      ranks.host(ranks.rank()), last.form->op->name, shape_text(last.form->shape), error.what()));
  }
  slots.prepare();
  std::optional<PlaceLaunches> on_device;
  if (DevicePlan* device_plan = bind(bound, ranks))
    on_device.emplace(devices_.of(*ranks.device()), *device_plan, plan, request, slots, ranks.rank(), device_window_,
                      false);
  else
    prepare_kernels(bound);
  profile::add(profile::Counter::device_windows);
  window.has_begun = true;
  Run run{.bound = bound,
          .request = request,
          .slots = slots,
          .ranks = ranks,
          .on_device = on_device ? &*on_device : nullptr};
  run.flags.assign(bound.flag_nodes.size(), 0);
  for (size_t k = 0; k < scheduled.schedule().actions.size();) k = run.act(scheduled.schedule().actions, k);
  run.wait();
  for (size_t k = 0; k < run.flags.size(); ++k)
    ranks.events().add(Watch(request.node(bound.flag_nodes[k])), run.flags[k], window);
  note_large_results(plan, request);
  slots.settle();
}

}  // namespace tessera::engine
