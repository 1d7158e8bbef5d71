#include "tessera/routines/table.h"

#include "tessera/base/error.h"
#include "tessera/routines/list.h"

namespace tessera::routines {

Table& Table::standard() {
  static Table& table = *[] {
    auto* t = new Table;  // never destroyed: recorded calls refer to it until the process ends
    add_at(*t);
    add_bins(*t);
    add_correlate(*t);
    add_extreme(*t);
    add_fft(*t);
    add_index_draw(*t);
    add_interpolate(*t);
    add_linalg(*t);
    add_moments(*t);
    add_neighbours(*t);
    add_network_components(*t);
    add_network_ranks(*t);
    add_network_searches(*t);
    add_network_structure(*t);
    add_partition(*t);
    add_product(*t);
    add_repeat(*t);
    add_rows(*t);
    add_scan(*t);
    add_scatter(*t);
    add_search(*t);
    add_select(*t);
    add_sort(*t);
    add_stream_draw(*t);
    add_take(*t);
    return t;
  }();
  return table;
}

const Entry& Table::add(Entry entry) {
  const std::string_view name = entry.routine.name;
  invariant(entry.routine.infer && entry.routine.cost, "routine {} lacks inference or cost", name);
  invariant(entry.on_host != nullptr, "routine {} has no implementation for the host", name);
  invariant(!entry.routine.writes_first || entry.routine.time == ops::CallTime::at_call,
            "routine {} writes an operand, but does not run at the call", name);
  bool has_default = false;
  for (const ops::Parameter& parameter : entry.routine.parameters) {
    invariant(parameter.otherwise || !has_default, "routine {}: {} needs a default, as parameters before it have one",
              name, parameter.name);
    has_default |= parameter.otherwise.has_value();
  }
  require<ValueError>(!by_name_.contains(name), "a routine named {} exists already", name);
  entry.routine.id = static_cast<uint16_t>(entries_.size());
  const Entry& added = entries_.emplace_back(std::move(entry));
  by_name_.emplace(name, &added);
  return added;
}

const Entry& Table::operator[](std::string_view name) const {
  const auto found = by_name_.find(name);
  require<ValueError>(found != by_name_.end(), "there is no routine named {}", name);
  return *found->second;
}

}  // namespace tessera::routines
