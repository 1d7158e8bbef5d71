#include "tessera/engine/device/placement/placement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/eager/host_memory.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/spill.h"
#include "tessera/engine/device/placement/machine_facts.h"
#include "tessera/engine/device/run/simulated_device.h"
#include "tessera/engine/impl.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/system_memory.h"
#include "tessera/runtime/host/threads.h"

namespace tessera {

namespace engine {

runtime::Device* prepared(runtime::Device& device) {
  device.set_relief([&device](int64_t nbytes) { return make_room(device, nbytes); });
  return &device;
}

/// N for "gpu:N", 0 for "gpu"; negative for anything else.
static int gpu_number(std::string_view where) {
  constexpr std::string_view prefix = "gpu:";
  if (where == "gpu") return 0;
  if (!where.starts_with(prefix)) return -1;
  where.remove_prefix(prefix.size());
  int number = -1;
  const auto [end, error] = std::from_chars(where.data(), where.data() + where.size(), number);
  return error == std::errc() && end == where.data() + where.size() ? number : -1;
}

runtime::Device* find_device(const std::string& where) {
  if (where.empty() || where == "cpu" || where == "auto" || where == "auto:simulated") return nullptr;
  if (where == "simulated") return prepared(simulated_device());
  const int number = gpu_number(where);
  require<ValueError>(number >= 0, "device must be 'cpu', 'gpu', 'gpu:N' or 'auto' (got '{}')", where);
  return prepared(runtime::device(number));
}

Prospect* find_choice(const std::string& where) {
  // Never destroyed: a background thread may still be opening the device when the process ends.
  static auto& gpu = *new Prospect;
  static auto& simulated = *new Prospect(&simulated_device());
  return where == "auto" ? &gpu : where == "auto:simulated" ? &simulated : nullptr;
}

std::string device_name(const runtime::Device* device) {
  if (!device) return "cpu";
  return device->family() == runtime::Family::simulated ? "simulated" : format("gpu:{}", device->facts().number);
}

}  // namespace engine

void Engine::set_device(const std::string& where) {
  runtime::Device* device = engine::find_device(where);
  engine::Prospect* choice = engine::find_choice(where);
  engine::Recorder& window = impl_->recorder();
  if (device == window.device && choice == window.choice) return;
  const auto change = [&] {
    window.device = device;
    window.choice = choice;
    window.forget_choices();
  };
  try {
    impl_->run_until(window, window.end());
  } catch (...) {
    change();
    throw;
  }
  if (device) impl_->warm_up(*device);
  change();
}

std::string Engine::device() {
  const engine::Recorder& window = impl_->recorder();
  if (!window.choice) return engine::device_name(window.device);
  return window.choice == engine::find_choice("auto") ? "auto" : "auto:simulated";
}

std::string Engine::device_problem() {
  for (const auto& runner : impl_->device_runners)
    for (const std::string& problem : {runner->device().failure(), runner->problem()})
      if (!problem.empty()) return problem;
  return runtime::device_problem();
}

runtime::Device* Engine::Impl::find_failed_device() {
  for (const auto& runner : device_runners)
    if (!runner->device().failure().empty()) return &runner->device();
  return nullptr;
}

std::string Engine::describe_failure() {
  constexpr size_t most_lines = 12;
  std::string text;
  for (const auto& runner : impl_->device_runners) {
    const runtime::Device& device = runner->device();
    if (device.failure().empty()) continue;
    const std::string name = engine::device_name(&device);
    std::vector<std::string> lines;
    for (const engine::DeviceRunner::Work& work : runner->unanswered()) {
      const std::string site = impl_->describe_site(work.site);
      std::string line = format("\n  {} of shape {}, {}{}{}", ops::OpTable::standard()[work.form->op].name,
                                shape_text(work.form->shape), tessera::name(work.form->dtype),
                                site.empty() ? "" : ", recorded at ", site);
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    }
    const size_t first = lines.size() - std::min(lines.size(), most_lines);
    text += format("\nWork queued on {} since it last answered:", name);
    if (first > 0) text += format("\n  (and {} before)", first);
    for (size_t k = first; k < lines.size(); ++k) text += lines[k];
    text += format(
        "\nArrays that only {} held are lost; what the host has is not, and work goes on there. {} can be used again "
        "in a new process",
        name, name);
    text += engine::DeviceRunner::waits()
                ? "."
                : "; with TESSERA_DEVICE_WAIT=1 there each op is waited for, so that the one that fails is named.";
  }
  return text;
}

namespace {

constexpr int64_t largest_element = 16;  // bytes

bool is_only_on_device(const graph::Version& version) {
  return !version.window && version.device_memory && !version.data;
}

/// Whether the nodes that compute the version read data that only a device has or, if the window's work goes to a
/// target device, anything larger than one element (elements on the host are computed by the host immediately). Of long
/// chains only the last nodes are checked.
bool reads_from_device(const engine::Recorder& window, const graph::Version& version) {
  constexpr size_t most_nodes = 64;
  const bool has_target = window.target() != nullptr;
  std::array<int64_t, most_nodes> nodes{version.producer};
  size_t count = 1;
  const auto is_far = [&](const graph::Version& contents) {
    return (has_target && contents.nbytes > largest_element) || is_only_on_device(contents);
  };
  if (is_far(version)) return true;
  for (size_t k = 0; k < count; ++k) {
    const graph::Node& node = window[nodes[k]];
    const auto reads_far = [&](const graph::Version* operand) {
      if (!operand) return false;
      if (is_far(*operand)) return true;
      const auto end = nodes.begin() + count;
      if (operand->window == &window && count < most_nodes && std::find(nodes.begin(), end, operand->producer) == end)
        nodes[count++] = operand->producer;
      return false;
    };
    bool is_found = reads_far(node.old.get());
    graph::each_input(node,
                      [&](const graph::Version& operand, int64_t) { is_found = is_found || reads_far(&operand); });
    if (is_found) return true;
  }
  return has_target && count == most_nodes;
}

}  // namespace

bool engine::is_all_elements_of_host(const plan::Request& request) {
  const auto is_element = [](const graph::Version& version) {
    return version.nbytes <= largest_element && !is_only_on_device(version);
  };
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    if (!is_element(*node.out) || (node.old && !is_element(*node.old))) return false;
    for (int k = 0; k < node.form->input_count; ++k)
      if (node.inputs[k].version && !is_element(*node.inputs[k].version)) return false;
  }
  return !request.pinned;
}

