/// Forecast: what a program would do on many places that are not there: who computes how much, who sends what, and how
/// long both take on a machine of which four numbers are known.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/tile/schedule.h"

namespace tessera::engine {

/// Messages by the LogGP model: a message of n bytes takes latency + overhead at both ends + n / bandwidth.
struct LinkFacts {
  double latency, overhead;  // seconds
  double bandwidth;          // bytes a second
};
struct MachineOfPlaces {
  int places = 1, per_node = 1;
  double memory = 4.0e12;  // bytes a second that a place's lanes touch
  LinkFacts within{2e-6, 5e-7, 390e9}, between{5e-6, 1e-6, 25e9};
};

/// All runs of one group of steps, which a line made.
struct ForecastEntry {
  std::string what;
  int64_t runs = 0;
  int64_t touched = 0, most_touched = 0;                 // bytes: by all lanes; by those of the place with most
  int64_t messages = 0, most_messages = 0;               // of all places; at one
  int64_t bytes = 0, bytes_between = 0, most_bytes = 0;  // sent by all; of it to other nodes; at one place
  int64_t looks = 0, look_bytes = 0;
  double seconds = 0, ideal = 0;  // of the slowest place; if all had the same and sent nothing
};

class Forecast {
 public:
  explicit Forecast(const MachineOfPlaces& machine) : machine_(machine) {}

  /// Adds a run of steps. Every place's own sends and receives are derived and compared: throws InvariantError where
  /// one of them has no other end.
  void add(uint64_t key, const std::string& what, const tile::Schedule& schedule, const std::vector<tile::Step>& steps);
  /// All places read so many bytes, which the line before asked for.
  void add_look(int64_t nbytes);
  const std::vector<ForecastEntry>& entries() const { return entries_; }
  const MachineOfPlaces& machine() const { return machine_; }

 private:
  struct Place {
    int64_t touched = 0, messages = 0, bytes = 0;
    double sending = 0;
  };
  std::vector<Place> follow(const tile::Schedule& schedule, const std::vector<tile::Step>& steps,
                            ForecastEntry& entry) const;
  const LinkFacts& link(int from, int to) const {
    return from / machine_.per_node == to / machine_.per_node ? machine_.within : machine_.between;
  }

  MachineOfPlaces machine_;
  std::vector<ForecastEntry> entries_;
  std::unordered_map<uint64_t, size_t> numbers_;  // of entries, by key
  size_t last_ = 0;
};

}  // namespace tessera::engine
