#include "tessera/plan/tests/laboratory/history.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/base/format.h"

namespace tessera::plan {

namespace {

struct NamedFact {
  std::string_view name;
  double MachineFacts::* fact;
};
constexpr std::array<NamedFact, 6> facts_by_name{{{"to_device", &MachineFacts::to_device},
                                                  {"to_host", &MachineFacts::to_host},
                                                  {"first_touch", &MachineFacts::first_touch},
                                                  {"launch", &MachineFacts::launch},
                                                  {"synchronise", &MachineFacts::synchronise},
                                                  {"copy_start", &MachineFacts::copy_start}}};

struct NumberedLine {
  std::string text;
  int number;
};

/// Appends the lines up to the end of this repetition, those of inner ones as often as they are repeated; returns the
/// position behind its end.
size_t unroll(const std::vector<NumberedLine>& lines, size_t at, bool is_inner, std::vector<NumberedLine>& all) {
  constexpr size_t most = 1'000'000;
  for (; at < lines.size(); ++at) {
    std::istringstream words(lines[at].text);
    std::string what;
    int count = 0;
    words >> what >> count;
    if (what == "end" && is_inner) return at + 1;
    if (what != "repeat") {
      all.push_back(lines[at]);
      continue;
    }
    require<ValueError>(count > 0, "line {}: repeat TIMES", lines[at].number);
    std::vector<NumberedLine> body;
    const size_t next = unroll(lines, at + 1, true, body);
    require<ValueError>(all.size() + body.size() * static_cast<size_t>(count) < most, "line {}: a history of {} lines",
                        lines[at].number, most);
    for (int k = 0; k < count; ++k) all.insert(all.end(), body.begin(), body.end());
    at = next - 1;
  }
  require<ValueError>(!is_inner, "line {}: repeat without end", lines.empty() ? 0 : lines.back().number);
  return at;
}

class Reader {
 public:
  explicit Reader(const std::string& name) { history_.name = name; }

  void read(const std::string& line, int number) {
    std::istringstream words(line);
    std::string what;
    if (!(words >> what) || what[0] == '#') return;
    line_ = number;
    Event event;
    if (what == "make") {
      std::string name, word;
      int64_t nbytes = -1;
      words >> name >> nbytes;
      require<ValueError>(!name.empty() && nbytes >= 0, "line {}: make NAME BYTES", number);
      event.kind = Event::Kind::make, event.array = add(name, nbytes);
      while (words >> word) set_made(event, word);
    } else if (what == "facts") {
      for (std::string word; words >> word;) set_fact(word);
      return;
    } else if (what == "work") {
      words >> event.work;
      for (std::string word; words >> word;) set_run(event, word);
      require<ValueError>(event.host > 0 && event.device > 0, "line {}: work NAME host=SECONDS device=SECONDS", number);
      works_[event.work] = event;
      return;
    } else if (what == "run") {
      words >> event.work;
      if (const auto known = works_.find(event.work); known != works_.end()) event = known->second;
      for (std::string word; words >> word;) set_run(event, word);
      require<ValueError>(event.host > 0 && event.device > 0, "line {}: run NAME host=SECONDS device=SECONDS", number);
      history_.iterations = std::max(history_.iterations, ++runs_[event.work]);
    } else {
      std::string name;
      words >> name;
      require<ValueError>(what == "read" || what == "drop", "line {}: make, run, read or drop, not '{}'", number, what);
      event.kind = what == "read" ? Event::Kind::read : Event::Kind::drop;
      event.array = known(name);
    }
    history_.events.push_back(std::move(event));
  }
  History take() { return std::move(history_); }

 private:
  int add(const std::string& name, int64_t nbytes) {
    history_.arrays.push_back({name, nbytes});
    return arrays_[name] = static_cast<int>(history_.arrays.size()) - 1;
  }
  int known(const std::string& name) const {
    const auto found = arrays_.find(name);
    require<ValueError>(found != arrays_.end(), "line {}: no array '{}'", line_, name);
    return found->second;
  }
  void set_made(Event& event, const std::string& word) {
    if (word == "outside") return static_cast<void>(history_.arrays.back().is_outside = true);
    require<ValueError>(word.starts_with("site="), "line {}: '{}'", line_, word);
    event.site = std::strtoull(word.c_str() + 5, nullptr, 10);
  }
  void set_run(Event& event, const std::string& word) {
    const size_t equals = word.find('=');
    require<ValueError>(equals != std::string::npos, "line {}: '{}'", line_, word);
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "host") event.host = std::atof(value.c_str());
    if (name == "device") event.device = std::atof(value.c_str());
    if (name == "ran_host") event.ran_host = std::atof(value.c_str());
    if (name == "ran_device") event.ran_device = std::atof(value.c_str());
    std::istringstream list(value);
    for (std::string each; (name == "reads" || name == "writes") && std::getline(list, each, ',');) {
      const size_t colon = each.find(':');
      if (name == "reads") event.reads.push_back(known(each));
      if (name == "writes") event.writes.push_back(add(each.substr(0, colon), std::atoll(each.c_str() + colon + 1)));
    }
  }

  void set_fact(const std::string& word) {
    if (!history_.facts) history_.facts = MachineFacts();
    const size_t equals = word.find('=');
    const auto fact = std::ranges::find(facts_by_name, word.substr(0, equals), &NamedFact::name);
    const double value = equals == std::string::npos ? 0 : std::atof(word.c_str() + equals + 1);
    require<ValueError>(fact != facts_by_name.end() && value > 0, "line {}: '{}'", line_, word);
    (*history_.facts).*fact->fact = value;
  }

  History history_;
  std::map<std::string, Event> works_;
  std::map<std::string, int> arrays_, runs_;
  int line_ = 0;
};

}  // namespace

History parse_history(const std::string& text, const std::string& name) {
  std::vector<NumberedLine> lines, all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back({line, static_cast<int>(lines.size()) + 1});
  unroll(lines, 0, false, all);
  Reader reader(name);
  for (const NumberedLine& line : all) reader.read(line.text, line.number);
  return reader.take();
}

std::string print_history(const History& history) {
  std::string text;
  const auto name = [&](int array) { return history.arrays[static_cast<size_t>(array)].name; };
  if (history.facts) {
    text += "facts";
    for (const NamedFact& fact : facts_by_name) text += format(" {}={}", fact.name, (*history.facts).*fact.fact);
    text += '\n';
  }
  for (const Event& event : history.events) {
    switch (event.kind) {
      case Event::Kind::make: {
        const HistoryArray& array = history.arrays[static_cast<size_t>(event.array)];
        text +=
            format("make {} {}{} site={}\n", array.name, array.nbytes, array.is_outside ? " outside" : "", event.site);
        break;
      }
      case Event::Kind::read: text += format("read {}\n", name(event.array)); break;
      case Event::Kind::drop: text += format("drop {}\n", name(event.array)); break;
      case Event::Kind::run: {
        text += format("run {} host={} device={}", event.work, event.host, event.device);
        if (event.ran_host > 0) text += format(" ran_host={}", event.ran_host);
        if (event.ran_device > 0) text += format(" ran_device={}", event.ran_device);
        for (size_t k = 0; k < event.reads.size(); ++k) text += (k ? "," : " reads=") + name(event.reads[k]);
        for (size_t k = 0; k < event.writes.size(); ++k)
          text += (k ? "," : " writes=") + name(event.writes[k]) +
                  format(":{}", history.arrays[static_cast<size_t>(event.writes[k])].nbytes);
        text += '\n';
        break;
      }
    }
  }
  return text;
}

}  // namespace tessera::plan
