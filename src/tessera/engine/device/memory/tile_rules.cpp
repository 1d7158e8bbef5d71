#include "tessera/engine/device/memory/tile_rules.h"

#include <cstdlib>

#include "tessera/base/error.h"
#include "tessera/profile/counters.h"

namespace tessera::engine {

namespace {

CutRule cut_rule(const std::string& name) {
  require<ValueError>(name.empty() || name == "auto" || name == "always",
                      "TESSERA_CUT must be 'auto' or 'always' (got '{}')", name);
  return name == "always" ? CutRule::always : CutRule::when_too_large;
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

TileRules& tile_rules() {
  static TileRules rules{cut_rule(rule_in("TESSERA_CUT")), gather_rule(rule_in("TESSERA_GATHER"))};
  return rules;
}

void set_tile_rules(const std::string& cut, const std::string& gather) {
  tile_rules() = {cut_rule(cut), gather_rule(gather)};
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
