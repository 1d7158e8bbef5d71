#include "tessera/engine/device/ranks/rank_place.h"

#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/runtime/adopted_buffer.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera::engine {

using runtime::Buffer;

namespace {

class NoEvent final : public runtime::Event {
 public:
  bool is_done() const override { return true; }
  void wait() const override {}
  double since(const Event&) const override { return 0; }
};

[[noreturn]] void refuse() { throw InvariantError("tessera internal error: a rank's place takes no device programs"); }

/// Copies at once, on this thread, or through the queue of the device; those of other ranks' memory are theirs to make.
class PlaceStream final : public runtime::Stream {
 public:
  PlaceStream(bool is_mine, runtime::Device* device) : is_mine_(is_mine), device_(device) {}
  void launch(const runtime::Program&, const runtime::Grid&, std::span<const char>, runtime::Begin) override {
    refuse();
  }
  void launch_user(const runtime::Program&, const runtime::Grid&, std::span<void* const>, bool) override { refuse(); }
  uint64_t requests() const override { return 0; }
  void copy_in(char* device, const char* host, size_t nbytes) override {
    device_ ? device_->stream().copy_in(device, host, nbytes) : copy(device, host, nbytes);
  }
  void copy_out(std::span<const runtime::CopyOut> pieces) override {
    if (device_) return device_->stream().copy_out(pieces);
    for (const runtime::CopyOut& piece : pieces) copy(piece.host, piece.device, piece.nbytes);
  }
  void copy(char* to, const char* from, size_t nbytes) override {
    if (device_) return device_->stream().copy(to, from, nbytes);
    if (is_mine_) std::memcpy(to, from, nbytes);
  }
  void copy_rows(char* to, const char* from, const runtime::Rows& rows) override {
    if (device_) return device_->stream().copy_rows(to, from, rows);
    for (int64_t row = 0; row < rows.rows; ++row)
      copy(to + row * rows.pitch, from + row * rows.pitch, static_cast<size_t>(rows.nbytes));
  }
  void fill_zero(char* to, size_t nbytes) override {
    if (device_) return device_->stream().fill_zero(to, nbytes);
    if (is_mine_) std::memset(to, 0, nbytes);
  }
  std::unique_ptr<runtime::Replay> capture(const std::function<void()>&, std::span<const std::vector<int32_t>>,
                                           std::span<runtime::Stream* const>) override {
    return nullptr;
  }
  bool rewrite(runtime::Replay&, const std::function<void()>&) override { return false; }
  void replay(const runtime::Replay&) override { refuse(); }
  std::unique_ptr<runtime::Event> record() override { return std::make_unique<NoEvent>(); }
  void wait_for(const runtime::Event&) override {}
  void synchronize() override {
    if (device_) device_->stream().synchronize();
  }
  void wait_for_other(void*) override {}
  void let_other_wait(void*) override {}
  void* handle() override { return nullptr; }

 private:
  bool is_mine_;
  runtime::Device* device_;
};

class RankPlace final : public runtime::Device {
 public:
  RankPlace(int rank, bool is_mine, const std::string& processor, runtime::Device* device)
      : is_mine_(is_mine), device_(device), stream_(is_mine, device) {
    facts_.name = format("rank {}: {}", rank, processor);
    facts_.number = rank;
    facts_.memory = int64_t{1} << 46;  // constant: what is done to arrays must not depend on one rank's memory
  }
  Ref<Buffer> allocate(size_t nbytes) override {
    if (!is_mine_) return adopt(nullptr, nbytes, [] {});
    if (device_) return device_->allocate(nbytes);
    const Ref<Buffer> memory = runtime::HostPool::instance().allocate(nbytes);
    memory->retain();
    return adopt(memory->data(), nbytes, [held = memory.get()] { held->release(); });
  }
  Ref<Buffer> adopt(char* data, size_t nbytes, std::function<void()> release) override {
    return Ref<Buffer>(std::make_unique<runtime::AdoptedBuffer>(this, data, nbytes, std::move(release)).release());
  }
  void recycle(Buffer* buffer) noexcept override {
    const std::unique_ptr<runtime::AdoptedBuffer> adopted(static_cast<runtime::AdoptedBuffer*>(buffer));
    adopted->release();
  }
  runtime::Family family() const override { return runtime::Family::rank; }
  const runtime::DeviceFacts& facts() const override { return facts_; }
  std::optional<int> attribute(int) const override { return std::nullopt; }
  int64_t limit_of(runtime::DeviceLimit) const override { return 0; }
  void set_limit_of(runtime::DeviceLimit, int64_t) override { refuse(); }
  runtime::Stream& stream() override { return stream_; }
  runtime::Stream& inbound() override { return stream_; }
  runtime::Stream& outbound() override { return stream_; }
  std::shared_ptr<runtime::Program> load(std::string_view, const char*) override { refuse(); }
  std::shared_ptr<runtime::Module> load_module(std::string_view, const runtime::JitOptions&, std::string&) override {
    refuse();
  }
  std::string assemble(std::string_view, int) override { refuse(); }
  runtime::PoolStatistics statistics() const override {
    return device_ ? device_->statistics() : runtime::HostPool::instance().statistics();
  }
  void trim() override {}
  void set_limit(int64_t) override { refuse(); }
  int64_t capacity() const override { return facts_.memory; }

 private:
  bool is_mine_;
  runtime::Device* device_;
  runtime::DeviceFacts facts_;
  PlaceStream stream_;
};

}  // namespace

std::unique_ptr<runtime::Device> make_rank_place(int rank, bool is_mine, const std::string& processor,
                                                 runtime::Device* device) {
  return std::make_unique<RankPlace>(rank, is_mine, processor, device);
}

int rank_of(const runtime::Device& device) {
  return device.family() == runtime::Family::rank ? device.facts().number : -1;
}

}  // namespace tessera::engine
