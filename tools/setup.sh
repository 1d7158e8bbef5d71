#!/bin/sh
# Installs what the build needs and this machine lacks: Debian packages (as root), and Python packages into $VENV.
# Arguments: further lists of Debian packages (debian-*.txt) and requirement files for the environment.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
venv=${VENV:-$root/.venv}

missing=""
if command -v dpkg-query >/dev/null 2>&1; then
  for file in "$root/tools/debian-packages.txt" "$@"; do
    case $file in *debian-*) ;; *) continue ;; esac
    for package in $(grep -v '^#' "$file"); do
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done
  done
fi
if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "Packages are missing. Run this once, then make again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
  fi
  echo "Installing$missing"
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

if [ ! -x "$venv/bin/python" ]; then
  "$python" -m venv "$venv"
fi
for file in "$root/tools/requirements.txt" "$@"; do
  case $file in *debian-*) continue ;; esac
  stamp=$venv/$(basename "$file").installed
  if ! cmp -s "$file" "$stamp"; then
    echo "Installing $(basename "$file") into $venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$file"
    cp "$file" "$stamp"
  fi
done

# Without it the build takes its own, slower transform.
"$root/tools/fetch_fft.sh" "$venv/bin/python" || echo "The FFT package could not be brought; building without it" >&2
