/// MpiCommunicator: ranks and messages by an MPI library, which is opened at run time.
#pragma once

#include <string>

#include "tessera/comm/communicator.h"
#include "tessera/comm/mpi/abi.h"
#include "tessera/comm/node/node_communicator.h"

namespace tessera::comm {

class MpiCommunicator final : public Communicator {
 public:
  /// Initialises the library where nobody has. Throws RuntimeError where a function is missing or fails.
  explicit MpiCommunicator(DynamicLibrary library);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::string& host() const override { return host_; }
  const std::string& library() const override { return name_; }
  void send(int to, int tag, const char* data, int64_t nbytes, Requests& requests) override;
  void receive(int from, int tag, char* data, int64_t nbytes, Requests& requests) override;
  bool test(Requests& requests) override;
  bool has_arrived(int from, int tag) override;
  void finish() override;

  /// Memory that the ranks of this machine share, of `nbytes_for(ranks)` each. Without any where there is no room for
  /// it, the library gives none, or this rank is alone. All ranks call it.
  SharedMemory share(int64_t (*nbytes_for)(int ranks));

 private:
  /// With handles as words, whatever the library declares: callers pass both in the same registers.
  struct Functions {
    int (*init_thread)(int*, char***, int, int*);
    int (*initialized)(int*);
    int (*finalize)();
    int (*finalized)(int*);
    int (*comm_dup)(Handle, Handle*);
    int (*comm_rank)(Handle, int*);
    int (*comm_size)(Handle, int*);
    int (*comm_set_errhandler)(Handle, Handle);
    int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
    int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
    int (*test)(Handle*, int*, void*);
    int (*iprobe)(int, int, Handle, int*, void*);
    int (*error_string)(int, char*, int*);
    int (*get_library_version)(char*, int*);
    int (*get_processor_name)(char*, int*);
    int (*comm_split_type)(Handle, int, int, Handle, Handle*);
    int (*barrier)(Handle);
    int (*broadcast)(void*, int, Handle, int, Handle);
    int (*win_allocate_shared)(intptr_t, int, Handle, Handle, void*, Handle*);
    int (*win_shared_query)(Handle, int, intptr_t*, int*, void*);
    int (*win_free)(Handle*);
  };
  void find_functions();
  void check(int code, const char* what) const;

  DynamicLibrary library_;
  Abi abi_;
  Functions mpi_{};
  Handle communicator_ = 0;  // of our own: messages of others' never match ours
  Handle node_ = 0;          // the ranks of this machine
  Handle window_ = 0;        // their memory; 0: none
  bool owns_ = false;        // initialised it, and finalises it
  int rank_ = 0, size_ = 1;
  std::string host_, name_;
};

}  // namespace tessera::comm
