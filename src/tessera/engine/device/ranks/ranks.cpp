#include "tessera/engine/device/ranks/ranks.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/hash.h"
#include "tessera/engine/device/ranks/rank_place.h"

namespace tessera::engine {

namespace {

constexpr int notices = 0;          // the tag of what ranks tell each other
constexpr int first_tag = 1;        // of data
constexpr double tell_after = 0.2;  // seconds of waiting until who is waited for is told where we are
constexpr int spins_before_listening = 64;
constexpr double spin_seconds = 2e-3;  // then the core is left to others

Ranks*& joined() {
  static Ranks* ranks = nullptr;
  return ranks;
}

template <size_t Count>
void write_text(std::array<char, Count>& to, const std::string& text) {
  to.fill('\0');
  std::memcpy(to.data(), text.data(), std::min(text.size(), Count - 1));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uint64_t hash_of(std::string_view text) { return Hash().add(text).value(); }

/// "/home/me/prog.py:5" as "prog.py, line 5".
std::string line_text(const std::string& site) {
  const size_t slash = site.rfind('/'), colon = site.rfind(':');
  if (colon == std::string::npos) return site.empty() ? "an unknown line" : site;
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return format("{}, line {}", site.substr(begin, colon - begin), site.substr(colon + 1));
}

uint64_t hash_of(const graph::Form& form) {
  return Hash().add(form.op ? form.op->name : std::string_view("call")).add(static_cast<uint64_t>(form.kind)).value();
}

/// "add.reduce of shape (3,4), prog.py, line 5".
std::string describe(const graph::Form& form, const std::string& line) {
  const std::string_view name = form.op ? form.op->name : std::string_view("a call");
  return format("{}{} of shape {}, {}", name, form.kind == graph::NodeKind::reduce ? ".reduce" : "",
                shape_text(form.shape), line);
}

}  // namespace

Ranks* Ranks::active() { return joined(); }

void Ranks::start(comm::Communicator& communicator, const Patience& patience, const SiteHooks& sites,
                  runtime::Device* device, bool is_forecast) {
  joined() = new Ranks(communicator, patience, sites, device, is_forecast);
}

Ranks::Ranks(comm::Communicator& communicator, const Patience& patience, const SiteHooks& sites,
             runtime::Device* device, bool is_forecast)
    : communicator_(communicator),
      patience_(patience),
      hooks_(sites),
      is_forecast_(is_forecast),
      messages_(communicator, device) {
  heard_.resize(static_cast<size_t>(size()));
  const std::vector<std::string> processors =
      is_forecast_ ? std::vector<std::string>(static_cast<size_t>(size()), runtime::device_name(nullptr))
                   : exchange_hosts();
  for (int rank = 0; rank < size(); ++rank) {
    owned_.push_back(
        make_rank_place(rank, is_mine(rank), processors[static_cast<size_t>(rank)], is_mine(rank) ? device : nullptr));
    places_.push_back(owned_.back().get());
  }
  if (!is_forecast_) messages_.open_windows(hosts_, processors, tag(), [this] { wait(); });
}

std::vector<std::string> Ranks::exchange_hosts() {
  struct Names {
    std::array<char, 128> host, processor;
  };
  Names mine;
  write_text(mine.host, communicator_.host());
  write_text(mine.processor, runtime::device_name(device()));
  std::vector<Names> names(static_cast<size_t>(size()), mine);
  for (int peer = 0; peer < size(); ++peer) {
    if (is_mine(peer)) continue;
    send(peer, reinterpret_cast<const char*>(&mine), sizeof mine);
    receive(peer, reinterpret_cast<char*>(&names[static_cast<size_t>(peer)]), sizeof mine);
  }
  hosts_.assign(static_cast<size_t>(size()), "its host");
  wait();
  std::vector<std::string> processors;
  for (size_t peer = 0; peer < names.size(); ++peer) {
    hosts_[peer] = names[peer].host.data();
    processors.emplace_back(names[peer].processor.data());
  }
  return processors;
}

void Ranks::check() const {
  if (broken_.empty()) [[likely]]
    return;
  throw RankFailure(broken_);
}

void Ranks::leave_in_child() { joined() = nullptr; }

void Ranks::check_thread() const {
  require<RuntimeError>(std::this_thread::get_id() == thread_,
                        "arrays that are cut over ranks are used by the program's main thread alone: what another "
                        "thread does with them has no order that is the same on all ranks");
}

void Ranks::break_with(const std::string& why) {
  broken_ = why;
  check();
  std::unreachable();
}

const Ranks::Site& Ranks::site_of(uint64_t site) {
  Site& known = sites_[site];
  if (known.text.empty()) {
    known.text = line_text(hooks_.describe && site ? hooks_.describe(site) : std::string());
    known.hash = hash_of(known.text);
  }
  return known;
}

void Ranks::note_operation(const Ref<const graph::Form>& form, uint64_t values, uint64_t site) {
  check_thread();
  const Site& line = site_of(site);
  Hash shape;
  shape.add(static_cast<uint64_t>(form->dtype)).add(form->axes);
  for (const int64_t extent : form->shape) shape.add(static_cast<uint64_t>(extent));
  history_.add({.op = hash_of(*form), .shape = shape.value(), .values = values, .site = line.hash},
               [form, &line] { return describe(*form, line.text); });
}

void Ranks::note_held(const Ref<const graph::Form>& form, uint64_t held, uint64_t site) {
  const Site& line = site_of(site);
  history_.add({.op = hash_of("together"), .held = held, .site = line.hash},
               [form, &line] { return describe(*form, line.text); });
  page_.write(describe(*form, line.text));
}

void Ranks::note_look(int64_t begin, int64_t nbytes) {
  check_thread();
  const Site& line = site_of(hooks_.current ? hooks_.current() : 0);
  history_.add({.op = hash_of("look"),
                .shape = Hash().add(static_cast<uint64_t>(begin)).add(static_cast<uint64_t>(nbytes)).value(),
                .site = line.hash},
               [nbytes, text = line.text] { return format("a look at {} bytes of an array, {}", nbytes, text); });
  page_.write("a look at an array, " + line.text);
}

/// Messages of ranks that did not do the same do not match, but for one in 32,000: the tag is made of the hash of all
/// that was done.
int Ranks::tag() const {
  return first_tag + static_cast<int>(history_.rolling() % (comm::Communicator::most_tag - first_tag));
}

void Ranks::send(int to, const char* data, int64_t nbytes) {
  check();
  messages_.send(to, tag(), data, nbytes);
}

void Ranks::receive(int from, char* data, int64_t nbytes) {
  check();
  messages_.receive(from, tag(), data, nbytes);
}

void Ranks::send_of_place(int to, const char* data, int64_t nbytes) {
  check();
  if (nbytes > 0) messages_.send_of_place(to, tag(), data, nbytes);
}

void Ranks::receive_at_place(int from, char* data, int64_t nbytes) {
  check();
  if (nbytes > 0) messages_.receive_at_place(from, tag(), data, nbytes);
}

void Ranks::send_to_host(int to, const char* data, int64_t nbytes) {
  check();
  messages_.send_to_host(to, tag(), data, nbytes);
}

void Ranks::wait() {
  check();
  Clock::time_point since = Clock::now();
  bool has_told = false;
  noticed_ = 0;
  for (int spins = 0; !messages_.is_done();) {
    if (messages_.advance()) {
      since = Clock::now(), spins = 0;
      continue;
    }
    if (messages_.is_done()) break;
    if (++spins < spins_before_listening) {
      sched_yield();
      continue;
    }
    spins = 0;
    listen();
    const double waited = seconds_since(since);
    if (waited > tell_after && !std::exchange(has_told, true)) {
      const Notice notice = make_notice(Told::waiting);
      for (const int peer : peers_of(messages_.waiting())) tell(peer, notice);
    }
    if (waited > spin_seconds) usleep(100);
    if (waited > 1) keep_patience(since, describe_wait(waited));
  }
}

std::vector<int> Ranks::peers_of(std::span<const RankMessages::Waiting> waiting) {
  std::vector<int> peers;
  for (const RankMessages::Waiting& what : waiting)
    if (std::ranges::find(peers, what.peer) == peers.end()) peers.push_back(what.peer);
  return peers;
}

std::string Ranks::describe_wait(double seconds) const {
  const std::vector<RankMessages::Waiting> waiting = messages_.waiting();
  std::string text;
  for (const int peer : peers_of(waiting)) {
    const RankMessages::Waiting& what = *std::ranges::find(waiting, peer, &RankMessages::Waiting::peer);
    text += format("{}rank {} on {} to {} {} bytes", text.empty() ? "" : ", and for ", what.peer, host(what.peer),
                   what.is_sent ? "take" : "send", what.nbytes);
  }
  return format("rank {} on {} has waited {} s for {}, for {}", rank(), host(rank()), std::lround(seconds), text,
                history_.last());
}

void Ranks::keep_patience(Clock::time_point since, const std::string& waits_for) {
  const double waited = seconds_since(since);
  if (waited > patience_.deadline)
    break_with(format("{}. That is the deadline (TESSERA_DEADLINE, {} s): the program ends", waits_for,
                      static_cast<int64_t>(patience_.deadline)));
  if (waited - noticed_ < patience_.notice) return;
  noticed_ = waited;
  std::fprintf(stderr, "tessera: %s\n", waits_for.c_str());
}

Ranks::Notice Ranks::make_notice(Told kind) const {
  Notice notice{.kind = kind, .history = history_.tell()};
  return notice;
}

void Ranks::tell(int to, const Notice& notice) {
  std::erase_if(told_, [&](const auto& known) { return communicator_.test(known->second); });
  auto& sent = *told_.emplace_back(std::make_unique<std::pair<Notice, comm::Requests>>(notice, comm::Requests{}));
  communicator_.send(to, notices, reinterpret_cast<const char*>(&sent.first), sizeof(Notice), sent.second);
}

void Ranks::listen() {
  for (int peer = 0; peer < size(); ++peer) {
    if (is_mine(peer)) continue;
    while (communicator_.has_arrived(peer, notices)) {
      Notice notice;
      comm::Requests requests;
      communicator_.receive(peer, notices, reinterpret_cast<char*>(&notice), sizeof notice, requests);
      while (!communicator_.test(requests)) sched_yield();
      hear(peer, notice);
    }
  }
  for (int peer = 0; peer < size(); ++peer)
    if (heard_[static_cast<size_t>(peer)]) compare(peer);
}

void Ranks::hear(int from, const Notice& notice) {
  if (notice.kind == Told::failed) {
    failed_elsewhere_ = true;
    break_with(format("rank {} on {} failed: {}", from, host(from), notice.text.data()));
  }
  heard_[static_cast<size_t>(from)] = std::make_unique<Heard>(notice);
}

void Ranks::compare(int with) {
  Heard& heard = *heard_[static_cast<size_t>(with)];
  if (std::exchange(heard.compared_at, history_.number()) == history_.number()) return;
  const std::optional<Difference> found = find_difference(history_.tell(), heard.notice.history);
  if (!found) return;
  break_with(format(
      "the ranks of this program do not do the same with arrays that are cut over them:{} rank {} on {} does "
      "[{}] where rank {} on {} does [{}]{}. They differ in {}. Whatever uses such an array must run on every "
      "rank: compute `total = float(x.sum())` on all, then `if tessera.is_leader(): print(total)`",
      found->is_first ? "" : " at the latest here,", rank(), host(rank()), found->mine.text.data(), with, host(with),
      found->other.text.data(), heard.notice.kind == Told::ended ? " and comes to the end of the program" : "",
      describe_difference(found->mine.entry, found->other.entry)));
}

void Ranks::end(int code) {
  check();
  history_.add({.op = hash_of("the end")}, [code, last = history_.last()] {
    return format("the end of the program with exit code {}{}{}", code, last.empty() ? "" : ", after ", last);
  });
  page_.write("the end of the program");
  const Notice notice = make_notice(Told::ended);
  for (int peer = 0; peer < size(); ++peer)
    if (!is_mine(peer)) tell(peer, notice);
  const Clock::time_point since = Clock::now();
  noticed_ = 0;
  const auto first_missing = [&] {
    for (int peer = 0; peer < size(); ++peer) {
      const Heard* heard = heard_[static_cast<size_t>(peer)].get();
      if (!is_mine(peer) && !(heard && heard->notice.kind == Told::ended)) return peer;
    }
    return -1;
  };
  for (int missing = first_missing(); missing >= 0; missing = first_missing()) {
    listen();
    const double waited = seconds_since(since);
    if (waited > spin_seconds) usleep(200);
    if (waited > 1)
      keep_patience(since, format("rank {} on {} has ended and has waited {} s for the end of rank {} on {}", rank(),
                                  host(rank()), std::lround(waited), missing, host(missing)));
  }
  while (std::ranges::any_of(told_, [&](const auto& known) { return !communicator_.test(known->second); })) usleep(100);
  communicator_.finish();
}

void Ranks::fail(const std::string& why) {
  if (failed_elsewhere_) return;
  Notice notice = make_notice(Told::failed);
  write_text(notice.text, why);
  for (int peer = 0; peer < size(); ++peer)
    if (!is_mine(peer)) tell(peer, notice);
  // The library sends while it is called.
  const Clock::time_point since = Clock::now();
  while (seconds_since(since) < 0.5 &&
         std::ranges::any_of(told_, [&](const auto& known) { return !communicator_.test(known->second); }))
    usleep(100);
  if (broken_.empty()) broken_ = why;
}

}  // namespace tessera::engine
