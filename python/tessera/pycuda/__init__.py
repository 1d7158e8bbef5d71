"""PyCUDA's names on tessera's arrays and launches: `import tessera.pycuda.driver as drv` for `import pycuda.driver as drv`."""

VERSION = (2025, 1)
VERSION_STATUS = ""
VERSION_TEXT = "2025.1"
