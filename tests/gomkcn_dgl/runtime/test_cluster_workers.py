"""Workers of a cluster: how many there are, what is sent to them, what is said of those that fail.

The backends here are joblib's own kind, of threads in this process, and raise what those of Dask,
Ray and Spark raise; with the engines themselves there is a test where they are installed.
"""

import os
import re
import sys
import threading
import time
from concurrent.futures import Future
from multiprocessing.pool import ThreadPool
from pathlib import Path

import joblib
import pytest
from joblib._utils import (
    _retrieve_traceback_capturing_wrapped_call,
    _TracebackCapturingWrapper,
)
from joblib.parallel import ParallelBackendBase, register_parallel_backend

from gomkcn_dgl.runtime.processes import LostProcessError
from gomkcn_dgl.runtime.steps import Steps


class ClusterBackend(ParallelBackendBase):
    """Two workers, of which joblib takes one where it is given no number; ``error`` ends them."""

    error = None

    def effective_n_jobs(self, n_jobs):
        return 2 if n_jobs == -1 else n_jobs

    def configure(self, n_jobs=1, parallel=None, **options):
        self.parallel = parallel
        self._pool = ThreadPool(2)
        return self.effective_n_jobs(n_jobs)

    def terminate(self):
        self._pool.terminate()

    def submit(self, func, callback=None):
        return self._pool.apply_async(self.run, (func,), callback=callback, error_callback=callback)

    # of joblib before 1.5
    apply_async = submit

    def run(self, func):
        if self.error is not None:
            raise self.error
        return func()


class HandingBackend(ClusterBackend):
    """As the backend of joblibspark 0.6: an error comes back as a result, the end fails as well."""

    def submit(self, func, callback=None):
        wrapped = _TracebackCapturingWrapper(lambda: self.run(func))
        return self._pool.apply_async(wrapped, callback=callback, error_callback=callback)

    apply_async = submit

    def abort_everything(self, ensure_ready=True):
        return self.parallel._no_such_attribute


class SilentBackend(ClusterBackend):
    """As the backend of Dask in joblib 1.6: where a task ends in an error, joblib is not called."""

    supports_retrieve_callback = True

    def retrieve_result_callback(self, out):
        return _retrieve_traceback_capturing_wrapped_call(out)

    def submit(self, func, callback=None):
        task = Future()

        def fail(error):
            # joblib would wait for ever, and this test with it
            self._late = threading.Timer(30, callback, [TimeoutError("joblib was not called")])
            self._late.start()
            task.set_exception(error)
            self._late.cancel()

        def end(result):
            task.set_result(result)
            callback(result)

        self._pool.apply_async(self.run, (func,), callback=end, error_callback=fail)
        return task

    apply_async = submit


class StartingBackend(ClusterBackend):
    """Its workers are gone when it starts them."""

    def configure(self, n_jobs=1, parallel=None, **options):
        raise self.error


class EndingBackend(ClusterBackend):
    """Its workers are gone when it ends them."""

    def run(self, func):
        return func()

    def terminate(self):
        super().terminate()
        raise self.error


BACKENDS = {
    kind.__name__: kind
    for kind in (ClusterBackend, HandingBackend, SilentBackend, StartingBackend, EndingBackend)
}
for name, kind in BACKENDS.items():
    register_parallel_backend(name, kind)


def error_of(module, *names):
    """The class of an error as an engine has it: its name, and those that it is derived from."""
    kind = Exception
    for name in reversed(names):
        kind = type(name, (kind,), {"__module__": module})
    return kind


def followed(error, *before, is_cause=True):
    """An error that followed from others, the first one last."""
    at = error
    for each in before:
        if is_cause:
            at.__cause__ = each
        else:
            at.__context__ = each
        at = each
    return error


def failure(monkeypatch, error, backend="ClusterBackend", steps=None):
    """What is raised where the workers end in an error."""
    monkeypatch.setattr(BACKENDS[backend], "error", error)
    with joblib.parallel_config(backend, n_jobs=2), pytest.raises(LostProcessError) as raised:
        (steps or Steps()).each("doubling", int, lambda i: 2 * i, range(6))
    return raised.value


