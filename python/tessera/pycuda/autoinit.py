"""The device is opened when it is first used; `device` and `context` are PyCUDA's names for it."""

from tessera.pycuda import driver

device = driver.Device(0)
context = device.make_context()
