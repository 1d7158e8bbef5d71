/// Ranks: this process as one of several that run the same program: the entries that all do alike, messages between
/// their places, and waiting that names who is waited for.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "tessera/comm/communicator.h"
#include "tessera/engine/device/ranks/history.h"
#include "tessera/engine/device/ranks/rank_messages.h"
#include "tessera/engine/device/ranks/shared_events.h"
#include "tessera/engine/device/ranks/status_page.h"
#include "tessera/engine/support/context.h"
#include "tessera/graph/form.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Ranks differ, one of them failed, or the deadline passed: the program ends, whatever was being recorded or read.
class RankFailure : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Seconds without progress until something is said, and until everything ends.
struct Patience {
  double notice = 30, deadline = 600;
};

/// The engine's lock guards it. After a failure every further use throws it again.
class Ranks {
 public:
  /// Null where the process is alone.
  static Ranks* active();
  /// The process is a rank from now on, which computes with the device, or, without one, its cores. With `is_forecast`
  /// none of the places is there, and nothing is sent.
  static void start(comm::Communicator& communicator, const Patience& patience, const SiteHooks& sites,
                    runtime::Device* device, bool is_forecast = false);
  Ranks(comm::Communicator& communicator, const Patience& patience, const SiteHooks& sites, runtime::Device* device,
        bool is_forecast);

  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }
  const std::string& host(int rank) const { return hosts_[static_cast<size_t>(rank)]; }
  /// One for each rank, in their order.
  std::span<runtime::Device* const> places() const { return places_; }
  bool is_mine(int place) const { return place == rank() && !is_forecast_; }
  bool is_forecast() const { return is_forecast_; }
  /// What this rank computes with; null: its cores.
  runtime::Device* device() const { return messages_.device(); }
  /// "prog.py, line 5".
  std::string line_of(uint64_t site) { return site_of(site).text; }

  /// Say what all ranks do next: a recorded operation (`values`: hash of the numbers in it), of which results others
  /// need, a look at so many bytes from `begin` of an array.
  void note_operation(const Ref<const graph::Form>& form, uint64_t values, uint64_t site);
  void note_held(const Ref<const graph::Form>& form, uint64_t held, uint64_t site);
  void note_look(int64_t begin, int64_t nbytes);

  /// What happened to floating-point numbers, of which the next look tells all.
  SharedEvents& events() { return events_; }

  /// Begin to send or receive these bytes of what was noted last.
  void send(int to, const char* data, int64_t nbytes);
  void receive(int from, char* data, int64_t nbytes);
  /// The same between memories of ranks' places, which may be devices' and exchange nothing where there are no bytes,
  /// and from such memory to the host's.
  void send_of_place(int to, const char* data, int64_t nbytes);
  void receive_at_place(int from, char* data, int64_t nbytes);
  void send_to_host(int to, const char* data, int64_t nbytes);
  /// Until all of that is done, or, on a device, what is queued later comes after it. Throws RankFailure where another
  /// rank failed, RuntimeError where ranks differ or the deadline passed.
  void wait();

  /// Something failed here alone, so that all end: throws it, now and from now on.
  [[noreturn]] void stop(const std::string& why) { break_with(why); }
  /// After fork, in the child, which is no rank.
  static void leave_in_child();

  /// The program has ended here, with this exit code: waits for the others' end, and for their difference.
  void end(int code);
  /// The program has failed here: the others are told and not waited for.
  void fail(const std::string& why);
  /// Whether it ends because another rank failed.
  bool is_failed_elsewhere() const { return failed_elsewhere_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Site {
    uint64_t hash = 0;
    std::string text;
  };
  enum class Told : uint64_t { waiting, failed, ended };
  struct Notice {
    Told kind = Told::waiting;
    ToldHistory history;
    std::array<char, 256> text{};
  };

  void check() const;
  void check_thread() const;
  [[noreturn]] void break_with(const std::string& why);
  const Site& site_of(uint64_t site);
  int tag() const;
  /// Gives every rank the hosts of all, and returns the names of what they compute with.
  std::vector<std::string> exchange_hosts();
  /// Reads what other ranks tell.
  void listen();
  void hear(int from, const Notice& notice);
  void compare(int with);
  void tell(int to, const Notice& notice);
  Notice make_notice(Told kind) const;
  static std::vector<int> peers_of(std::span<const RankMessages::Waiting> waiting);
  std::string describe_wait(double seconds) const;
  void keep_patience(Clock::time_point since, const std::string& waits_for);

  comm::Communicator& communicator_;
  Patience patience_;
  SiteHooks hooks_;
  bool is_forecast_;
  std::vector<std::unique_ptr<runtime::Device>> owned_;
  std::vector<runtime::Device*> places_;
  std::vector<std::string> hosts_;
  History history_;
  SharedEvents events_;
  std::thread::id thread_ = std::this_thread::get_id();  // whose work on such arrays is in one order
  std::unordered_map<uint64_t, Site> sites_;
  RankMessages messages_;
  std::vector<std::unique_ptr<std::pair<Notice, comm::Requests>>> told_;  // on their way
  struct Heard {
    Notice notice;
    uint64_t compared_at = 0;  // our entries when it was compared with them
  };
  std::vector<std::unique_ptr<Heard>> heard_;  // by rank: what it told last
  StatusPage page_;
  std::string broken_;
  bool failed_elsewhere_ = false;
  double noticed_ = 0;  // seconds of the present wait at which something was said
};

}  // namespace tessera::engine
