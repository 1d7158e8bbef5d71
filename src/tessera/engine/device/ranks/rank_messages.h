/// RankMessages: bytes between this rank's memory, the host's or that of its device, and other ranks'.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/base/ref.h"
#include "tessera/comm/communicator.h"
#include "tessera/engine/device/ranks/device_windows.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Messages of one tag are received in the order in which they are sent. Their memory stays where it is until
/// is_done(); that of the device is used in the order of its queue.
class RankMessages {
 public:
  /// `device`: what the rank computes with; null: its cores.
  RankMessages(comm::Communicator& communicator, runtime::Device* device)
      : communicator_(communicator), device_(device), windows_(device) {}

  runtime::Device* device() const { return device_; }
  /// Lets ranks of one machine copy to each other's devices: all call it, with the hosts of all and the names of what
  /// they compute with. `finish` returns once what was asked for is done.
  void open_windows(const std::vector<std::string>& hosts, const std::vector<std::string>& processors, int tag,
                    const std::function<void()>& finish);

  void send(int to, int tag, const char* data, int64_t nbytes);
  void receive(int from, int tag, char* data, int64_t nbytes);
  /// The same between memories of ranks' places, which are their devices' where they have one.
  void send_of_place(int to, int tag, const char* data, int64_t nbytes);
  void receive_at_place(int from, int tag, char* data, int64_t nbytes);
  /// Sends memory of the place to one who receives it in the host's.
  void send_to_host(int to, int tag, const char* data, int64_t nbytes);
  /// Goes on with what was asked for; whether some of it has been done since the last call.
  bool advance();
  bool is_done() const { return pending_.empty() && leaving_.empty() && coming_.empty() && windows_.is_sent(); }

  /// What is not done.
  struct Waiting {
    int peer = 0;
    int64_t nbytes = 0;
    bool is_sent = false;
  };
  std::vector<Waiting> waiting() const;

 private:
  struct Pending {
    comm::Requests requests;
    Waiting what;
    std::function<void()> then{};  // once it is done
  };
  struct Leaving {
    int to, tag;
    const char* data;
    int64_t nbytes;
  };
  struct Coming {
    char* data;
    const char* staged;
    int64_t nbytes;
  };
  void begin_send(int to, int tag, const char* data, int64_t nbytes);
  char* stage(int64_t nbytes);
  void send_leaving();
  bool advance_windows();
  bool test_pending();

  comm::Communicator& communicator_;
  runtime::Device* device_;
  DeviceWindows windows_;
  std::vector<Pending> pending_;
  // Of the device's memory, by way of the host's.
  std::vector<Leaving> leaving_;
  std::vector<Coming> coming_;
  std::vector<Ref<runtime::Buffer>> staging_;
};

}  // namespace tessera::engine
