#!/bin/sh
# Brings the source package whose BSD-licensed FFT headers the library room compiles against: fetch_fft.sh [python]
# Nothing is downloaded when it is already there.
set -eu
version=0.42.0
root=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python3}
target="$root/build/third_party"
include="$target/ducc0-$version/src"

[ -f "$include/ducc0/fft/fft.h" ] && exit 0
mkdir -p "$target"
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --no-binary ducc0 --dest "$target" "ducc0==$version"
tar -xzf "$target/ducc0-$version.tar.gz" -C "$target"
for file in "$include"/ducc0/fft/*.h "$include"/ducc0/infra/mav.h "$include"/ducc0/math/unity_roots.h; do
  grep -q 'BSD-3-Clause' "$file" || { echo "fetch_fft.sh: $file does not carry the BSD licence" >&2; exit 1; }
done
