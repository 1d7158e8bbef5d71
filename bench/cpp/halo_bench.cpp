/// Halos between two ranks of one machine: through shared memory, and by the MPI library's own MPI_Sendrecv.
/// mpirun -n 2 halo_bench; prints microseconds of an exchange, medians, and their ratio.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "tessera/comm/mpi/find_mpi.h"
#include "tessera/comm/mpi/mpi_communicator.h"
#include "tessera/comm/node/node_communicator.h"

namespace {

using tessera::comm::Handle;
using Clock = std::chrono::steady_clock;

template <class Exchange>
double median_microseconds(const Exchange& exchange) {
  constexpr int rounds = 400, warm_up = 50;
  std::vector<double> times;
  for (int k = 0; k < rounds + warm_up; ++k) {
    const Clock::time_point begin = Clock::now();
    exchange();
    if (k >= warm_up) times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[rounds / 2];
}

}  // namespace

int main() {
  using namespace tessera::comm;
  tessera::DynamicLibrary library = open_mpi("");
  const Abi abi = find_abi(library);
  using Sendrecv = int (*)(const void*, int, Handle, int, int, void*, int, Handle, int, int, Handle, void*);
  const auto sendrecv = reinterpret_cast<Sendrecv>(library.find("MPI_Sendrecv"));
  auto made = std::make_unique<MpiCommunicator>(std::move(library));
  const SharedMemory memory = made->share(NodeCommunicator::nbytes_for);
  if (made->size() != 2 || memory.ranks.size() != 2) {
    std::fprintf(stderr, "halo_bench: needs two ranks of one machine\n");
    return 1;
  }
  NodeCommunicator node(std::move(made), memory);
  const int peer = 1 - node.rank();
  for (const int64_t nbytes : {64, 4096, 28016, 262144, 4194304}) {
    std::vector<char> sent(static_cast<size_t>(nbytes), 'x'), got(static_cast<size_t>(nbytes));
    const auto by_memory = [&] {
      Requests requests;
      node.receive(peer, 1, got.data(), nbytes, requests);
      node.send(peer, 1, sent.data(), nbytes, requests);
      while (!node.test(requests)) {
      }
    };
    const auto by_mpi = [&] {
      char status[64];
      const int count = static_cast<int>(nbytes);
      sendrecv(sent.data(), count, abi.byte, peer, 2, got.data(), count, abi.byte, peer, 2, abi.world, status);
    };
    // In turns, so that other load meets both.
    std::vector<double> ratios, ours, theirs;
    for (int turn = 0; turn < 7; ++turn) {
      ours.push_back(median_microseconds(by_memory));
      theirs.push_back(median_microseconds(by_mpi));
      ratios.push_back(ours.back() / theirs.back());
    }
    for (std::vector<double>* each : {&ratios, &ours, &theirs}) std::ranges::sort(*each);
    if (node.rank() == 0)
      std::printf("%8lld bytes: shared memory %.2f us, %s %.2f us, ratio %.2f\n", static_cast<long long>(nbytes),
                  ours[3], node.library().c_str(), theirs[3], ratios[3]);
  }
  node.finish();
}
