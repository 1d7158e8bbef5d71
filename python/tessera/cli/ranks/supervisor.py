"""What wraps each rank: its output goes where it belongs, and its end is told to the driver, however it comes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys

from tessera.cli.ranks.finding import launched_as
from tessera.cli.ranks.reports import Report

_KEPT = 1 << 16  # bytes of a rank's stderr
_PAGE = 512  # bytes of the page with what it did last
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def end_with_parent() -> None:
    """The kernel kills this process when its parent ends."""
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)


class _Driver:
    """The process that the user started, where it can be reached; else stderr, and the launcher's own ways."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        self.link: socket.socket | None = None
        self.fds: list[int] = []
        path = os.environ.pop("TESSERA_DRIVER", "")
        with contextlib.suppress(OSError):
            if path and os.path.exists(path):
                link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                link.connect(path)
                link.sendall(f"{rank} {os.getpid()} {socket.gethostname()}\n".encode())
                _, self.fds, _, _ = socket.recv_fds(link, 16, 3)
                self.link = link

    def tell(self, report: Report) -> None:
        if self.link is not None:
            with contextlib.suppress(OSError):
                self.link.sendall((report.to_line() + "\n").encode())
        elif report.code != 0:
            from tessera.cli.ranks.reports import describe

            if not report.follows:
                os.write(2, describe(report, [report]).encode())

    def wait_for_end(self) -> None:
        """Until the driver has what it wants: a rank that leaves earlier ends the others at once."""
        if self.link is not None:
            with contextlib.suppress(OSError):
                while self.link.recv(64):
                    pass


def become_rank(output: str) -> None:
    """Forks: the child returns and runs the program, this process never does."""
    rank, size = launched_as(os.environ) or (0, 1)
    size = int(os.environ.get("TESSERA_RANKS", "0")) or size
    driver = _Driver(rank, size)
    page = os.memfd_create("tessera-rank")
    os.ftruncate(page, _PAGE)
    told = os.memfd_create("tessera-report")
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.close(out_write)
        os.close(err_write)
        os._exit(_watch(child, driver, page, told, out_read, err_read, output))
    end_with_parent()
    if driver.link is not None:
        driver.link.close()
    os.environ["TESSERA_RANK_STATUS"] = f"/proc/self/fd/{page}"
    os.environ["TESSERA_RANK_REPORT"] = str(told)
    own = driver.fds or (0, 1, 2)
    if rank == 0:
        os.dup2(own[0], 0)
    else:
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
    # Beside other ranks' lines a line of rank 0 is passed on as a whole, too; a terminal shows what is not ended yet.
    is_direct = rank == 0 and (output != "all" or os.isatty(own[1]))
    os.dup2(own[1] if is_direct else out_write, 1)
    os.dup2(own[2] if is_direct else err_write, 2)
    for fd in (out_read, out_write, err_read, err_write, *driver.fds):
        os.close(fd)


def _watch(child: int, driver: _Driver, page: int, told: int, out: int, err: int, output: str) -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: os.kill(child, signal.SIGKILL))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kept, status = _pump(child, driver, out, err, output)
    report = _report(driver, status, page, told)
    if driver.rank != 0 and output != "all":
        report.said = kept.decode(errors="replace")
    driver.tell(report)
    if report.code == 0 or driver.link is not None:
        driver.wait_for_end()
        return 0
    return 1 if report.code < 0 else report.code


def _report(driver: _Driver, status: int, page: int, told: int) -> Report:
    report = Report(driver.rank, driver.size, socket.gethostname(), os.waitstatus_to_exitcode(status))
    report.last = os.pread(page, _PAGE, 0).split(b"\0")[0].decode(errors="replace")
    if text := os.pread(told, 1 << 22, 0).decode(errors="replace"):
        said = Report.from_line(text)
        report.failure, report.message, report.follows = said.failure, said.message, said.follows
    return report


def _pump(child: int, driver: _Driver, out: int, err: int, output: str) -> tuple[bytes, int]:
    """Passes on what the child writes, and what the driver orders, until the child ends; the end of its stderr."""
    kept = b""
    parts = {out: b"", err: b""}
    ended = os.pidfd_open(child)
    streams = {out: 1, err: 2}
    sinks = {1: driver.fds[1], 2: driver.fds[2]} if driver.fds else {1: 1, 2: 2}
    waits = [ended, *([driver.link] if driver.link is not None else [])]
    is_over = False
    while streams or not is_over:
        ready = select.select([*streams, *([] if is_over else waits)], [], [], 0 if is_over else None)[0]
        if is_over and not ready:
            break  # a child of the rank's own holds the pipe
        for stream in ready:
            if stream is ended:
                is_over = True
            elif stream is driver.link:
                _obey(child, driver, waits)
            elif stream in streams:
                data = os.read(stream, 65536)
                if not data:
                    del streams[stream]
                    continue
                if stream == err:
                    kept = (kept + data)[-_KEPT:]
                if output == "all":
                    parts[stream] = _pass_on(parts[stream] + data, driver.rank, sinks[streams[stream]])
    for stream, rest in parts.items():
        if rest:
            end = b"\n" if driver.rank else b""  # rank 0's output is as of one process
            _pass_on(rest + end, driver.rank, sinks[1 if stream == out else 2], is_last=True)
    return kept, os.waitpid(child, 0)[1]


def _obey(child: int, driver: _Driver, waits: list) -> None:
    """One word of the driver's; where it is gone, the rank goes, too."""
    try:
        word = driver.link.recv(1) if driver.link is not None else b""
    except OSError:
        word = b""
    os.kill(child, signal.SIGINT if word == b"i" else signal.SIGKILL)
    if not word:
        waits.remove(driver.link)


def _pass_on(data: bytes, rank: int, to: int, is_last: bool = False) -> bytes:
    """Writes whole lines, each with its rank before it unless that is 0; returns what is left."""
    *lines, rest = data.split(b"\n")
    head = f"[{rank}] ".encode() if rank else b""
    text = b"".join(head + line + b"\n" for line in lines) + (rest if is_last else b"")
    while text:
        text = text[os.write(to, text) :]
    return rest
