"""Long calls: progress in fractions, Ctrl-C, other threads go on, noise is nobody else's."""

import os
import signal
import subprocess
import sys
import threading
import time

import pyarrow
import pytest
from small import BUDGET, SCHEMA, table

import mehler

# A training that would take minutes.
ENDLESS = {"epochs": 100_000}


@pytest.fixture(scope="module")
def trained_release():
    return mehler.release(table("polars"), schema=SCHEMA, **BUDGET, method="dp-hp", order=8)


def test_progress_of_private_records_is_a_fraction_without_words():
    told = []
    ages = pyarrow.array([30, 40] * 2**16)
    given = pyarrow.table(
        {"age": pyarrow.chunked_array([ages] * 300)}
    )  # .7 s here: progress is looked at 20 times a second
    mehler.release(
        given, schema=mehler.Schema({"age": mehler.integer(0, 99)}), **BUDGET, progress=lambda *what: told.append(what)
    )
    assert told and all(words == "" and (share is None or 0 <= share <= 1) for share, words in told)


def test_progress_of_a_fit_says_what_is_done(trained_release):
    told = []

    def enough(share, words):
        told.append((share, words))
        if len(told) == 3:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):  # and what it raises ends the work
        trained_release.fit(**ENDLESS, progress=enough)
    assert any(words for _, words in told)


@pytest.mark.parametrize("progress", [5, "yes", []])
def test_a_progress_that_is_none_is_refused(release, progress):
    with pytest.raises(mehler.ArgumentError, match="progress must be"):
        release.fit(progress=progress)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_numbers_of_threads_that_are_none_are_refused(release, threads):
    with pytest.raises(mehler.ArgumentError, match="threads must be"):
        release.fit(threads=threads)


def test_nothing_is_printed_unless_asked_for(release, capfd):
    release.fit().sample(10).to_polars()
    assert capfd.readouterr() == ("", "")
    release.fit(progress=True)
    out, errors = capfd.readouterr()
    assert out == "" and "fitting" in errors


def test_a_bar_needs_no_tqdm(release, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    release.fit(progress=True)
    assert "tqdm" not in capfd.readouterr().err


def test_control_c_ends_a_fit(trained_release):
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        trained_release.fit(**ENDLESS)


SPENT = "the privacy budget counts as spent"


def notes(error):
    """What is shown with an exception; Python 3.10 shows a context instead."""
    return getattr(error, "__notes__", None) or ([str(error.__context__)] if error.__context__ else [])


def train(progress):
    """A private training that would take minutes; it tells of its steps, which come after records were measured."""
    schema = mehler.Schema({"age": mehler.integer(0, 99), "sex": mehler.categorical(["f", "m"])})
    given = table("polars").select("age", "sex")
    mehler.release(given, schema=schema, **BUDGET, method="dp-gan", progress=progress, steps=100_000)


def test_control_c_after_records_were_measured_says_that_the_budget_is_spent():
    timers = []

    def interrupted(share, words):
        if not timers:
            timers.append(threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]))
            timers[0].start()

    with pytest.raises(KeyboardInterrupt) as stopped:
        train(interrupted)
    assert len(notes(stopped.value)) == 1 and SPENT in notes(stopped.value)[0]


def test_what_a_progress_raises_after_records_were_measured_says_that_the_budget_is_spent():
    def failing(share, words):
        raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough") as stopped:
        train(failing)
    assert len(notes(stopped.value)) == 1 and SPENT in notes(stopped.value)[0]


def test_control_c_before_records_were_measured_and_of_what_costs_nothing_says_nothing_of_a_budget(trained_release):
    class Interrupted:
        def __arrow_c_stream__(self, requested_schema=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        mehler.release(Interrupted(), schema=SCHEMA, **BUDGET)
    assert notes(stopped.value) == []
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt) as stopped:
        trained_release.fit(**ENDLESS)
    assert notes(stopped.value) == []


@pytest.mark.parametrize("progress", [lambda: None, lambda share: None, lambda *, share, words: None, int.bit_length])
def test_a_progress_that_cannot_be_called_is_refused_before_records_are_read(progress):
    class Unread:
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("was read")

    with pytest.raises(mehler.ArgumentError, match="progress must be.*a fraction and words"):
        mehler.release(Unread(), schema=SCHEMA, **BUDGET, progress=progress)


def test_a_note_is_shown_where_python_has_none():
    class Old(Exception):
        def __getattribute__(self, name):
            if name == "add_note":
                raise AttributeError(name)
            return super().__getattribute__(name)

    error = Old("words")
    error.__context__ = Old("other")
    mehler._notes.add_note(error, "spent")
    assert str(error.__context__.__context__) == "spent"


def test_control_c_ends_a_sample(model):
    threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        model.sample(10**9, where="age>=65").to_pyarrow(progress=lambda *_: None)


@pytest.mark.parametrize("library", ["polars", "pyarrow", "pandas"])
def test_control_c_while_a_library_reads_a_sample_is_that_and_no_error_of_the_library(model, library):
    records = model.sample(10**7)
    timer = threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    try:
        records._to(library)
    except KeyboardInterrupt as stopped:
        assert stopped.__suppress_context__
    else:
        raise AssertionError("was not stopped")
    assert sum(range(1000)) == 499500  # nothing comes later


def test_other_threads_run_meanwhile_and_two_fits_at_once_are_those_of_one(release, model):
    ticks, models = [], []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    fits = [threading.Thread(target=lambda: models.append(release.fit().to_bytes())) for _ in range(2)]
    ticker.start()
    for fit in fits:
        fit.start()
    for fit in fits:
        fit.join()
    stop.set()
    ticker.join()
    assert models == [model.to_bytes()] * 2
    assert len(ticks) > 10  # with the GIL held it would be none


def test_a_forked_child_has_noise_of_its_own():
    """Each release draws hundreds of bits: two that agree have one source of noise."""
    program = f"""
import os, sys
sys.path[:0] = {sys.path[:2]!r}
import mehler
from small import SCHEMA, table
given = table("pyarrow")
def released():
    return mehler.release(given, schema=SCHEMA, epsilon=.01, delta=1e-6).to_bytes()
first = released()
sides = []
for _ in range(2):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, released())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        sides.append(pipe.read())
    assert os.waitpid(child, 0)[1] == 0
sides += [first, released()]
assert all(len(side) > 500 for side in sides) and len(set(sides)) == 4
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr


def test_memory_does_not_grow_with_the_records_that_are_drawn(model, tmp_path):
    """A process that reads eight times as many records has the same peak, give or take an eighth."""
    model.save(tmp_path / "people.mehler")
    program = f"""
import resource, sys
sys.path[:0] = {sys.path[:2]!r}
import mehler, pyarrow
model = mehler.Model.load({str(tmp_path / "people.mehler")!r})
peaks = []
for rows in (40_000, 320_000):
    reader = pyarrow.RecordBatchReader.from_stream(model.sample(rows))
    assert sum(batch.num_rows for batch in reader) == rows
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
assert peaks[1] < 1.125 * peaks[0], peaks
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
