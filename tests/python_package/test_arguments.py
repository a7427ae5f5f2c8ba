"""Arguments that make no sense: an exception of ours that says what is allowed; near names for mistyped ones."""

import copy
import pickle

import numpy
import pytest
from small import BUDGET, SCHEMA, synthesized, table

import mehler


def refused(call, *words, error=mehler.ArgumentError):
    with pytest.raises(error) as raised:
        call()
    for word in words:
        assert word in str(raised.value), str(raised.value)


def test_numbers_of_numpy_are_numbers(release, model):
    assert len(model.sample(numpy.int64(5), seed=numpy.uint8(2), threads=numpy.int32(1)).to_polars()) == 5
    assert release.fit(threads=numpy.int64(2)).to_bytes() == model.to_bytes()
    assert mehler.plan(SCHEMA, rows=numpy.int32(100), epsilon=numpy.array([1.0, 2.0]), delta=1e-6).to_dict()[1]


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_numbers_of_threads_of_a_sample_that_are_none_are_refused(model, threads):
    refused(lambda: model.sample(5, threads=threads), "threads must be a whole number of at least 1")


@pytest.mark.parametrize(("seed", "words"), [(-1, "at least 0, but is -1"), (2**64, "at most"), ("1", "but is str")])
def test_a_seed_that_is_none_says_what_is_allowed(release, model, seed, words):
    refused(lambda: model.sample(5, seed=seed), "seed must be a whole number", words)
    refused(lambda: release.fit(seed=seed), "seed must be a whole number", words)
    refused(lambda: synthesized(table("polars"), seed=seed), "seed must be a whole number", words)


def test_a_plan_of_nothing_is_refused():
    refused(lambda: mehler.plan(SCHEMA, rows=100, epsilon=[], delta=1e-6), "epsilon is an empty list")
    refused(lambda: mehler.plan(SCHEMA, rows=100, epsilon="1", delta=1e-6), "epsilon must be a number")
    refused(lambda: mehler.plan(SCHEMA, rows=0, epsilon=1, delta=1e-6), "rows must be a whole number of at least 1")


def test_one_size_of_marginals_is_enough(people, schema, model):
    one = mehler.evaluate(model.sample(500), real=people, schema=schema, marginals=1)
    assert str(one) == str(mehler.evaluate(model.sample(500), real=people, schema=schema, marginals=[1]))
    refused(lambda: mehler.evaluate(people, real=people, schema=schema, marginals="1"), "marginals must be a whole")


def test_mistyped_options_and_arguments_name_the_near_ones_and_where_they_belong(release):
    def released(**options):
        return lambda: mehler.release(table("polars"), schema=SCHEMA, **BUDGET, **options)

    refused(released(raunds=2), "no option 'raunds'; did you mean 'rounds'")
    refused(released(trheads=2), "did you mean 'threads'")
    refused(released(seed=2), "noise has no seed; fit() and sample() have one")
    refused(released(method="dp-hp", epochs=2), "it is an option of fit()")
    refused(released(epochs=2), "no option 'epochs'; it is one of dp-hp")
    refused(lambda: release.fit(sede=2), "did you mean 'seed'")
    refused(lambda: release.fit(rounds=2), "it is an option of release()")
    refused(lambda: synthesized(table("polars"), rowz=2), "did you mean 'rows'")
    refused(released(method=5), "method must be a str, but is int")
    refused(lambda: mehler.methods()["dp_hp"], "no method 'dp_hp'; there are marginals, dp-hp", error=KeyError)
    assert mehler.methods().get("dp_hp") is None


def test_contents_of_another_type_are_refused():
    refused(lambda: mehler.Release.from_bytes("text"), "content must be a bytes, but is str")
    refused(lambda: mehler.Model.from_bytes(None), "content must be a bytes")
    refused(lambda: mehler.Schema.from_json({}), "text must be a str, but is dict", "Schema.load(path)")
    refused(lambda: mehler.image("28", 28), "rows must be a whole number")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mehler.Schema([("age", mehler.integer(0, 9))]), "columns must be a dict"),
        (lambda: SCHEMA.declare([("age", mehler.integer(0, 9))]), "columns must be a dict"),
        (lambda: mehler.Schema(SCHEMA.columns, privacy_unit="age"), "privacy_unit must be a column and a number"),
        (lambda: mehler.Schema({"x": mehler.numeric(0, float("nan"))}), "finite number"),
        (lambda: mehler.Schema({"x": mehler.numeric(0, float("inf"))}), "finite number"),
    ],
)
def test_schemas_of_other_things_are_refused(make, words):
    refused(make, words, error=mehler.SchemaError)


def test_what_is_immutable_can_be_copied_and_records_say_what_to_pickle(release, model):
    assert copy.deepcopy(release).to_bytes() == release.to_bytes() and copy.copy(SCHEMA) == SCHEMA
    refused(lambda: pickle.dumps(model.sample(5)), "pickle the model", error=TypeError)
