#pragma once
#include "../include/pycuda_complex.hpp"
