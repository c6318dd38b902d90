"""What is said of workers that failed: whether they are gone, and otherwise what they stumbled at.

The workers of joblib may be those of loky, Dask, Ray or Spark, each with errors of its own, around
which joblib and what registers an engine with it raise others, or none at all. The engines are not
imported: most users have none of them.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from gomkcn_dgl.messages import Text
from gomkcn_dgl.runtime.processes import LostProcessError

# the errors that say that a worker is gone, by the package and the name of a class or of one that
# it is derived from
_LOST = {
    "joblib": ("TerminatedWorkerError",),
    "ray": ("RayActorError", "WorkerCrashedError", "NodeDiedError", "OutOfMemoryError"),
    "distributed": ("KilledWorker", "FutureCancelledError", "CommClosedError"),
}
# all that Spark raises is of one class, and says in its text alone that a worker is gone
_LOST_OF_SPARK = ("Python worker exited unexpectedly", "ExecutorLostFailure")
# a line of a traceback, of Python or of Java, that names an error and says more of it
_NAMED = re.compile(r"(?:^|[\s.:])(\w+(?:Error|Exception): [^\n]+)$", re.MULTILINE)
_LONGEST_REASON = 300


def lost_process(error: BaseException, engine: str, way_on: Text) -> LostProcessError:
    """What is raised where the workers of an engine, such as ``"RayBackend"``, ended in an error.

    ``way_on`` is what to do where a worker is gone; one that cannot do its work would not again.
    """
    chain = list(_chain(error))
    gone = next((type(each).__name__ for each in chain if _is_lost(each)), "")
    if gone:
        return LostProcessError(
            f"a worker of this job was killed or cannot be reached ({gone}), perhaps for lack of "
            "memory",
            way_out=way_on,
        )
    return LostProcessError(
        f"the workers of {engine} cannot do this job ({_reason(chain[-1])})",
        way_out=(
            "they need the Python and the packages of this process, which PYSPARK_PYTHON says to "
            "Spark"
        ),
    )


def hear_errors(backend: Any) -> None:
    """Let joblib hear of each error of a backend whose results it is called for.

    That of Dask, as joblib 1.6 has it, marks the task that failed and calls nobody: joblib would
    wait for ever for a task that killed its workers, or that they could not read.
    """
    from joblib.parallel import ParallelBackendBase

    # what joblib calls, which was another before 1.5
    name = "submit" if hasattr(ParallelBackendBase, "submit") else "apply_async"
    if not getattr(backend, "supports_retrieve_callback", False) or name in vars(backend):
        return
    submit = getattr(backend, name)

    def submit_and_hear(do: Any, callback: Any = None) -> Any:
        task = submit(do, callback)

        def hear(done: Future[Any]) -> None:
            # joblib hears the first time that it is called for a task
            if (error := done.exception()) is not None:
                callback(error)

        if callback is not None and isinstance(task, Future):
            task.add_done_callback(hear)
        return task

    setattr(backend, name, submit_and_hear)


def _is_lost(error: BaseException) -> bool:
    if type(error).__name__ == "Py4JJavaError":
        return any(text in str(error) for text in _LOST_OF_SPARK)
    return any(
        kind.__name__ in _LOST.get(kind.__module__.partition(".")[0], ())
        for kind in type(error).__mro__
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, that from which it followed, and so on to the first one."""
    before: BaseException | None = error
    while before is not None:
        yield before
        hidden = None if before.__suppress_context__ else before.__context__
        before = before.__cause__ or hidden or _returned(before)


def _returned(error: BaseException) -> BaseException | None:
    """The error that a task came back with, where its backend returns it as if it were results.

    That of joblibspark 0.6 does, and joblib fails at reading them: they are in that frame.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if type(value).__name__ == "_ExceptionWithTraceback":
                # so that a traceback has it as well
                error.__cause__ = value.exc
                return error.__cause__
    return None


def _reason(error: BaseException) -> str:
    """What an error says in one line: of a traceback that came as text, the last error in it."""
    text = str(error).strip()
    named = _NAMED.findall(text)
    said = named[-1] if named else f"{type(error).__name__}: {text.partition(chr(10))[0]}"
    return said.removesuffix(": ").rstrip(".")[:_LONGEST_REASON]
