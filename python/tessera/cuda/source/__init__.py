"""Kernels in CUDA C++: compiled by NVRTC, launched on tessera's arrays."""
