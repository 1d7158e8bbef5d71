#pragma once
#include "../../include/raw_array.cuh"
