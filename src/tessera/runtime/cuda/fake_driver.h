/// FakeDriver: a driver table over host memory, for testing the CUDA backend without a GPU.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/runtime/cuda/copy_small.h"
#include "tessera/runtime/cuda/driver.h"

namespace tessera::runtime::cuda {

/// One instance at a time; work runs immediately.
class FakeDriver {
 public:
  FakeDriver() {
    now_ = this;
    fill_device();
    fill_streams();
    fill_memory();
    fill_programs();
    fill_graphs();
  }

  ~FakeDriver() {
    for (const auto& [address, bytes] : sizes_) std::free(as_pointer(address));
  }

  static void* as_pointer(Address address) { return reinterpret_cast<void*>(address); }
  int status() const { return failure; }

  Driver table;
  size_t capacity = size_t{64} << 20;
  size_t in_use = 0;
  int capability = 9;  // the major number
  size_t needed_by_launch = 0;
  bool are_peers = false;  // each device reaches the others' memory
  int reached = 0;         // pairs of devices that were asked to
  int failure = success;   // status that most calls return
  int allocations = 0;
  std::atomic<int> copies = 0;
  std::atomic<int> waits = 0;  // for a stream
  std::atomic<int> events = 0;
  int streams = 0;
  int streams_destroyed = 0;
  std::vector<std::pair<void*, void*>> orders;  // a stream and the stream of the event that it was made to wait for
  std::atomic<int> pinned = 0;                  // blocks of host memory
  std::map<Address, size_t> registered;
  bool busy = false;  // no event is done
  int captures = 0;
  int graphs = 0;
  int replays = 0;
  int rewrites = 0;
  int launched_early = 0;
  int launched_cooperative = 0;
  int modules_unloaded = 0;
  char variable[64] = {};
  std::vector<size_t> parameter_bytes;     // of every kernel
  std::vector<std::string> arguments;      // of the last launch
  int dynamic_bytes = 0;                   // shared memory of the last launch
  int allowed_dynamic = 0;                 // the most that a kernel was allowed
  int copied_small = 0;                    // pieces copied by the CopySmall kernel
  std::vector<std::vector<int>> captured;  // for each launch of the last capture, the launches it waits for
  bool refuses_branches = false;
  std::vector<std::string> assembled;  // texts of the programs
  std::chrono::milliseconds assembly_time{0};
  std::string refused;   // assembly of a text containing this fails
  std::string spilling;  // programs of texts containing this keep values in local memory

  /// What an event stands for.
  struct Recorded {
    void* stream = nullptr;
    std::chrono::steady_clock::time_point time{};
  };

