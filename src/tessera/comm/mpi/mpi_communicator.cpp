#include "tessera/comm/mpi/mpi_communicator.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::comm {

namespace {

constexpr int64_t longest_part = int64_t{1} << 30;  // counts are 32 bits: longer messages go in parts
constexpr size_t longest_text = 8192;               // of all that a library writes

/// Whether the file system in which libraries keep shared memory has room for that much, and for what they need.
bool has_shared_memory(int64_t nbytes) {
  constexpr int64_t theirs = int64_t{4} << 20;
  struct statvfs found;
  if (statvfs("/dev/shm", &found) != 0) return true;  // they keep it elsewhere
  return static_cast<int64_t>(found.f_bavail * found.f_frsize) >= nbytes + theirs;
}

/// Room for any library's MPI_Status.
struct alignas(16) Status {
  char bytes[64];
};

}  // namespace

MpiCommunicator::MpiCommunicator(DynamicLibrary library) : library_(std::move(library)), abi_(find_abi(library_)) {
  find_functions();
  int is_there = 0, provided = 0;
  check(mpi_.initialized(&is_there), "MPI_Initialized");
  owns_ = !is_there;
  if (owns_) check(mpi_.init_thread(nullptr, nullptr, abi_.serialized, &provided), "MPI_Init_thread");
  require<RuntimeError>(!owns_ || provided >= abi_.serialized,
                        "{}: MPI_Init_thread gives no thread level at which several threads may call in turns",
                        library_.path());
  check(mpi_.comm_dup(abi_.world, &communicator_), "MPI_Comm_dup");
  check(mpi_.comm_set_errhandler(communicator_, abi_.errors_return), "MPI_Comm_set_errhandler");
  check(mpi_.comm_rank(communicator_, &rank_), "MPI_Comm_rank");
  check(mpi_.comm_size(communicator_, &size_), "MPI_Comm_size");
  std::string text(longest_text, '\0');
  int length = 0;
  check(mpi_.get_processor_name(text.data(), &length), "MPI_Get_processor_name");
  host_ = text.substr(0, static_cast<size_t>(length));
  check(mpi_.get_library_version(text.data(), &length), "MPI_Get_library_version");
  name_ = text.substr(0, std::min(text.find_first_of(",\n"), static_cast<size_t>(length)));
  std::ranges::replace(name_, '\t', ' ');
}

void MpiCommunicator::find_functions() {
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library_.find(name));
    require<RuntimeError>(function != nullptr, "{} is no MPI library: it has no {}", library_.path(), name);
  };
  find(mpi_.init_thread, "MPI_Init_thread");
  find(mpi_.initialized, "MPI_Initialized");
  find(mpi_.finalize, "MPI_Finalize");
  find(mpi_.finalized, "MPI_Finalized");
  find(mpi_.comm_dup, "MPI_Comm_dup");
  find(mpi_.comm_rank, "MPI_Comm_rank");
  find(mpi_.comm_size, "MPI_Comm_size");
  find(mpi_.comm_set_errhandler, "MPI_Comm_set_errhandler");
  find(mpi_.isend, "MPI_Isend");
  find(mpi_.irecv, "MPI_Irecv");
  find(mpi_.test, "MPI_Test");
  find(mpi_.iprobe, "MPI_Iprobe");
  find(mpi_.error_string, "MPI_Error_string");
  find(mpi_.get_library_version, "MPI_Get_library_version");
  find(mpi_.get_processor_name, "MPI_Get_processor_name");
  find(mpi_.comm_split_type, "MPI_Comm_split_type");
  find(mpi_.barrier, "MPI_Barrier");
  find(mpi_.broadcast, "MPI_Bcast");
  find(mpi_.win_allocate_shared, "MPI_Win_allocate_shared");
  find(mpi_.win_shared_query, "MPI_Win_shared_query");
  find(mpi_.win_free, "MPI_Win_free");
}

