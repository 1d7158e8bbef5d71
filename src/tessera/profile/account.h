/// Account: where a thread's time goes between the call of an operation and its return, as rows. Off, it costs a
/// branch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera::profile {

enum class Row : uint8_t {
  program,      // outside of the engine
  recording,    // an operation is taken down
  planning,     // looking up or making plans, deciding where they run
  compiling,    // making kernels that are waited for
  first_touch,  // memory is used for the first time
  allocation,
  staging,   // copies through pinned memory
  copying,   // other copies between host and device
  queueing,  // binding memory, starting kernels
  running,
  waiting,  // for a device, or for work in the background
  reading,  // handing values to the program
  count,
};
constexpr size_t row_count = static_cast<size_t>(Row::count);

std::string_view name(Row row);

/// Seconds by row.
struct Rows : std::array<double, row_count> {
  double of(Row row) const { return (*this)[static_cast<size_t>(row)]; }
  /// All but the program's.
  double inside() const;
  /// What work itself costs, between whose begin and end the thread was in the engine: without what is done once and
  /// without copies between host and device.
  double of_work() const;
  Rows operator-(const Rows& earlier) const;
};

class Account {
 public:
  /// Whether rows are kept, in any thread.
  static bool is_on() { return static_cast<uint32_t>(users_.load(std::memory_order_relaxed)) > 0; }
  /// The calling thread's.
  static Account& own();
  /// Ends the row in progress and begins another one; returns the one that ended.
  Row enter(Row row);
  /// The rows so far, up to now.
  Rows rows();
  /// So much of the memory that the thread just got was never used: what its first use costs is moved from `running`.
  void note_fresh(size_t nbytes) { fresh_ += nbytes; }
  /// Seconds a byte that the first use of memory takes on this machine. Returns what it was.
  static double set_first_touch(double seconds_a_byte) {
    return first_touch_.exchange(seconds_a_byte, std::memory_order_relaxed);
  }

  /// Rows are kept while one of these lives.
  class Use {
   public:
    explicit Use(bool is_used = true);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    bool is_used_;
  };

 private:
  void settle_fresh();

  /// How many use it; above bit 32 how often it went from off to on, in the same word, so that both change at once.
  static inline std::atomic<uint64_t> users_{0};
  static inline std::atomic<double> first_touch_{1 / 8e9};

  std::array<int64_t, row_count> nanoseconds_{};
  int64_t since_ = 0;
  uint32_t own_period_ = 0;
  Row row_ = Row::program;
  size_t fresh_ = 0;
};

/// The thread's time is of this row while it lives, but for rows inside of it.
class InRow {
 public:
  explicit InRow(Row row) {
    if (Account::is_on()) [[unlikely]]
      before_ = Account::own().enter(row);
  }
  ~InRow() {
    if (before_ != Row::count) [[unlikely]]
      Account::own().enter(before_);
  }
  InRow(const InRow&) = delete;
  InRow& operator=(const InRow&) = delete;

 private:
  Row before_ = Row::count;
};

/// The rows of one piece of work of the calling thread.
class Measured {
 public:
  explicit Measured(bool is_on = true) : use_(is_on) {
    if (is_on) start();
  }
  /// Forgets what was so far.
  void start() { before_ = Account::own().rows(); }
  Rows rows() const { return Account::own().rows() - before_; }

 private:
  Account::Use use_;
  Rows before_{};
};

}  // namespace tessera::profile