 private:
  // The entries of the table, by subject.
  void fill_device() {
    table.context_set = [](void*) { return 0; };  // does not call the device
    table.context_retain = [](void** context, int) { return *context = now_, now_->status(); };
    table.context_reach = [](void*, unsigned) { return ++now_->reached, now_->status(); };
    table.device_get = [](int* device, int number) { return *device = number, 0; };
    table.device_name = [](char* name, int, int) { return std::strcpy(name, "fake"), 0; };
    table.device_attribute = [](int* value, int attribute, int) {
      return *value = attribute == capability_major ? now_->capability : attribute, 0;
    };
    table.device_memory = [](size_t* bytes, int) { return *bytes = now_->capacity, 0; };
    table.driver_version = [](int* version) { return *version = 13000, 0; };
    table.peer_attribute = [](int* value, int, int, int) { return *value = now_->are_peers, 0; };
    table.error_name = [](int, const char** text) { return *text = "CUDA_ERROR_FAKE", 0; };
    table.error_text = [](int, const char** text) { return *text = "made to fail", 0; };
  }
  void fill_streams() {
    table.stream_create = [](void** stream, unsigned) {
      return *stream = reinterpret_cast<char*>(now_) + ++now_->streams, 0;
    };
    table.stream_destroy = [](void*) { return ++now_->streams_destroyed, 0; };
    table.stream_synchronize = [](void*) { return ++now_->waits, now_->status(); };
    table.event_create = [](void** event, unsigned) {
      return *event = std::make_unique<Recorded>().release(), ++now_->events, 0;
    };
    table.event_destroy = [](void* event) {
      return std::unique_ptr<Recorded>(static_cast<Recorded*>(event)).reset(), --now_->events, 0;
    };
    table.event_record = [](void* event, void* stream) {
      return *static_cast<Recorded*>(event) = {stream, std::chrono::steady_clock::now()}, now_->status();
    };
    table.event_query = [](void*) { return now_->busy ? int{not_ready} : now_->status(); };
    table.event_elapsed = [](float* milliseconds, void* from, void* to) {
      const auto taken = static_cast<Recorded*>(to)->time - static_cast<Recorded*>(from)->time;
      return *milliseconds = std::chrono::duration<float, std::milli>(taken).count(), now_->status();
    };
    table.event_synchronize = [](void*) { return now_->status(); };
    table.stream_wait_event = [](void* stream, void* event, unsigned) {
      return now_->orders.emplace_back(stream, static_cast<Recorded*>(event)->stream), now_->status();
    };
  }
  void fill_memory() {
    table.memory_allocate = [](Address* address, size_t bytes) { return now_->allocate(address, bytes); };
    table.memory_free = [](Address address) { return now_->free(address); };
    table.host_allocate = [](void** memory, size_t bytes, unsigned) {
      *memory = std::malloc(bytes);
      const std::lock_guard lock(now_->registering_);
      return now_->registered[reinterpret_cast<Address>(*memory)] = bytes, ++now_->pinned, 0;
    };
    table.host_free = [](void* memory) {
      const std::lock_guard lock(now_->registering_);
      now_->registered.erase(reinterpret_cast<Address>(memory));
      return std::free(memory), --now_->pinned, 0;
    };
    table.host_register = [](void* memory, size_t bytes, unsigned) {
      const std::lock_guard lock(now_->registering_);
      return now_->registered[reinterpret_cast<Address>(memory)] = bytes, now_->status();
    };
    table.host_unregister = [](void* memory) {
      const std::lock_guard lock(now_->registering_);
      return now_->registered.erase(reinterpret_cast<Address>(memory)) == 1 ? 0 : 713;
    };
    table.pointer_attribute = [](void* value, int, Address address) {
      const std::lock_guard lock(now_->registering_);
      auto at = now_->registered.upper_bound(address);
      if (at == now_->registered.begin() || (--at, address - at->first >= at->second)) return 1;
      return *static_cast<unsigned*>(value) = 1, 0;
    };
    table.copy_in = [](Address to, const void* from, size_t bytes, void*) {
      return now_->move(as_pointer(to), from, bytes);
    };
    table.copy_out = [](void* to, Address from, size_t bytes, void*) {
      return now_->move(to, as_pointer(from), bytes);
    };
    table.copy = [](Address to, Address from, size_t bytes, void*) {
      return now_->move(as_pointer(to), as_pointer(from), bytes);
    };
    table.copy_2d = [](const Copy2D* copy, void*) {
      for (size_t row = 0; row < copy->height; ++row)
        now_->move(as_pointer(copy->to + row * copy->to_pitch), as_pointer(copy->from + row * copy->from_pitch),
                   copy->width);
      return now_->status();
    };
    table.fill = [](Address to, unsigned char value, size_t bytes, void*) {
      return std::memset(as_pointer(to), value, bytes), now_->status();
    };
  }
  void fill_programs() {
    table.link_create = [](unsigned, int*, void**, void** state) {
      return *state = std::make_unique<std::string>().release(), 0;
    };
    table.link_add = [](void* state, int, void* text, size_t, const char*, unsigned, int*, void**) {
      return now_->assemble(*static_cast<std::string*>(state), static_cast<const char*>(text));
    };
    table.link_complete = [](void* state, void** code, size_t* bytes) {
      auto& text = *static_cast<std::string*>(state);
      return *code = text.data(), *bytes = text.size(), 0;
    };
    table.link_destroy = [](void* state) {
      return std::unique_ptr<std::string>(static_cast<std::string*>(state)).reset(), 0;
    };
    table.module_load = [](void** module, const void*) { return *module = now_, now_->status(); };
    table.module_load_with = [](void** module, const void*, unsigned, int*, void**) {
      return *module = now_, now_->status();
    };
    table.context_synchronize = [] { return ++now_->waits, now_->status(); };
    table.module_variable = [](Address* address, size_t* bytes, void*, const char* name) {
      if (std::strcmp(name, "constant")) return int{not_found};
      return *address = reinterpret_cast<Address>(now_->variable), *bytes = sizeof now_->variable, now_->status();
    };
    table.function_parameter = [](void*, size_t index, size_t* offset, size_t* bytes) {
      if (index >= now_->parameter_bytes.size()) return 1;
      *offset = 0;
      for (size_t k = 0; k < index; ++k) *offset += now_->parameter_bytes[k];
      return *bytes = now_->parameter_bytes[index], now_->status();
    };
    table.launch_cooperative = [](void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                                  void** arguments) {
      return ++now_->launched_cooperative, now_->keep(arguments), now_->status();
    };
    table.module_unload = [](void*) { return ++now_->modules_unloaded, 0; };
    table.module_function = [](void** function, void*, const char* name) {
      if (!std::strcmp(name, "missing")) return int{not_found};
      return *function = std::strcmp(name, CopySmall::entry) ? static_cast<void*>(now_) : &now_->copied_small, 0;
    };
    table.function_attribute = [](int* value, int attribute, void*) {
      constexpr int local_bytes = 3;
      const bool spills = attribute == local_bytes && !now_->spilling.empty() && !now_->assembled.empty() &&
                          now_->assembled.back().find(now_->spilling) != std::string::npos;
      return *value = spills ? 80 : 0, 0;
    };
    table.function_set_attribute = [](void*, int, int value) { return now_->allowed_dynamic = value, now_->status(); };
    table.launch = [](void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                      void*, void** arguments, void**) {
      now_->dynamic_bytes = static_cast<int>(shared);
      if (now_->is_capturing_) now_->note_captured();
      if (function == &now_->copied_small && !now_->failure)
        now_->copy_small(*static_cast<const CopySmall*>(arguments[0]));
      else
        now_->keep(arguments);
      return now_->in_use + now_->needed_by_launch > now_->capacity ? int{out_of_memory} : now_->status();
    };
    table.launch_with = [](const LaunchConfig* config, void*, void**, void**) {
      now_->launched_early += config->attribute_count == 1 && config->attributes->id == LaunchAttribute::begins_early &&
                              config->attributes->value[0] == 1;
      return now_->status();
    };
  }
  void fill_graphs() {
    table.begin_capture = [](void*, int) {
      return now_->captured.clear(), now_->last_captured_.clear(), now_->is_capturing_ = true, now_->status();
    };
    table.end_capture = [](void*, void** graph) {
      return *graph = now_, ++now_->captures, now_->is_capturing_ = false, now_->status();
    };
    table.capture_after = [](void*, void** nodes, size_t count, unsigned) {
      return now_->last_captured_.assign(nodes, nodes + count), now_->refuses_branches ? 801 : now_->status();
    };
    table.graph_instantiate = [](void** ready, void*, unsigned long long) {
      return *ready = now_, ++now_->graphs, now_->status();
    };
    table.capture_info = [](void*, int*, unsigned long long*, void**, void* const** last, size_t* count) {
      return *last = now_->last_captured_.data(), *count = now_->last_captured_.size(), now_->status();
    };
    table.graph_set_kernel = [](void*, void*, const KernelNode*) {
      return now_->captures > 0 ? (++now_->rewrites, now_->status()) : 1;  // nodes have no state of their own
    };
    table.graph_launch = [](void*, void*) { return ++now_->replays, now_->status(); };
    table.graph_destroy = [](void*) { return --now_->captures, 0; };
    table.graph_exec_destroy = [](void*) { return --now_->graphs, 0; };
  }