GONE = [
    error_of("ray.exceptions", "ActorDiedError", "RayActorError", "RayError")("died"),
    error_of("ray.exceptions", "WorkerCrashedError", "RayError")("crashed"),
    error_of("distributed.scheduler", "KilledWorker")("attempted 4 times"),
    error_of("py4j.protocol", "Py4JJavaError")(
        "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)"
    ),
    error_of("py4j.protocol", "Py4JJavaError")(
        "Lost task 0.3 in stage 0.0: ExecutorLostFailure (executor 1 exited caused by the task)"
    ),
    error_of("joblib.externals.loky.process_executor", "TerminatedWorkerError")("SIGKILL"),
]


@pytest.mark.parametrize("error", GONE, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_worker_that_is_gone_is_one_sentence(error, backend, monkeypatch):
    kind = type(error)
    raised = failure(monkeypatch, kind(*error.args), backend)
    assert str(raised) == (
        f"a worker of this job was killed or cannot be reached ({kind.__name__}), perhaps for "
        "lack of memory; start again."
    )
    # behind what the engine wraps it in
    around = error_of("ray.exceptions", "RayTaskError", "RayError")("ray::PoolActor.run_batch()")
    assert f"({kind.__name__})" in str(
        failure(monkeypatch, followed(around, kind(*error.args)), backend)
    )


RAY = """\x1b[36mray::PoolActor.run_batch()\x1b[39m (pid=7, ip=172.16.0.2)
  File "pool.py", line 1, in run_batch
ModuleNotFoundError: No module named 'joblib'"""
SPARK = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1
times, most recent failure: Lost task 0.0: org.apache.spark.api.python.PythonException: Traceback:
  File "serializers.py", line 452, in loads
ModuleNotFoundError: No module named 'joblib'

\tat org.apache.spark.api.python.BasePythonRunner.handlePythonException(PythonRunner.scala:572)
\tat java.base/java.lang.Thread.run(Thread.java:840)
"""
MISSING = ModuleNotFoundError("No module named 'joblib'")


@pytest.mark.parametrize("backend", ["ClusterBackend", "HandingBackend", "SilentBackend"])
@pytest.mark.parametrize("error", [
    MISSING,
    error_of("ray.exceptions", "RayTaskError", "RayError")(RAY),
    error_of("py4j.protocol", "Py4JJavaError")(SPARK),
    followed(RuntimeError("Error during deserialization of the task graph"), MISSING),
    followed(RuntimeError("no further"), KeyError(3), MISSING, is_cause=False),
], ids=lambda error: type(error).__name__)  # fmt: skip
def test_what_workers_stumble_at_is_said_and_kept(error, backend, monkeypatch):
    raised = failure(monkeypatch, error, backend)
    assert str(raised).startswith(
        f"the workers of {backend} cannot do this job (ModuleNotFoundError: No module named "
        "'joblib'); "
    )
    assert "killed" not in str(raised) and "PYSPARK_PYTHON" in str(raised)
    # nothing of it is lost to who looks further
    causes = [raised]
    while causes[-1] is not error:
        causes.append(causes[-1].__cause__ or causes[-1].__context__)


def test_an_error_that_hides_another_is_the_reason_itself(monkeypatch):
    error = RuntimeError("the scheduler is older than the client\nand more of that")
    error.__context__, error.__suppress_context__ = KeyError("version"), True
    assert "(RuntimeError: the scheduler is older than the client)" in str(
        failure(monkeypatch, error)
    )
    # an error of the same name that is no engine's says nothing of a worker
    other = error_of("elsewhere", "KilledWorker")("four times")
    assert "(KilledWorker: four times)" in str(failure(monkeypatch, other))


def test_only_a_job_that_has_kept_something_is_to_be_resumed(monkeypatch, tmp_path):
    def steps():
        return Steps(tmp_path / "job", {"data": "a"})

    gone = GONE[0]
    assert failure(monkeypatch, gone, steps=steps()).message.way_out == "start again"
    monkeypatch.undo()
    steps().each("squaring", int, lambda i: i * i, [1])
    kept = tmp_path / "job" / "squaring-1.zip"
    result = kept.read_bytes()
    # of the job itself it is known what it was
    kept.unlink()
    assert failure(monkeypatch, gone, steps=steps()).message.way_out == "start again"
    kept.write_bytes(result)
    assert str(failure(monkeypatch, gone, steps=steps())).endswith("; go on with resume=True.")


def test_a_backend_is_listened_to_once(monkeypatch):
    with joblib.parallel_config(SilentBackend(), n_jobs=2) as config:
        backend, submits = config["backend"], set()
        for _ in range(3):
            assert Steps().each("doubling", int, lambda i: 2 * i, range(3)) == [0, 2, 4]
            submits.add(backend.submit)
    assert len(submits) == 1


def double(steps, monkeypatch, backend="ClusterBackend", number=6, **options):
    monkeypatch.setattr(ClusterBackend, "error", None)
    with joblib.parallel_config(backend, **options):
        assert steps.each("doubling", int, lambda i: 2 * i, range(number)) == list(
            range(0, 2 * number, 2)
        )


@pytest.mark.parametrize(("options", "is_told"), [
    ({}, True), ({"n_jobs": 2}, False), ({"n_jobs": -1}, False), ({"n_jobs": 1}, False),
])  # fmt: skip
def test_a_cluster_that_is_given_no_number_of_workers_is_told(
    options, is_told, monkeypatch, caplog
):
    steps = Steps()
    # there is nothing to share
    double(steps, monkeypatch, number=1, **options)
    assert caplog.messages == []
    double(steps, monkeypatch, **options)
    double(steps, monkeypatch, **options)
    said = (
        "ClusterBackend was given no n_jobs, so that this process does all the work: name n_jobs "
        "in joblib.parallel_config, -1 for all workers"
    )
    assert caplog.messages == [said] * is_told
    # all workers are what an engine may have where nothing is said, as Dask has
    with monkeypatch.context() as patch:
        patch.setattr(ClusterBackend, "default_n_jobs", -1)
        double(Steps(), monkeypatch)
    # of this machine's workers one is what everybody has
    double(Steps(), monkeypatch, "loky")
    double(Steps(), monkeypatch, "sequential")
    # and who names a number at the job means it
    double(Steps(n_jobs=1), monkeypatch)
    assert caplog.messages == [said] * is_told


def test_what_threads_send_was_pickled_by_this_one_before(monkeypatch):
    threads = []

    class Two:
        def __reduce__(self):
            threads.append(threading.current_thread())
            return int, (2,)

    two = Two()
    monkeypatch.setattr(ClusterBackend, "error", None)
    with joblib.parallel_config("ClusterBackend", n_jobs=2):
        found = Steps().each("telling", str, lambda i: f"{i} {type(two).__name__}", range(3))
    assert found == ["0 Two", "1 Two", "2 Two"]
    assert threads[:1] == [threading.main_thread()]


def make_square():
    """A function that goes to workers whole: they may not find this file."""

    def square(i):
        time.sleep(0.2)
        return [i * i, os.getpid()]

    return square


class SquareMiner:
    """In the place of the miner of the page: numbers, and by which processes they were squared."""

    def fit(self, numbers):
        found = Steps().each("squaring", list[int], make_square(), numbers)
        self.squares_ = [square for square, _ in found]
        self.processes_ = {process for _, process in found} - {os.getpid()}


PAGE = Path(__file__).resolve().parents[3] / "docs" / "scaling.md"
# the blocks of the page by the engine that each begins with
COPIED = {
    engine: block
    for block in re.findall(r"```py\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    for engine in ("dask", "ray", "joblibspark")
    if re.search(rf"^(from|import) {engine}\b", block, re.M)
}


def test_the_page_has_a_block_for_each_engine():
    assert list(COPIED) == ["dask", "ray", "joblibspark"]
    for block in COPIED.values():
        compile(block, PAGE.name, "exec")


@pytest.mark.slow
# of the engines
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("engine", "needs"), [
    ("dask", ["distributed"]), ("ray", ["ray"]), ("joblibspark", ["joblibspark", "pyspark"]),
])  # fmt: skip
def test_what_is_copied_from_the_page_shares_the_work(engine, needs, monkeypatch):
    for name in needs:
        pytest.importorskip(name, reason=f"{name} is not installed")
    # the block for Spark sets it
    monkeypatch.setenv("PYSPARK_PYTHON", "python3")
    miner = SquareMiner()
    try:
        exec(COPIED[engine], {"__name__": "__main__", "miner": miner, "graph": range(12)})
    finally:
        if ray := sys.modules.get("ray"):
            ray.shutdown()
        if sql := sys.modules.get("pyspark.sql"):
            sql.SparkSession.builder.getOrCreate().stop()
    assert miner.squares_ == [i * i for i in range(12)]
    assert len(miner.processes_) == 2
