"""Images as arrays of numpy, in and out."""

import numpy
import pyarrow
import pytest

import mehler

ROWS, COLUMNS = 8, 6


def make_images(count=200):
    chance = numpy.random.default_rng(1)
    labels = chance.integers(0, 2, count)
    pixels = chance.integers(0, 60, (count, ROWS, COLUMNS))
    pixels[:, :4] += 150 * labels[:, None, None]
    return pixels.astype(numpy.uint8), labels


def test_arrays_go_in_without_a_copy_and_come_back_from_a_table():
    pixels, labels = make_images()
    table = mehler.images.table(pixels, labels)
    arrow = pyarrow.table(table)
    assert arrow["image"].chunk(0).flatten().buffers()[1].address == pixels.ctypes.data
    schema = mehler.images.schema((ROWS, COLUMNS), classes=[0, 1])
    images, classes = mehler.images.arrays(table, schema=schema)
    assert numpy.array_equal(images, pixels) and numpy.array_equal(classes, labels)


def test_a_release_of_images_gives_images():
    pixels, labels = make_images(60)
    schema = mehler.images.schema((ROWS, COLUMNS), classes=[0, 1])
    release = mehler.release(
        mehler.images.table(pixels, labels), schema=schema, epsilon=50, delta=1e-5, method="dp-merf", frequencies=50
    )
    images, classes = mehler.images.arrays(release.fit(epochs=2, steps=5).sample(30))
    assert images.shape == (30, ROWS, COLUMNS) and images.dtype == numpy.uint8
    assert set(classes.tolist()) <= {0, 1}


def test_images_of_three_channels_and_without_labels():
    pixels = numpy.zeros((5, 4, 3, 3), numpy.uint8)
    schema = mehler.images.schema((4, 3, 3))
    assert mehler.images.arrays(mehler.images.table(pixels), schema=schema).shape == (5, 4, 3, 3)


def test_labels_of_texts_come_back_as_texts():
    pixels, labels = make_images(20)
    words = numpy.array(["cat", "dog"])[labels]
    schema = mehler.images.schema((ROWS, COLUMNS), classes=["cat", "dog"])
    _, classes = mehler.images.arrays(mehler.images.table(pixels, words), schema=schema)
    assert classes.tolist() == words.tolist()


@pytest.mark.parametrize(
    ("pixels", "labels", "words"),
    [
        (numpy.zeros((3, 4, 4)), None, "uint8.*float64"),
        (numpy.zeros((3, 4), numpy.uint8), None, "shape is"),
        (numpy.zeros((3, 4, 4, 2), numpy.uint8), None, "shape is"),
        (numpy.zeros((0, 4, 4), numpy.uint8), None, "shape is"),
        (numpy.zeros((3, 4, 4), numpy.uint8), [1, 2], "one label for each of the 3"),
        (numpy.zeros((3, 4, 4), numpy.uint8), [1.5, 2.5, 3.5], "whole numbers or texts"),
        (numpy.zeros((3, 4, 4), numpy.uint8), [1, None, 2], "none may be missing"),
        (numpy.zeros((3, 4, 4), numpy.uint8), ["a", 1.5, None], "none may be missing"),
    ],
)
def test_arrays_that_are_no_images_are_refused(pixels, labels, words):
    with pytest.raises(mehler.TableError, match=words):
        mehler.images.table(pixels, labels)


@pytest.mark.parametrize("shape", [8, (8,), (8, 8, 3, 1), "88", None])
def test_shapes_that_are_none_are_refused(shape):
    with pytest.raises(mehler.ArgumentError, match="shape must be"):
        mehler.images.schema(shape)


def test_a_release_of_images_alone_has_nothing_to_draw():
    # The sum of 64 noisy counts of lengths must be above 0: 300 records are 22 of its standard deviations.
    pixels, labels = make_images(300)
    schema = mehler.images.schema((ROWS, COLUMNS), classes=[0, 1])
    release = mehler.release(
        mehler.images.table(pixels, labels), schema=schema, epsilon=100, delta=1e-5, candidates=1000
    )
    assert release.method == "images"
    with pytest.raises(mehler.Error, match="nothing to draw"):
        release.plot()
    with pytest.raises(mehler.ArgumentError, match="compare them with real records instead"):
        release.compare(mehler.images.table(pixels, labels))


def test_images_of_another_shape_than_the_schema_says_are_refused():
    pixels, labels = make_images(20)
    schema = mehler.images.schema((ROWS, COLUMNS + 1), classes=[0, 1])
    with pytest.raises(mehler.TableError, match="'image'"):
        mehler.release(mehler.images.table(pixels, labels), schema=schema, epsilon=5, delta=1e-5)
    with pytest.raises(mehler.ArgumentError, match="no column of images"):
        mehler.images.arrays(mehler.demo.people(5))
    with pytest.raises(mehler.ArgumentError, match="schema of the records"):
        mehler.images.arrays(pyarrow.table({"a": [1]}))
