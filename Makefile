# make run: install what is missing, build, run the main job. make test: the same, then every test.
VENV ?= .venv
BUILD ?= build/release
PYTHON ?= python3
PY = $(VENV)/bin/python
CMAKE_FLAGS ?=

.PHONY: run test build setup bench clean

setup:
	@PYTHON=$(PYTHON) VENV=$(VENV) tools/setup.sh

build: setup
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19 \
	  -DPython_EXECUTABLE=$(abspath $(PY)) $(CMAKE_FLAGS) > $(BUILD).configure.log 2>&1 || (cat $(BUILD).configure.log; false)
	@cmake --build $(BUILD)