bool Engine::comes_from_device(const Array& array) {
  const graph::Version& version = *array.storage->current;
  if (version.data) return false;
  if (!version.window) return version.device_memory != nullptr;
  const auto& window = static_cast<const engine::Recorder&>(*version.window);
  return (window.target() || !impl_->device_runners.empty()) && reads_from_device(window, version);
}

namespace {

/// The byte range from the lowest element of a view to the end of the highest.
struct Hull {
  int64_t low, high;
  explicit Hull(const View& view) : low(view.offset), high(view.offset + view.itemsize()) {
    for (int axis = 0; axis < view.ndim(); ++axis) {
      const int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
      (reach < 0 ? low : high) += reach;
    }
  }
};

}  // namespace

Array Engine::nearby(const Array& array) {
  // A synchronisation costs as much as copying this many bytes, and is wasted when all bytes are needed later.
  constexpr int64_t bytes_a_synchronisation = 1 << 18, most_parts = 60'000;
  if (array.storage->current->data || array.view.size() == 0) return array;
  const Ref<graph::Version> held = impl_->finished(*array.storage);
  graph::Version& version = *held;
  runtime::Device* device = engine::device_of(version);
  const Hull hull(array.view);
  const int64_t nbytes = hull.high - hull.low;
  const bool is_part = version.nbytes > bytes_a_synchronisation && nbytes <= version.nbytes / 8 &&
                       version.parts < std::min(version.nbytes / bytes_a_synchronisation, most_parts);
  if (version.data || !device || !device->failure().empty() || !is_part) return array;
  ++version.parts;
  Array part;
  part.storage = Ref<graph::Storage>(graph::Storage::make());
  part.storage->current = eager::make_settled(nbytes);
  part.view = array.view;
  part.view.offset -= hull.low;
  engine::copy_part_home(version, hull.low, nbytes, part.storage->current->data);
  for (auto& runner : impl_->device_runners) runner->collect_events();
  return part;
}

engine::DeviceRunner& Engine::Impl::runner_of(runtime::Device& device) {
  for (auto& runner : device_runners)
    if (&runner->device() == &device) return *runner;
  device_runners.push_back(std::make_unique<engine::DeviceRunner>(device));
  return *device_runners.back();
}

void Engine::Impl::warm_up(runtime::Device& device) {
  constexpr const char* nothing = ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  if (device.takes_ir() || !kernels.opens_in_background() || std::exchange(is_warm, true)) return;
  runtime::run_in_background([this, &device] {
    kernels.compiler();
    try {
      device.assemble(nothing, true);
    } catch (const std::exception&) {  // the first kernel will report the problem
    }
  });
}

namespace {

/// Bytes that the plan holds while it runs.
int64_t plan_bytes(const plan::Plan& plan) {
  int64_t nbytes = 0;
  for (const plan::Slot& slot : plan.slots) nbytes += slot.external.node >= 0 ? slot.nbytes : 0;
  for (const plan::Block& block : plan.blocks) nbytes += block.from < 0 ? block.nbytes : 0;
  return nbytes;
}

/// The most bytes that any node would hold if it ran alone.
int64_t most_node_bytes(const plan::Request& request) {
  int64_t most = 0;
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    int64_t nbytes = node.out->nbytes;
    for (int k = 0; k < node.form->input_count; ++k) {
      const graph::Version* version = node.inputs[k].version.get();
      bool is_new = version != nullptr;
      for (int before = 0; before < k; ++before) is_new &= node.inputs[before].version.get() != version;
      if (is_new) nbytes += version->nbytes;
    }
    most = std::max(most, nbytes);
  }
  return most;
}

}  // namespace

