#!/bin/sh
# Builds as static libraries, for wheels, what Debian has as shared ones alone: oneTBB and Highway's sort: build_static.sh FOLDER
# From the sources of the packages. Nothing is done when they were built for the versions that are installed.
set -eu
folder=$1
version_of() { dpkg-query -W -f '${Version}' "$1"; }
stamp=$folder/built-$(version_of libtbb-dev)-$(version_of libhwy-dev)

[ -f "$stamp" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder/sources" "$folder/lists" "$folder/installed/lib"
cd "$folder"
for file in /etc/apt/sources.list.d/*.sources; do
  [ -f "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" > "sources/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -f "$file" ] && sed -n 's/^deb /deb-src /p' "$file" > "sources/$(basename "$file" .list).list"
done
apt="apt-get -qq -o Dir::Etc::SourceParts=$PWD/sources -o Dir::Etc::SourceList=/dev/null -o Dir::State::Lists=$PWD/lists
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="
$apt update
$apt source onetbb highway > source.log

cmake -S onetbb-*/ -B tbb -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19 \
  -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DTBB_TEST=OFF -DTBB_EXAMPLES=OFF -DTBBMALLOC_BUILD=OFF \
  -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON -DCMAKE_INSTALL_PREFIX="$PWD/installed" -DCMAKE_INSTALL_LIBDIR=lib > configure.log 2>&1
cmake --build tbb > build.log
cmake --install tbb > install.log

# The compiler of Debian's package: its parts for each processor are as they were tested there. Ascending integers are what is sorted.
cd highway-*/
for key in i16 u16 i32 u32 i64 u64; do sources="${sources:-} hwy/contrib/sort/vqsort_${key}a.cc"; done
printf '%s\n' hwy/aligned_allocator.cc hwy/per_target.cc hwy/print.cc hwy/targets.cc hwy/contrib/sort/vqsort.cc $sources \
  | xargs -P "$(nproc)" -I{} sh -c 'g++ -std=c++11 -O2 -DNDEBUG -fPIC -fvisibility=hidden -fmerge-all-constants -I. -c {} -o "../$(basename {} .cc).o"'
cd ..
ar rcs installed/lib/libhwy.a aligned_allocator.o per_target.o print.o targets.o
ar rcs installed/lib/libhwy_contrib.a vqsort*.o
touch "$stamp"
