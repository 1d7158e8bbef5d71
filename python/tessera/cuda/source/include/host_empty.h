// In place of headers of C whose functions for kernels (printf, assert, malloc, memcpy) the compiler knows.
#pragma once
