#pragma once
#include "../../include/complex.cuh"
