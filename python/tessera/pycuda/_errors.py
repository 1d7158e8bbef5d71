"""PyCUDA's exceptions."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Iterator

from tessera.errors import CudaSourceError, KernelFaultError


class Error(Exception):
    """Base of PyCUDA's exceptions."""


class MemoryError(Error):
    """No memory is left on the device."""


class LogicError(Error):
    """A call that is wrong: arguments, names, shapes."""


class LaunchError(Error):
    """A kernel could not run, or ended with a fault; the message names the launch."""


class RuntimeError(Error):
    """The driver could not do what was asked for."""


class CompileError(Error):
    """A source does not compile."""

    def __init__(self, msg: str, command_line: tuple[str, ...], stdout: str = "", stderr: str = "") -> None:
        super().__init__(msg, command_line, stdout, stderr)
        self.msg, self.command_line, self.stdout, self.stderr = msg, command_line, stdout, stderr

    def __str__(self) -> str:
        command = f"\n[command: {' '.join(self.command_line)}]" if self.command_line else ""
        return f"{self.msg}{command}\n[stderr:\n{self.stderr}]"


@contextlib.contextmanager
def of_launches() -> Iterator[None]:
    """What a launch or a wait raises, as PyCUDA's exceptions."""
    try:
        yield
    except builtins.MemoryError as error:
        raise MemoryError(str(error)) from error
    except (TypeError, ValueError, OverflowError) as error:
        raise LogicError(str(error)) from error
    except KernelFaultError:
        raise
    except builtins.RuntimeError as error:
        kind = LaunchError if "Work queued on" in str(error) or "launch" in str(error) else RuntimeError
        raise kind(str(error)) from error


def of_source(error: CudaSourceError, options: tuple[str, ...]) -> CompileError:
    return CompileError("the source does not compile", ("nvrtc", *options), stderr=str(error))
