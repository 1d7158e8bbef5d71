/// PartTotals: the totals that parts of a call make of their slabs, and go on from.
#pragma once

#include <algorithm>
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
    if (!totals) totals = device.allocate(static_cast<size_t>(nbytes()));
    return totals->data();
  }
  int64_t nbytes() const { return parts_.total_nbytes == 0 ? 0 : bytes_of({0, slabs_[order_.back()].end}).end; }
  /// A message with totals of slabs that follow each other.
  struct Hop {
    size_t from, to;  // places
    tile::Range bytes;
  };
  /// How each place gets the totals of all slabs before its own, in rounds: of those from the place 1, 2, 4, ... before
  /// it it gets what that has by then, so that none sends more than one message in a round.
  std::vector<std::vector<Hop>> rounds() const {
    std::vector<std::vector<Hop>> rounds;
    if (parts_.total_nbytes == 0) return rounds;
    for (size_t step = 1; step < order_.size(); step *= 2) {
      std::vector<Hop>& hops = rounds.emplace_back();
      for (size_t to = step; to < order_.size(); ++to) {
        const size_t from = to - step, first = from + 1 - std::min(step, from + 1);
        hops.push_back(
            {order_[from], order_[to], {bytes_of(slabs_[order_[first]]).begin, bytes_of(slabs_[order_[from]]).end}});
      }
    }
    return rounds;
  }
  void exchange(BroughtBytes& bytes) {
    for (const std::vector<Hop>& hops : rounds()) {
      for (const auto& [from, to, part] : hops) {
        // Null where the place is another process.
        const auto at = [&](size_t place) { return memory_[place] ? memory_[place]->data() + part.begin : nullptr; };
        bytes.copy(at(from), from, to, at(to), part.size());
      }
      bytes.wait();
    }
  }

 private:
  /// The bytes of the totals of these slabs.
  tile::Range bytes_of(const tile::Range& slabs) const {
    const auto at = [&](int64_t slab) {
      return (slab + parts_.slabs_a_total - 1) / parts_.slabs_a_total * parts_.total_nbytes;
    };
    return {at(slabs.begin), at(slabs.end)};
  }

  const routines::Parts& parts_;
  const std::vector<tile::Range>& slabs_;  // by place
  const std::vector<size_t>& order_;
  std::vector<Ref<runtime::Buffer>> memory_;  // by place
};

}  // namespace tessera::engine
