"""Jobs for many processes: on this machine, or on a cluster by Dask. No job is lost with a worker."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar
from urllib.parse import urlsplit

from engine.errors import CrowntableError

Result = TypeVar("Result")
Job = tuple[Any, ...]

#: Jobs given out at a time, for each worker: enough that none waits, few enough that Ctrl-C is quick.
AHEAD = 3
#: Settings of a Dask scheduler and its workers under which they watch themselves less often. As Dask comes,
#: its clocks and profilers take several hundredths of a core in each process whether it works or not, which
#: is more than handing out the jobs does. docs/lab.md names them for those who start a cluster.
QUIET: Mapping[str, object] = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
}
#: So often in a row workers may die without any job being done in between.
DEATHS = 4


def work(
    do: Callable[..., Result], jobs: Sequence[Job], workers: int = 1, cluster: str | None = None
) -> Iterator[Result]:
    """The result of `do(*job)` for every job, in the order in which they get done.

    A job whose worker dies is done again by another. Raises CrowntableError where workers keep dying,
    where no cluster answers at that address, or where Dask is missing.
    """
    if cluster is not None:
        yield from _on_cluster(do, jobs, cluster)
    elif workers <= 1 or len(jobs) <= 1:
        for job in jobs:
            yield do(*job)
    else:
        yield from _in_processes(do, jobs, workers)


def _in_processes(do: Callable[..., Result], jobs: Sequence[Job], workers: int) -> Iterator[Result]:
    left, deaths = list(reversed(jobs)), 0
    while left:
        pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_ctrl_c_to_the_parent)
        running: dict[Future[Result], Job] = {}
        try:
            while left or running:
                while left and len(running) < AHEAD * workers:
                    future = pool.submit(do, *left[-1])
                    running[future] = left.pop()
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    result = future.result()
                    del running[future]
                    deaths = 0
                    yield result
        except BrokenProcessPool:
            deaths += 1
            left += running.values()
            if deaths >= DEATHS:
                raise CrowntableError(
                    "The worker processes keep dying without getting anything done.",
                    "Is there enough memory? Try fewer --workers; what was done is kept.",
                ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _silent(address: str) -> CrowntableError:
    return CrowntableError(
        f"No Dask scheduler answers at {address}.",
        "Start one there with `dask scheduler`, and `dask worker ADDRESS` on every machine.",
    )


def _reach(address: str) -> None:
    """Raises CrowntableError where nothing listens at the address. Dask itself would go on trying for half a
    minute after it has given up, and end in a traceback."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is no number
        host = port = None
    if not host or not port:
        raise CrowntableError(
            f"{address!r} is no address of a Dask scheduler.", "Give it as tcp://HOST:8786."
        )
    if parts.scheme in ("tcp", "tls"):
        try:
            socket.create_connection((host, port), timeout=10).close()
        except OSError as error:
            raise _silent(address) from error


def _on_cluster(do: Callable[..., Result], jobs: Sequence[Job], address: str) -> Iterator[Result]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise CrowntableError(
            "Playing on a cluster needs Dask, which is not installed here.",
            "Install it with: pip install 'crowntable[lab]'; --workers needs nothing.",
        ) from None
    _reach(address)
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise _silent(address) from error
    try:
        try:
            client.wait_for_workers(1, timeout=30)
        except TimeoutError:
            raise CrowntableError(
                f"The scheduler at {address} has no workers.", f"Start some with: dask worker {address}"
            ) from None
        ahead = AHEAD * max(1, sum(client.ncores().values()))
        left = list(reversed(jobs))

        def given() -> Any:
            return client.submit(do, *left.pop(), pure=False, retries=DEATHS)

        running = as_completed(
            [given() for _ in range(min(ahead, len(left)))], with_results=True, loop=client.loop
        )
        for future, result in running:
            future.release()
            if left:
                running.add(given())
            yield result
    finally:
        client.close()
