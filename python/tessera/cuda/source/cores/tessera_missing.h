// What only a GPU has: a use of it is an error that says what to do.
#pragma once

#define TESSERA_GPU_ONLY(why) __attribute__((device, unavailable(why)))
#define TESSERA_NO_TEXTURES "textures and surfaces are not on the cores: read the array through a pointer"
#define TESSERA_NO_LAUNCHES "kernels do not launch kernels on the cores: launch them from Python"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
template <class T, class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
T tex1D(A...);
template <class T, class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
T tex1Dfetch(A...);
template <class T, class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
T tex2D(A...);
template <class T, class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
T tex3D(A...);
template <class T, class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
T tex2DLayered(A...);
template <class T, class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
T surf2Dread(A...);
template <class... A>
TESSERA_GPU_ONLY(TESSERA_NO_TEXTURES)
void surf2Dwrite(A...);
template <class... A>
TESSERA_GPU_ONLY(TESSERA_NO_LAUNCHES)
int cudaLaunchDevice(A...);
template <class... A>
TESSERA_GPU_ONLY(TESSERA_NO_LAUNCHES)
int cudaDeviceSynchronize(A...);
