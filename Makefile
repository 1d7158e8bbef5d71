# make run: install what is missing, build, run the main job. make test: the same, then every test. make build builds no tests.
VENV ?= .venv
BUILD ?= build/release
PYTHON ?= python3
CMAKE_FLAGS ?=
# Whether sources are compiled in groups, which halves a build from nothing; ON in a new folder, later as it was there.
# OFF compiles each alone: less to do again after a change of one source.
UNITY ?= $(if $(wildcard $(BUILD)/CMakeCache.txt),,ON)
# Arguments of the main job's programs and of the benchmarks, as in `make run ARGS="--steps 50"`.
ARGS ?=

PY = $(VENV)/bin/python
RUN = PYTHONPATH=python $(PY)
LAUNCHER = $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)

.PHONY: run test sanitize sanitize-python build build-tests setup bench bench-dask bench-networks bench-frames bench-gpu bench-gpus bench-placement wheel stubs notebooks site check tidy format sizes clean

run: build
	@for program in heat smooth sunspots weather flights dask_svd; do echo "== $$program"; $(RUN) examples/$$program.py $(ARGS) || exit 1; done

test: build-tests
	@ctest --test-dir $(BUILD) --output-on-failure -j 2
	@$(RUN) -m pytest -q -n auto --dist worksteal tests

# The C++ tests of the engine under the address, undefined-behaviour and thread sanitizers; Python tests under the first two.
sanitize: setup sanitize-python
	@for preset in asan tsan; do \
	  mkdir -p build/$$preset && cmake --preset $$preset $(LAUNCHER) > build/$$preset/configure.log && \
	  cmake --build --preset $$preset && ctest --preset $$preset || exit 1; done

# ARGS="tests/arrays/test_array.py" runs other tests than those of tests/sanitized.txt.
sanitize-python: setup
	@mkdir -p build/asan-python
	@cmake --preset asan-python -DPython_EXECUTABLE=$(abspath $(PY)) $(LAUNCHER) > build/asan-python/configure.log
	@cmake --build --preset asan-python
	@$(PY) tools/test_sanitized.py $(ARGS)

bench: build
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/setup.sh tools/requirements-bench.txt
	@$(RUN) bench/run.py $(ARGS)

# Dask with tessera's chunks beside NumPy's; ARGS="--gpu" on a machine with an NVIDIA GPU. See bench/dask.md.
bench-dask: build
	@$(RUN) bench/dask_chunks.py $(ARGS)

# NetworkX's backend beside NetworkX, igraph and NetworKit. See bench/networks.md.
bench-networks: build
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/setup.sh tools/requirements-bench.txt
	@$(RUN) bench/networks.py $(ARGS)
	@$(RUN) bench/networks_small.py

# tessera.pandas beside pandas, polars and DuckDB. See bench/frames.md.
bench-frames: build
	@$(RUN) bench/frames.py $(ARGS)
	@$(RUN) bench/frames_small.py

# On a machine with an NVIDIA GPU; beside CuPy, JAX, PyTorch and Numba where they are installed. See bench/gpu.md.
bench-gpu: build
	@cmake --build $(BUILD) --target device_bench
	@$$(find $(BUILD) -name device_bench -type f)
	@$(RUN) bench/gpu.py $(ARGS)
	@$(RUN) bench/gpu_libraries.py
	@$(RUN) bench/gpu_peers.py

# On a machine with two of them. See bench/gpus.md.
bench-gpus: build
	@$(RUN) bench/gpus.py $(ARGS)

# On the same: how well `auto` chooses, and NPBench's programs where a checkout of it lies in .npbench. See bench/placement.md.
bench-placement: build
	@$(RUN) bench/placement.py $(ARGS)
	@if [ -d .npbench ]; then $(RUN) bench/npbench_suite.py --folder .npbench --preset M; fi

# One wheel for every Python on this machine, in dist/; ARGS="--headers FOLDER" for a Python of which only the headers are here.
wheel: setup
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/setup.sh tools/requirements-wheel.txt tools/debian-packages-wheel.txt
	@$(PY) tools/wheels.py $(ARGS)

# The type stubs of python/tessera, from what it is now.
stubs: build
	@$(RUN) tools/make_stubs.py

# The documentation in build/site, without a network; ARGS="--clean" builds all of it anew.
site: build
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/setup.sh tools/requirements-site.txt
	@$(RUN) tools/site/build.py $(ARGS)

# Runs the notebooks in examples/notebooks and keeps their results in them.
notebooks: build
	@$(RUN) tools/run_notebooks.py $(ARGS)

# What can be checked without building anything.
check: setup
	@for script in tools/check_*.py; do $(PY) $$script || exit 1; done

# The checks of .clang-tidy, over every source.
tidy: setup
	@$(PY) tools/tidy.py

# Formats C++ and Python, and sorts imports.
format: setup
	@$(PY) tools/check_format.py --fix

# The largest files and functions; judgement decides.
sizes:
	@$(PYTHON) tools/report_sizes.py

setup:
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/setup.sh

build: setup
	@mkdir -p $(BUILD)
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19 \
	  -DPython_EXECUTABLE=$(abspath $(PY)) $(LAUNCHER) $(if $(UNITY),-DCMAKE_UNITY_BUILD=$(UNITY)) $(CMAKE_FLAGS) > $(BUILD)/configure.log 2>&1 || (cat $(BUILD)/configure.log; false)
	@cmake --build $(BUILD)
	@$(PY) tools/write_metadata.py

build-tests: build
	@cmake --build $(BUILD) --target all_tests device_bench

clean:
	rm -rf build python/tessera/*.so
