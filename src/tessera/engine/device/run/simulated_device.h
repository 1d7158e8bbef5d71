/// SimulatedDevice: devices whose memory and programs are on the host, so that all device code except code generation
/// is tested without a GPU.
#pragma once

#include "tessera/codegen/compiler.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

/// Runs kernels by the interpreter, or by native code, when they are launched; no other code may treat its memory as
/// host memory. With TESSERA_SIMULATED_FAILURE=N in the environment the first fails at its Nth launch or use of
/// its stream by a library, with N@K device K.
runtime::Device& simulated_device(int number = 0);
/// Has the program of a mapped kernel run as native code; one that has none stays with the interpreter. Other devices'
/// programs are left as they are.
void run_natively(const runtime::Program& program, codegen::Compiler* compiler);
/// The one of this number if there has been one; null if not.
runtime::Device* used_simulated_device(int number);
/// The one that has allocated the memory at this address; null if none has.
runtime::Device* simulated_device_at(const void* address);
inline constexpr int most_simulated = 64;

}  // namespace tessera::engine
