// tessera_device.h has what kernels use of this header.
#pragma once
