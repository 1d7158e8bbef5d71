#include "tessera/engine/device/memory/tile_rules.h"

#include <charconv>
#include <cstdlib>

#include "tessera/base/error.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

namespace {

/// A positive number of bytes; else 0.
int64_t bytes_in(const std::string& text) {
  const char* const end = text.data() + text.size();
  int64_t bytes = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, bytes);
  return error == std::errc{} && stop == end && bytes > 0 ? bytes : 0;
}

/// Sets the rule and the bytes from which on it holds.
void set_cut(TileRules& rules, const std::string& name) {
  if (name.empty() || name == "auto") return;
  if (name == "always") {
    rules.cut = CutRule::always;
    return;
  }
  rules.least_bytes = bytes_in(name);
  require<ValueError>(rules.least_bytes > 0, "TESSERA_CUT must be 'auto', 'always' or a number of bytes (got '{}')",
                      name);
  rules.cut = CutRule::from_size;
}

GatherRule gather_rule(const std::string& name) {
  require<ValueError>(name.empty() || name == "allow" || name == "error",
                      "TESSERA_GATHER must be 'allow' or 'error' (got '{}')", name);
  return name == "error" ? GatherRule::error : GatherRule::allow;
}

std::string rule_in(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

}  // namespace

static TileRules rules_of(const std::string& cut, const std::string& gather) {
  TileRules rules{.gather = gather_rule(gather)};
  set_cut(rules, cut);
  return rules;
}

TileRules& tile_rules() {
  static TileRules rules = rules_of(rule_in("TESSERA_CUT"), rule_in("TESSERA_GATHER"));
  return rules;
}

void set_tile_rules(const std::string& cut, const std::string& gather) { tile_rules() = rules_of(cut, gather); }

int64_t& panel_bytes() {
  static int64_t bytes = [] {
    constexpr int64_t usual = int64_t{512} << 20;
    const std::string text = rule_in("TESSERA_PANEL");
    require<ValueError>(text.empty() || bytes_in(text) > 0, "TESSERA_PANEL must be a number of bytes (got '{}')", text);
    return text.empty() ? usual : bytes_in(text);
  }();
  return bytes;
}

double most_extra_lanes() { return tile_rules().cut == CutRule::always ? 1.0 : 0.25; }

void note_gather(int64_t nbytes, const std::string& what) {
  require<RuntimeError>(tile_rules().gather == GatherRule::allow,
                        "{} needs {} bytes of arrays that are cut over several devices at one place, and "
                        "TESSERA_GATHER=error forbids that",
                        what, nbytes);
  profile::add(profile::Counter::gathers);
  profile::add(profile::Counter::bytes_gathered, nbytes);
}

}  // namespace tessera::engine