  void keep(void** values) {
    arguments.clear();
    for (size_t k = 0; k < parameter_bytes.size(); ++k)
      arguments.emplace_back(static_cast<const char*>(values[k]), parameter_bytes[k]);
  }
  /// The handle of a node is its number plus one.
  void note_captured() {
    std::vector<int>& after = captured.emplace_back();
    for (void* node : last_captured_) after.push_back(static_cast<int>(reinterpret_cast<uintptr_t>(node)) - 1);
    last_captured_.assign(1, reinterpret_cast<void*>(captured.size()));
  }
  void copy_small(const CopySmall& given) {
    char* to = static_cast<char*>(as_pointer(given.to));
    for (const CopySmall::Piece& piece : given.pieces) {
      if (piece.nbytes) std::memcpy(to, as_pointer(piece.from), piece.nbytes), ++copied_small;
      to += piece.nbytes;
    }
    *static_cast<uint32_t*>(as_pointer(given.said)) = static_cast<uint32_t>(given.number);
  }
  int allocate(Address* address, size_t bytes) {
    if (failure) return failure;
    if (in_use + bytes > capacity) return out_of_memory;
    void* memory = std::malloc(bytes);
    *address = reinterpret_cast<Address>(memory);
    sizes_[*address] = bytes;
    in_use += bytes;
    ++allocations;
    return success;
  }
  int free(Address address) {
    in_use -= sizes_.at(address);
    sizes_.erase(address);
    std::free(as_pointer(address));
    return success;
  }
  int move(void* to, const void* from, size_t bytes) {
    if (failure) return failure;
    std::memcpy(to, from, bytes);
    ++copies;
    return success;
  }

  int assemble(std::string& code, const std::string& text) {
    std::this_thread::sleep_for(assembly_time);
    std::lock_guard lock(assembling_);
    assembled.push_back(text);
    if (!refused.empty() && text.find(refused) != std::string::npos) return 218;
    code = text;
    return success;
  }

  static inline FakeDriver* now_ = nullptr;
  bool is_capturing_ = false;
  std::vector<void*> last_captured_;
  std::map<Address, size_t> sizes_;
  Mutex assembling_, registering_;
};

}  // namespace tessera::runtime::cuda
