"""`tessera run --ranks-per-node N`: launches the ranks, gives them its own streams, and ends all of them when one fails."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from tessera.cli.ranks import commands, finding
from tessera.cli.ranks.reports import MARK, Report, describe, exit_code, first_failure, in_full, is_alike
from tessera.cli.ranks.supervisor import end_with_parent

_GRACE = 1.0  # seconds in which the others may end by themselves after one failed
_SHORT_GRACE = 0.2  # the same after a signal ended one
_INTERRUPTED = 2.0  # after Ctrl-C


def run(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Launches `tessera run` with these words in every rank; returns the program's exit code."""
    if found := commands.problem(options, os.environ):
        print(f"tessera run: {found}", file=sys.stderr)
        return 2
    if not options.module and not os.path.exists(options.program):
        print(f"tessera run: no such file: {options.program}", file=sys.stderr)
        return 2
    mpi = None
    try:
        mpi = finding.find(os.environ)
    except finding.NoMpi as missing:
        if options.launcher != "srun":  # whose ranks find the cluster's library by the loader
            print(f"tessera run: {missing}", file=sys.stderr)
            return 2
    if options.launcher == "srun" and shutil.which("srun") is None:
        print("tessera run: --launcher srun: there is no srun on the path", file=sys.stderr)
        return 2
    if mpi is not None and options.launcher != "srun" and (found := commands.refusal(mpi, os.environ, os.getuid())):
        print(f"tessera run: {found}", file=sys.stderr)
        return 2
    exported = commands.variables(options, os.environ, mpi, commands.usable_cores())
    command = commands.launch(options, mpi, [sys.executable, "-m", "tessera", "run", *words], exported)
    if options.dry_run:
        print(commands.shown(command, exported))
        return 0
    if options.verbose:
        print(commands.shown(command, exported), file=sys.stderr)
        if mpi is not None:
            print(f"tessera run: {mpi.version}; {mpi.library or 'the library that the loader finds'}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        return _Launch(command, exported, folder, (options.nodes or 1) * (options.ranks_per_node or 1)).run()


class _Launch:
    """One launched program."""

    def __init__(self, command: list[str], exported: dict[str, str], folder: str, size: int) -> None:
        self.size = size
        self.reports: list[Report] = []
        self.links: dict[socket.socket, bytes] = {}
        self.end_at: float | None = None
        self.killed = False
        self.interrupted: int | None = None
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path := os.path.join(folder, "driver"))
        self.listener.listen(size)
        self.said = open(os.path.join(folder, "launcher"), "w+b")  # noqa: SIM115
        self.command = command
        self.environment = {**os.environ, **exported, "TESSERA_DRIVER": path}

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._interrupt)
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write)
        try:
            launcher = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=self.said,
                stderr=self.said,
                env=self.environment,
                start_new_session=True,
                preexec_fn=end_with_parent,
            )
        except OSError as error:
            print(f"tessera run: {self.command[0]}: {error.strerror}", file=sys.stderr)
            return 127
        ended = os.pidfd_open(launcher.pid)
        while True:
            timeout = None if self.end_at is None else max(0.0, self.end_at - time.monotonic())
            ready = select.select([ended, wake_read, self.listener, *self.links], [], [], timeout)[0]
            if ended in ready:
                break
            for stream in ready:
                self._serve(stream, wake_read)
            if len(self.reports) == self.size:
                self._order(b"")
                self.end_at = time.monotonic() + 5
            if self.end_at is not None and time.monotonic() >= self.end_at:
                if self.killed:
                    os.killpg(launcher.pid, signal.SIGKILL)
                self._order(b"k")
                self.killed, self.end_at = True, time.monotonic() + 1
        launcher.wait()
        self._drain()
        return self._tell(launcher.returncode)

    def _interrupt(self, number: int, frame: object) -> None:
        self.interrupted = self.interrupted or number

    def _serve(self, stream: object, wake: int) -> None:
        if stream is self.listener:
            link, _ = self.listener.accept()
            self.links[link] = b""
            socket.send_fds(link, [b"f"], [0, 1, 2])
        elif stream == wake:
            os.read(wake, 64)
            if self.interrupted is not None and self.end_at is None:
                self._order(b"i" if self.interrupted == signal.SIGINT else b"k")
                self.end_at = time.monotonic() + (_INTERRUPTED if self.interrupted == signal.SIGINT else 0)
        elif isinstance(stream, socket.socket):
            self._hear(stream)

    def _hear(self, link: socket.socket) -> None:
        try:
            data = link.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            del self.links[link]
            link.close()
            return
        *lines, self.links[link] = (self.links[link] + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            if not text.startswith(MARK):
                continue
            report = Report.from_line(text)
            self.reports.append(report)
            if report.code != 0 and self.end_at is None:
                self.end_at = time.monotonic() + (_SHORT_GRACE if report.code < 0 else _GRACE)

    def _drain(self) -> None:
        while ready := select.select([*self.links], [], [], 0)[0]:
            for link in ready:
                self._hear(link)

    def _order(self, word: bytes) -> None:
        """To all ranks that are connected: i interrupts them, k ends them, nothing lets them go."""
        for link in list(self.links):
            try:
                link.sendall(word) if word else link.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def _tell(self, launched: int) -> int:
        """What stderr says at the end; the exit code."""
        told = first_failure(self.reports)
        if self.interrupted is not None:
            print(f"tessera run: {signal.Signals(self.interrupted).name} ended all ranks", file=sys.stderr)
            return 128 + self.interrupted
        if told is not None:
            sys.stderr.write(describe(told, self.reports))
            if not is_alike(told, self.reports):
                self._write_report(in_full(told, self.reports, self.command))
            return exit_code(self.reports)
        if len(self.reports) == self.size and not self.killed:
            return 0
        self.said.seek(0)
        sys.stderr.write(self.said.read().decode(errors="replace"))
        missing = sorted(set(range(self.size)) - {report.rank for report in self.reports})
        print(
            f"tessera run: {self.command[0]} ended with exit code {launched}, and nothing was heard of the end of "
            f"ranks {missing}",
            file=sys.stderr,
        )
        return launched if launched > 0 else 1

    def _write_report(self, text: str) -> None:
        """In the program's folder, else in that of temporary files; where that fails, too, stderr has said what matters."""
        name = f"tessera-ranks-{os.getpid()}.txt"
        chosen = os.environ.get("TESSERA_REPORT")
        for path in [chosen] if chosen else [os.path.abspath(name), os.path.join(tempfile.gettempdir(), name)]:
            try:
                with open(path, "w") as file:
                    file.write(text)
            except OSError as error:
                if chosen:
                    print(f"tessera run: TESSERA_REPORT={path}: {error.strerror}", file=sys.stderr)
                continue
            print(f"tessera run: how each rank ended: {path}", file=sys.stderr)
            return
