"""Images as numpy arrays: a schema for them, a table of them, and back.

>>> schema = mehler.images.schema((28, 28), classes=range(10))
>>> release = mehler.release(mehler.images.table(pixels, labels), schema=schema, epsilon=10, delta=1e-5)
>>> fake, fake_labels = mehler.images.arrays(release.fit().sample(60_000))
"""

from __future__ import annotations

from mehler import _columns, _engine
from mehler._engine import ArgumentError, TableError
from mehler._progress import watch
from mehler._schema import Schema
from mehler._tables import source_of

IMAGE, LABEL = "image", "label"


def schema(shape: tuple[int, ...], *, classes=None, relation: str = "add-remove-one") -> Schema:
    """The schema of images of a shape, (rows, columns) or (rows, columns, 3), and of their labels: one of `classes`."""
    if not isinstance(shape, (tuple, list)) or len(shape) not in (2, 3):
        raise ArgumentError("shape must be (rows, columns), or (rows, columns, channels), such as (28, 28)")
    columns = {IMAGE: _columns.image(*shape)}
    if classes is not None:
        columns[LABEL] = _columns.categorical(classes)
    return Schema(columns, target=None if classes is None else LABEL, relation=relation)


def table(pixels, labels=None):
    """Images, bytes [n][rows][columns] or [n][rows][columns][3], and one label each, as a table for release().

    Privacy: holds the arrays, and copies no pixel. Pixels of another type than uint8 are refused, not guessed at."""
    numpy = _numpy()
    pixels = numpy.ascontiguousarray(pixels)
    if pixels.dtype != numpy.uint8:
        raise TableError(
            f"images must be whole numbers of 0 to 255 (uint8), but are {pixels.dtype}; say how they are scaled: "
            "(255 * pixels).round().astype(numpy.uint8) if they lie in [0, 1]"
        )
    if pixels.ndim not in (3, 4) or (pixels.ndim == 4 and pixels.shape[3] not in (1, 3)) or 0 in pixels.shape:
        raise TableError(
            f"images must be an array [n][rows][columns], or with 3 channels behind, but its shape is {pixels.shape}"
        )
    if labels is None:
        return _engine.image_table(pixels, IMAGE, None, LABEL)
    labels = numpy.asarray(labels)
    if labels.ndim != 1 or len(labels) != len(pixels):
        raise TableError(f"there must be one label for each of the {len(pixels)} images, in an array of one dimension")
    if labels.dtype.kind not in "iubUO":
        raise TableError(f"labels must be whole numbers or texts, but are {labels.dtype}")
    if not all(isinstance(label, (str, int)) for label in labels.tolist()):
        raise TableError("labels must be whole numbers or texts, and none may be missing; leave images without one out")
    return _engine.image_table(pixels, IMAGE, [_label(label) for label in labels.tolist()], LABEL)


def _label(label):
    return str(label).lower() if isinstance(label, bool) else str(label)


def arrays(records, *, schema: Schema | None = None):
    """Records with a column of images as arrays: the images, and the labels if the schema has a target.

    Labels that are all whole numbers come as such, else as texts. `schema` is that of the records; Records know theirs.
    """
    numpy = _numpy()
    known = schema if schema is not None else getattr(records, "schema", None)
    if not isinstance(known, Schema):
        raise ArgumentError("the schema of the records is not known; give it: arrays(table, schema=...)")
    columns = known._engine.plain_columns
    shape = next((entry[4] for entry in columns if entry[4] is not None), None)
    if shape is None:
        raise ArgumentError("the schema has no column of images")
    with watch(None, "reading") as watching:
        rows, coded, pixels = _engine.read_coded(known._engine, source_of(records).engine, "the table", watching)
    images = pixels.reshape(rows, *(shape if shape[2] > 1 else shape[:2]))
    others = [entry for entry in columns if entry[4] is None]
    place = next((i for i, entry in enumerate(others) if entry[0] == known.target), None)
    if place is None:
        return images
    return images, _labels(numpy, others[place][3])[coded[place][0]]


def _labels(numpy, names):
    try:
        return numpy.array([int(name) for name in names])
    except ValueError:
        return numpy.array(names)


def _numpy():
    try:
        import numpy
    except ImportError:
        raise ArgumentError("images are arrays of numpy, which is not installed; pip install numpy") from None
    return numpy