void MpiCommunicator::check(int code, const char* what) const {
  if (code == 0) [[likely]]
    return;
  std::string text(longest_text, '\0');
  int length = 0;
  if (mpi_.error_string(code, text.data(), &length) != 0) length = 0;
  throw RuntimeError(format("{}: {}", what, length ? text.substr(0, static_cast<size_t>(length)) : "failed"));
}

void MpiCommunicator::send(int to, int tag, const char* data, int64_t nbytes, Requests& requests) {
  do {
    const int64_t part = std::min(nbytes, longest_part);
    Handle& request = requests.emplace_back(0);
    check(mpi_.isend(data, static_cast<int>(part), abi_.byte, to, tag, communicator_, &request), "MPI_Isend");
    data += part, nbytes -= part;
  } while (nbytes > 0);
}

void MpiCommunicator::receive(int from, int tag, char* data, int64_t nbytes, Requests& requests) {
  do {
    const int64_t part = std::min(nbytes, longest_part);
    Handle& request = requests.emplace_back(0);
    check(mpi_.irecv(data, static_cast<int>(part), abi_.byte, from, tag, communicator_, &request), "MPI_Irecv");
    data += part, nbytes -= part;
  } while (nbytes > 0);
}

bool MpiCommunicator::test(Requests& requests) {
  std::erase_if(requests, [&](Handle& request) {
    int is_done = 0;
    Status status;
    check(mpi_.test(&request, &is_done, &status), "MPI_Test");
    return is_done != 0;
  });
  return requests.empty();
}

bool MpiCommunicator::has_arrived(int from, int tag) {
  int is_there = 0;
  Status status;
  check(mpi_.iprobe(from, tag, communicator_, &is_there, &status), "MPI_Iprobe");
  return is_there != 0;
}

SharedMemory MpiCommunicator::share(int64_t (*nbytes_for)(int ranks)) {
  check(mpi_.comm_split_type(communicator_, abi_.of_node, rank_, abi_.no_info, &node_), "MPI_Comm_split_type");
  check(mpi_.comm_set_errhandler(node_, abi_.errors_return), "MPI_Comm_set_errhandler");
  int own = 0, count = 1;
  check(mpi_.comm_rank(node_, &own), "MPI_Comm_rank");
  check(mpi_.comm_size(node_, &count), "MPI_Comm_size");
  if (count == 1) return {};
  constexpr int64_t line = 64;
  // Before what is shared stands the rank whose memory it is, and room to begin at a line.
  const int64_t nbytes = nbytes_for(count) + 2 * line;
  // Who touches memory that is not there is ended by a signal. One rank looks, so that all do the same.
  char has_room = own == 0 && has_shared_memory(count * nbytes);
  check(mpi_.broadcast(&has_room, 1, abi_.byte, 0, node_), "MPI_Bcast");
  if (!has_room) return {};
  char* begin = nullptr;
  if (mpi_.win_allocate_shared(nbytes, 1, abi_.no_info, node_, &begin, &window_) != 0)
    return window_ = 0, SharedMemory{};
  std::memset(begin, 0, static_cast<size_t>(nbytes));
  std::memcpy(begin, &rank_, sizeof rank_);
  check(mpi_.barrier(node_), "MPI_Barrier");
  SharedMemory memory;
  for (int k = 0; k < count; ++k) {
    intptr_t size = 0;
    int unit = 0, rank = 0;
    char* at = nullptr;
    check(mpi_.win_shared_query(window_, k, &size, &unit, &at), "MPI_Win_shared_query");
    std::memcpy(&rank, at, sizeof rank);
    memory.ranks.push_back(rank);
    memory.begins.push_back(at + line + (line - reinterpret_cast<uintptr_t>(at) % line) % line);
  }
  check(mpi_.barrier(node_), "MPI_Barrier");
  return memory;
}

void MpiCommunicator::finish() {
  int is_over = 0;
  if (window_) mpi_.win_free(&window_);
  if (owns_ && mpi_.finalized(&is_over) == 0 && !is_over) mpi_.finalize();
}

}  // namespace tessera::comm
