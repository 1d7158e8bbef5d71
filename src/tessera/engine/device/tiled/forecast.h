/// Forecast: what a program would do on many places that are not there: who computes how much, who sends what, and how
/// long both take on a machine of which a few numbers are known.
#pragma once

#include <cstdint>
#include <map>
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
  double memory = 4.0e12;      // bytes a second that a place's lanes touch
  double launch = 2e-6;        // seconds that a place's launch takes beside that
  double operations = 5.5e13;  // of matrix products a second, which take what they take beside memory
  LinkFacts within{2e-6, 5e-7, 390e9}, between{5e-6, 1e-6, 25e9};
  bool computes = false;  // else no array that is cut has memory, and looks at it give zeros
};

/// All runs of one group of steps, which a line made.
struct ForecastEntry {
  std::string what;
  int64_t runs = 0;
  int64_t touched = 0, most_touched = 0;                 // bytes: by all lanes; by those of the place with most
  int64_t messages = 0, most_messages = 0;               // of all places; at one
  int64_t bytes = 0, bytes_between = 0, most_bytes = 0;  // sent by all; of it to other nodes; at one place
  int64_t looks = 0, look_bytes = 0;
  double seconds = 0, ideal = 0;         // of the slowest place; if all had the same and sent nothing
  double computing = 0, exchanging = 0;  // of the slowest places
  int kinds = 0;                         // of places that do alike, in the run with most
};

/// One run, of which is told what each place does, in order.
class ForecastRun {
 public:
  ForecastRun(const MachineOfPlaces& machine, ForecastEntry& entry);

  /// A launch at the place, which touches so many bytes, and computes so many operations of a matrix product.
  void compute(int place, int64_t bytes, double operations = 0);
  /// Throws InvariantError for a message between places that are not there, or of a place to itself.
  void send(int from, int to, int64_t bytes);
  /// Adds the run to its entry. `alone`: bytes that one place would touch if it did everything, in so many launches and
  /// with all operations.
  void finish(int64_t alone, int64_t launches, double operations = 0);

 private:
  struct Place {
    int64_t touched = 0, messages = 0, bytes = 0;
    double computing = 0, exchanging = 0;
    bool exchanges = false;  // what it did last
  };
  const LinkFacts& link(int from, int to) const {
    return from / machine_.per_node == to / machine_.per_node ? machine_.within : machine_.between;
  }

  const MachineOfPlaces& machine_;
  ForecastEntry& entry_;
  std::vector<Place> places_;
};

class Forecast {
 public:
  explicit Forecast(const MachineOfPlaces& machine) : machine_(machine) {}

  /// Adds a run of steps by what each place derives of them.
  void add(uint64_t key, const std::string& what, const tile::Schedule& schedule, const std::vector<tile::Step>& steps);
  /// A run of what the line does, of which the caller tells; it ends before the next one begins.
  ForecastRun begin(uint64_t key, const std::string& what);
  /// All places read so many bytes, which the line before asked for.
  void add_look(int64_t nbytes);
  /// A result's shape depends on elements, which nobody computed.
  void note_unknown_shape(const std::string& what) { ++unknown_shapes_[what]; }
  const std::vector<ForecastEntry>& entries() const { return entries_; }
  /// How often, by what was called.
  const std::map<std::string, int64_t>& unknown_shapes() const { return unknown_shapes_; }
  const MachineOfPlaces& machine() const { return machine_; }

 private:
  MachineOfPlaces machine_;
  std::vector<ForecastEntry> entries_;
  std::map<std::string, int64_t> unknown_shapes_;
  std::unordered_map<uint64_t, size_t> numbers_;  // of entries, by key
  size_t last_ = 0;
};

}  // namespace tessera::engine
