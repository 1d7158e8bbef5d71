/// PartTotals: the totals that parts of a call make of their slabs, and go on from.
#pragma once

#include <span>
#include <vector>

#include "tessera/engine/call/brought_bytes.h"
#include "tessera/routines/parts.h"

namespace tessera::engine {

class PartTotals {
 public:
  /// `order`: the places with slabs, in the slabs' order.
  PartTotals(const routines::Parts& parts, const std::vector<tile::Range>& slabs, const std::vector<size_t>& order)
      : parts_(parts), slabs_(slabs), order_(order), memory_(slabs.size()) {}

  /// The place's memory for the totals of all slabs; null where parts make none.
  char* at(size_t place, runtime::Device& device) {
    if (parts_.total_nbytes == 0) return nullptr;
    Ref<runtime::Buffer>& totals = memory_[place];
    if (!totals) totals = device.allocate(static_cast<size_t>(bytes_of({0, slabs_[order_.back()].end}).end));
    return totals->data();
  }
  /// Each place gets the totals of all slabs before its own.
  void exchange(BroughtBytes& bytes) {
    if (parts_.total_nbytes == 0) return;
    for (size_t to = 1; to < order_.size(); ++to)
      for (size_t from = 0; from < to; ++from) bring(bytes, order_[from], order_[to]);
    bytes.wait();
  }

 private:
  /// The bytes of the totals of these slabs.
  tile::Range bytes_of(const tile::Range& slabs) const {
    const auto at = [&](int64_t slab) {
      return (slab + parts_.slabs_a_total - 1) / parts_.slabs_a_total * parts_.total_nbytes;
    };
    return {at(slabs.begin), at(slabs.end)};
  }
  void bring(BroughtBytes& bytes, size_t from, size_t to) {
    const tile::Range part = bytes_of(slabs_[from]);
    // Null where the place is another process.
    const auto at = [&](size_t place) { return memory_[place] ? memory_[place]->data() + part.begin : nullptr; };
    bytes.copy(at(from), from, to, at(to), part.size());
  }

  const routines::Parts& parts_;
  const std::vector<tile::Range>& slabs_;  // by place
  const std::vector<size_t>& order_;
  std::vector<Ref<runtime::Buffer>> memory_;  // by place
};

}  // namespace tessera::engine