void engine::measure(engine::BoundPlan& bound, const plan::Request& request) {
  if (bound.plan_bytes >= 0) return;
  bound.plan_bytes = plan_bytes(bound.plan);
  bound.most_node_bytes = most_node_bytes(request);
}

/// Reports, once per device, that a computation was too large for it.
bool Engine::Impl::refuse_device(const plan::Request& request, int64_t nbytes, const runtime::Device& device) {
  const graph::Form& form = *request.node(request.size() - 1).form;
  const std::string where = engine::device_name(&device);
  note_missing(
      "memory of " + where,
      format("{} of shape {} needs {} at once, more than {} has to give: such work runs on the host",
             ops::OpTable::standard()[form.op].name, shape_text(form.shape), runtime::size_text(nbytes), where));
  return false;
}

bool Engine::Impl::stream_through(const std::shared_ptr<engine::BoundPlan>& plan, const plan::Request& request,
                                  engine::Recorder& window, runtime::Device& device) {
  const std::vector<plan::Step>& steps = plan->plan.steps;
  if (std::none_of(steps.begin(), steps.end(),
                   [](const plan::Step& step) { return engine::DeviceRunner::can_tile(step.kernel); }))
    return false;
  engine::DeviceRunner& tiles = runner_of(device);
  codegen::Compiler* compiler = device.takes_ir() ? nullptr : kernels.compiler();
  profile::add(profile::Counter::device_windows);
  bool any = false;
  runner.run(plan, request, window, [&](const plan::KernelStep& step, const ir::KernelArguments& arguments) {
    const bool done = tiles.run_by_tiles(step, arguments, compiler);
    any |= done;
    return done;
  });
  if (!any) refuse_device(request, plan->most_node_bytes, device);
  return true;
}

/// Whether a device can access the elements at their addresses. Views may begin at any byte.
static bool is_aligned(const graph::Node& node) {
  const auto fits = [](int64_t offset, const Dims& strides, DType dtype) {
    for (int64_t stride : strides) offset |= stride;
    return (offset & (itemsize(real_dtype(dtype)) - 1)) == 0;
  };
  const graph::Form& form = *node.form;
  bool all = fits(node.offset, form.strides, form.dtype);
  for (int i = 0; i < form.input_count; ++i)
    if (const graph::InputForm& input = form.inputs[i]; !input.scalar)
      all = all && fits(node.inputs[i].offset, input.strides, input.dtype);
  return all;
}

bool Engine::Impl::run_on_device(const std::shared_ptr<engine::BoundPlan>& plan, const plan::Request& request,
                                 engine::Recorder& window, runtime::Device& device) {
  if (!device.is_usable()) return false;
  engine::BoundPlan& bound = *plan;
  // Other libraries see pinned memory, so it must be written in place.
  bool shared = false;
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    shared |= node.form->pinned;
    const bool stays = node.form->pinned && !(node.old->lent && engine::device_of(*node.old) == &device);
    if (!stays && is_aligned(node)) continue;
    profile::add(profile::Counter::device_fallbacks);
    return false;
  }
  engine::measure(bound, request);
  if (bound.most_node_bytes > device.capacity())
    return stream_through(plan, request, window, device) || refuse_device(request, bound.most_node_bytes, device);
  require<OutOfMemory>(request.size() == 1 || bound.plan_bytes <= device.capacity(), "a plan of {} bytes",
                       bound.plan_bytes);
  engine::DeviceRunner& runner = runner_of(device);
  try {
    if (bound.device != &device) {
      bound.on_device = runner.bind(bound.plan, device.takes_ir() ? nullptr : kernels.compiler());
      bound.device = &device;
      bound.cost.queued = bound.cost.waited = 0, bound.cost.queued_runs = 0, bound.cost.device_runs = 0;
    }
    if (!bound.on_device->is_complete) {
      profile::add(profile::Counter::device_fallbacks);
      return false;
    }
    runner.run(bound.plan, *bound.on_device, request, window);
  } catch (const OutOfMemory&) {
    if (request.size() > 1) throw;  // it may fit in several plans
    // Memory that other libraries use on the device cannot be freed from here.
    return stream_through(plan, request, window, device) || refuse_device(request, bound.most_node_bytes, device);
  }
  if (shared) device.stream().synchronize();  // other libraries may read the results as soon as control returns
  return true;
}

}  // namespace tessera
