"""Image sets as users have them: which are read, what a draft says of them, and which are refused."""

import gzip
import json
import resource

import image_sets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def check(run, tmp_path):
    """check(table, ...): `schema check` of a table of images, against a schema of them."""

    def run_check(*tables, **schema):
        return run("schema", "check", image_sets.write_schema(tmp_path, **schema), *tables)

    return run_check


def assert_fits(result):
    assert (result.returncode, result.stderr) == (0, ""), (result.returncode, result.stderr)
    assert "The table fits images.json: 2 columns, 2 of them used." in result.stdout


def hugging_face(folder, array, labels=image_sets.LABELS, files=None):
    """A table of encoded images, as the library datasets writes it."""
    files = [image_sets.png(image) for image in array] if files is None else files
    struct_type = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    column = pa.array([{"bytes": file, "path": f"Quill-{i}.png"} for i, file in enumerate(files)], struct_type)
    pq.write_table(pa.table({"image": column, "label": pa.array(labels, pa.int64())}), folder / "hf.parquet")
    return "hf.parquet"


def every_format(folder):
    """Name of a test, and a function that writes the same set."""
    array = image_sets.images()

    def of_numpy(name, **arrays):
        np.savez(folder / name, **arrays)
        return name

    def npy():
        np.save(folder / "images.npy", array)
        np.save(folder / "labels.npy", np.array(image_sets.LABELS))
        return "images.npy"

    def listed():
        (folder / "flat").mkdir()
        lines = ["file,label"]
        for i, label in enumerate(image_sets.LABELS):
            (folder / "flat" / f"Quill-{i}.png").write_bytes(image_sets.png(array[i]))
            lines.append(f"Quill-{i}.png,{label}")
        (folder / "flat" / "labels.csv").write_text("\n".join(lines) + "\n")
        return "flat"

    def lists(values, name="lists.parquet"):
        pq.write_table(pa.table({"image": values, "label": image_sets.LABELS}), folder / name)
        return name

    flat = pa.array(array.reshape(len(array), -1).tolist(), pa.list_(pa.uint8(), 20))
    nested = pa.array(array.tolist(), pa.list_(pa.list_(pa.uint8(), 4), 5))
    any_length = pa.array(array.reshape(len(array), -1).tolist(), pa.list_(pa.uint8()))
    return {
        "idx": lambda: image_sets.write_idx(folder),
        "idx gzip": lambda: image_sets.write_idx(folder, compressed=True),
        "npz": lambda: of_numpy("set.npz", image=array, label=np.array(image_sets.LABELS)),
        "npy": npy,
        "png folders": lambda: image_sets.write_png_folder(folder),
        "png listed": listed,
        "fixed lists": lambda: lists(flat),
        "nested lists": lambda: lists(nested),
        "lists": lambda: lists(any_length),
        "hugging face": lambda: hugging_face(folder, array),
    }


FORMATS = [
    "idx",
    "idx gzip",
    "npz",
    "npy",
    "png folders",
    "png listed",
    "fixed lists",
    "nested lists",
    "lists",
    "hugging face",
]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read(check, tmp_path, name):
    assert_fits(check(every_format(tmp_path)[name]()))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("fixed lists", "lists")])
def test_schema_init_finds_shape_label_and_target(run, tmp_path, name):
    result = run("schema", "init", every_format(tmp_path)[name](), "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    draft = json.loads((tmp_path / "draft.json").read_text())
    assert draft["target"] == "label"
    image, label = sorted(draft["columns"], key=lambda column: column["name"])
    assert image == {"name": "image", "kind": "image", "shape": [5, 4, 1]}
    assert (label["kind"], label["categories"]) == ("categorical", "undeclared")
    assert "Quill" not in result.stdout + result.stderr


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("fixed lists", "lists")])
def test_schema_init_of_a_public_set_lists_the_labels(run, tmp_path, name):
    result = run("schema", "init", "--public", every_format(tmp_path)[name](), "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    label = next(c for c in json.loads((tmp_path / "draft.json").read_text())["columns"] if c["name"] == "label")
    assert label["categories"] == [0, 1, 2, 3]


@pytest.mark.parametrize("count", [6, (6, 1)])
@pytest.mark.parametrize("names", [("x_train", "y_train"), ("X", "y"), ("train_images", "train_labels")])
def test_schema_init_finds_the_label_of_usual_archives(run, tmp_path, assert_done, names, count):
    labels = np.array(image_sets.LABELS).reshape(count)
    np.savez(tmp_path / "a.npz", **dict(zip(names, [image_sets.images(), labels])))
    result = run("schema", "init", "--public", "a.npz", "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    draft = json.loads((tmp_path / "draft.json").read_text())
    assert draft["target"] == names[1]
    assert [c["categories"] for c in draft["columns"] if c["name"] == names[1]] == [[0, 1, 2, 3]]
    assert_done(run("schema", "check", "draft.json", "a.npz"))


def test_an_array_of_labels_with_a_second_size_of_one_is_read(check, tmp_path):
    np.save(tmp_path / "images.npy", image_sets.images())
    np.save(tmp_path / "labels.npy", np.array(image_sets.LABELS).reshape(6, 1))
    assert_fits(check("images.npy"))


def test_an_archive_of_several_sets_asks_for_one(run, tmp_path, assert_refused, assert_done):
    half = image_sets.images()[:3]
    labels = np.array(image_sets.LABELS)
    sets = {"x_train": image_sets.images(), "y_train": labels, "x_test": half, "y_test": labels[:3]}
    np.savez(tmp_path / "a.npz", **sets)
    result = run("schema", "init", "a.npz", "-o", "draft.json")
    assert_refused(result, "several sets", "'x_train', 'x_test'", "numpy.savez", '"others"', output="draft.json")
    columns = [
        {"name": "x_train", "kind": "image", "shape": [5, 4, 1]},
        {"name": "y_train", "kind": "categorical", "categories": [0, 1, 2, 3]},
    ]
    schema = {"mehler_schema": 1, "target": "y_train", "others": "ignored", "columns": columns}
    (tmp_path / "one.json").write_text(json.dumps(schema))
    assert_done(run("schema", "check", "one.json", "a.npz"))


@pytest.mark.parametrize(
    "values, words",
    [
        (pa.array([[7] * 20] * 3, pa.list_(pa.uint8())), "nothing says their shape"),
        (pa.array([[7] * 20] * 3, pa.list_(pa.uint8(), 20)), "nothing says their shape"),
        (pa.array([[7] * 20] * 3, pa.list_(pa.int64())), "those of uint8"),
        (pa.array([[7.5] * 20] * 3, pa.list_(pa.float32(), 20)), "those of uint8"),
        (pa.array([b"\xff\xd8\xff\xe0 Quill"] * 3), "PNG"),
        (pa.array([{"bytes": b"\xff\xd8\xff\xe0"}] * 3, pa.struct([("bytes", pa.binary())])), "PNG"),
        (pa.array([], pa.struct([("bytes", pa.binary())])), "PNG"),
    ],
)
def test_schema_init_says_what_a_column_of_images_lacks(run, tmp_path, values, words):
    pq.write_table(pa.table({"image": values}), tmp_path / "a.parquet")
    result = run("schema", "init", "a.parquet", "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    assert "column 'image' is drafted as ignored: " in result.stdout + result.stderr
    assert words in result.stdout + result.stderr
    assert "not supported" not in result.stdout + result.stderr
    assert "Quill" not in result.stdout + result.stderr


def test_lists_of_another_type_are_refused_where_images_are_declared(check, tmp_path, assert_refused):
    lists = pa.array([[7] * 20] * 6, pa.list_(pa.int64()))
    pq.write_table(pa.table({"image": lists, "label": image_sets.LABELS}), tmp_path / "a.parquet")
    assert_refused(check("a.parquet"), "'image'", "uint8", "PNG")


def test_a_draft_and_one_edit_are_a_schema(run, tmp_path, assert_done):
    folder = image_sets.write_png_folder(tmp_path)
    assert run("schema", "init", folder, "-o", "draft.json").returncode == 0
    draft = json.loads((tmp_path / "draft.json").read_text())
    next(column for column in draft["columns"] if column["name"] == "label")["categories"] = [0, 1, 2, 3]
    (tmp_path / "draft.json").write_text(json.dumps(draft))
    assert_done(run("schema", "check", "draft.json", folder))


def test_colour_images_are_read(check, tmp_path):
    folder = image_sets.write_png_folder(tmp_path, image_sets.images(channels=3))
    assert_fits(check(folder, shape=(5, 4, 3)))


def test_a_palette_is_read_as_its_colours(check, tmp_path):
    (tmp_path / "digits" / "0").mkdir(parents=True)
    pixels = np.zeros((5, 4), np.uint8)
    (tmp_path / "digits" / "0" / "a.png").write_bytes(image_sets.png(pixels, colour_type=3, palette=[9, 8, 7]))
    assert_fits(check("digits", shape=(5, 4, 3)))


def test_more_data_than_the_pixels_is_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path)
    long = image_sets.png(image_sets.images(rows=50)[0], size=(5, 4))
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(long)
    assert_refused(check(folder), "image 7", "more bytes", secrets=["Quill"])


def test_bytes_behind_the_end_of_an_image_are_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path)
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(image_sets.png(image_sets.images()[0]) + b"Quill")
    assert_refused(check(folder), "image 7", "more bytes", secrets=["Quill"])


def test_an_index_beyond_the_palette_is_refused(check, tmp_path, assert_refused):
    (tmp_path / "digits" / "0").mkdir(parents=True)
    for name, largest in [("a", 1), ("b", 2)]:
        pixels = np.zeros((5, 4), np.uint8)
        pixels[4, 3] = largest
        image = image_sets.png(pixels, colour_type=3, palette=[9, 8, 7, 6, 5, 4])
        (tmp_path / "digits" / "0" / f"{name}.png").write_bytes(image)
    assert_refused(check("digits", shape=(5, 4, 3)), "image 2", "damaged")


def test_one_pixel_is_an_image(check, tmp_path):
    assert_fits(check(image_sets.write_idx(tmp_path, image_sets.images(rows=1, columns=1)), shape=(1, 1, 1)))


def test_labels_given_behind_their_images_are_theirs(check, tmp_path):
    image_sets.write_idx(tmp_path)
    (tmp_path / "train-labels-idx1-ubyte").rename(tmp_path / "other-idx1-ubyte")
    assert_fits(check("train-images-idx3-ubyte", "other-idx1-ubyte"))


def test_a_folder_of_images_and_labels_is_their_set(check, tmp_path):
    (tmp_path / "set").mkdir()
    image_sets.write_idx(tmp_path / "set")
    assert_fits(check("set"))


@pytest.mark.parametrize(
    "name, kinds",
    [("idx", None), ("npz", None), ("nested lists", None), ("png folders", "guessed"), ("hugging face", "guessed")],
)
def test_a_draft_says_whether_its_shape_was_guessed_from_a_record(run, tmp_path, name, kinds):
    result = run("schema", "init", every_format(tmp_path)[name](), "-o", "draft.json")
    assert result.returncode == 0, result.stderr
    provenance = json.loads((tmp_path / "draft.json").read_text()).get("provenance")
    assert provenance == ("kinds-guessed-from-table" if kinds else None)


def test_a_grid_needs_images(run, model, tmp_path, assert_refused):
    result = run("sample", model.name, "--grid", "grid.png")
    assert_refused(result, "--grid", "no column of the kind image", output="grid.png")


def test_synth_refuses_a_grid_without_images_before_records_are_read(run, study, assert_refused):
    (study.folder / "study.csv").write_text("no table")
    given = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "-o", "out.csv"]
    assert_refused(run("synth", "study.csv", *given, "--grid", "grid.png"), "--grid", "no column of the kind image")


@pytest.mark.parametrize("output", ["digits/", "a.npz", "a.npy", "images-idx3-ubyte"])
def test_an_output_for_images_is_refused_for_a_table_without_before_the_budget_is_spent(
    run, study, assert_refused, output
):
    options = ["--schema", "study.schema.json", "--epsilon", "1", "--delta", "1e-6", "-o", output]
    assert_refused(run("synth", "study.csv", *options), "images", ".csv", output="digits.release")


def test_a_sample_needs_an_output(run, model, assert_refused):
    assert_refused(run("sample", model.name), "--output", "--grid")


@pytest.mark.parametrize(
    "command",
    [
        "plan images.json --rows 100 --delta 1e-6",
        "kernel mmd TABLE TABLE --schema images.json",
        "kernel length-scale TABLE --schema images.json --public",
    ],
)
def test_commands_without_a_use_for_images_say_so(run, tmp_path, assert_refused, command):
    image_sets.write_schema(tmp_path)
    name = image_sets.write_idx(tmp_path)
    assert_refused(run(*command.replace("TABLE", name).split()), "'image'", "ignored")


def test_other_columns_of_an_image_set_are_used_without_the_images(run, tmp_path, assert_done):
    name = image_sets.write_idx(tmp_path, image_sets.images(300), labels=[0, 1, 2] * 100)
    schema = json.loads((tmp_path / image_sets.write_schema(tmp_path)).read_text())
    schema["columns"][0]["kind"] = "ignored"
    (tmp_path / "labels.json").write_text(json.dumps(schema))
    options = ["--schema", "labels.json", "--epsilon", "9", "--delta", "1e-6", "-o", "labels.csv", "--quiet"]
    assert_done(run("synth", name, *options))
    assert (tmp_path / "labels.csv").read_text().startswith("label\n")


def test_an_image_set_is_refused_by_a_method_without_images_before_it_is_read(run, tmp_path, assert_refused):
    schema = image_sets.write_schema(tmp_path)
    result = run(
        "release",
        "nowhere-idx3-ubyte",
        "--schema",
        schema,
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--method",
        "independent",
        "-o",
        "a.release",
    )
    assert_refused(result, "method independent", "'image'", "ignored")


def test_a_wrong_magic_number_is_refused(check, tmp_path, assert_refused):
    name = image_sets.write_idx(tmp_path)
    (tmp_path / name).write_bytes(image_sets.idx(image_sets.images(), magic=0x12345678))
    assert_refused(check(name), name, "does not begin as IDX files do", "0x00000803", secrets=["12345678"])


def test_a_table_with_the_name_of_an_image_set_is_refused_without_its_first_bytes(check, tmp_path, assert_refused):
    (tmp_path / "people-ubyte").write_bytes(b"Quill,37\n")
    secrets = ["Quill", b"Quil".hex(), str(int.from_bytes(b"Quil", "big"))]
    assert_refused(check("people-ubyte"), "does not begin as IDX files do", "name its format", secrets=secrets)


def test_a_truncated_gzip_is_refused(check, tmp_path, assert_refused):
    name = image_sets.write_idx(tmp_path, compressed=True)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    assert_refused(check(name), name, "end too early")


def test_a_truncated_file_is_refused(check, tmp_path, assert_refused):
    name = image_sets.write_idx(tmp_path)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-1])
    assert_refused(check(name), name, "ends before", "'image'")


def test_bytes_behind_the_last_image_are_refused(check, tmp_path, assert_refused):
    name = image_sets.write_idx(tmp_path)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"x")
    assert_refused(check(name), name, "more bytes")


def test_images_of_different_sizes_are_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path)
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(image_sets.png(image_sets.images(rows=6)[0]))
    assert_refused(check(folder), "image 7", "another size", "5 x 4", secrets=["Quill", "6 x 4"])


def test_sixteen_bits_are_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path)
    deep = image_sets.png(np.zeros((5, 4), np.uint16), bits=16)
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(deep)
    assert_refused(check(folder), "image 7", "16 bits", secrets=["Quill"])


@pytest.mark.parametrize("colour_type, channels", [(4, 2), (6, 4)])
def test_transparency_is_refused(check, tmp_path, assert_refused, colour_type, channels):
    folder = image_sets.write_png_folder(tmp_path)
    clear = image_sets.png(np.zeros((5, 4, channels), np.uint8), colour_type=colour_type)
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(clear)
    assert_refused(check(folder), "image 7", "transparency", secrets=["Quill"])


def test_a_transparent_colour_is_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path)
    clear = image_sets.png(np.zeros((5, 4), np.uint8), transparent=b"\x00\x00")
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(clear)
    assert_refused(check(folder), "image 7", "transparent colour", secrets=["Quill"])


def test_missing_labels_are_refused(check, tmp_path, assert_refused):
    assert_refused(check(image_sets.write_idx(tmp_path, labels=None)), "lacks the column 'label'")


def test_fewer_labels_than_images_are_refused(check, tmp_path, assert_refused):
    assert_refused(check(image_sets.write_idx(tmp_path, labels=[0, 1])), "'label'", "'image'", "more or fewer")


def test_an_image_without_a_line_in_the_table_is_refused(check, tmp_path, assert_refused):
    name = every_format(tmp_path)["png listed"]()
    (tmp_path / name / "Quill-99.png").write_bytes(image_sets.png(image_sets.images()[0]))
    assert_refused(check(name), "labels.csv", "does not list", "number 7", secrets=["Quill"])


def test_a_line_of_the_table_without_an_image_is_refused(check, tmp_path, assert_refused):
    name = every_format(tmp_path)["png listed"]()
    (tmp_path / name / "Quill-2.png").unlink()
    assert_refused(check(name), "labels.csv", "record 3", "not in the folder", secrets=["Quill"])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("header, folder", [("file label", ""), ("File Label", "./"), ("LABEL FILE", "./")])
def test_the_table_of_a_folder_is_read_as_programs_write_it(check, run, tmp_path, delimiter, header, folder):
    name = every_format(tmp_path)["png listed"]()
    table = tmp_path / name / "labels.csv"
    lines = [line.split(",") for line in table.read_text().splitlines()[1:]]
    rows = [[folder + file, label] for file, label in lines]
    rows = [header.split()] + (rows if header.lower().startswith("file") else [row[::-1] for row in rows])
    table.write_text("\ufeff" + "\n".join(delimiter.join(row) for row in rows) + "\n", encoding="utf-8")
    assert_fits(check(name))
    assert run("schema", "init", name, "-o", "draft.json").returncode == 0
    assert json.loads((tmp_path / "draft.json").read_text())["target"] == "label"


@pytest.mark.parametrize(
    "text, words",
    [
        (b"Quill-0.png,3\nQuill-1.png,0\n", "no column 'file'"),
        (b"name|label\nQuill-0.png|3\n", "no column 'file'"),
        (b"file,klass\nQuill-0.png,3\n", "'klass'"),
        (b"file,label,label\nQuill-0.png,3,3\n", "twice"),
        (b"file,label\nQuill-0.png,\xe9\n", "UTF-8"),
        (b"file,l\xe9bel\nQuill-0.png,3\n", "UTF-8"),
        ("file,label\nQuill-0.png,3\n".encode("utf-16"), "UTF-16"),
        (b"", "is empty"),
    ],
)
def test_a_bad_table_of_a_folder_is_refused_without_options_that_do_not_apply(
    check, tmp_path, assert_refused, text, words
):
    name = every_format(tmp_path)["png listed"]()
    (tmp_path / name / "labels.csv").write_bytes(text)
    result = check(name)
    assert_refused(result, "labels.csv", words, secrets=["Quill"])
    assert "option" not in result.stderr and "dialect" not in result.stderr


def test_labels_out_of_the_declared_set_are_refused(check, tmp_path, assert_refused):
    result = check(image_sets.write_idx(tmp_path), categories=(0, 1, 2))
    assert_refused(result, "'label'", "not among its categories")


def test_a_set_without_images_is_refused(check, tmp_path, assert_refused):
    assert_refused(check(image_sets.write_idx(tmp_path, image_sets.images(0), labels=[])), "0", "no records")


def test_a_folder_without_images_is_refused(check, tmp_path, assert_refused):
    (tmp_path / "empty").mkdir()
    assert_refused(check("empty"), "'empty'", "PNG")


def test_colour_where_grey_is_declared_is_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path, image_sets.images(channels=3))
    assert_refused(check(folder), "image 1", "colour", "grey")


def test_colour_arrays_where_grey_is_declared_are_refused(check, tmp_path, assert_refused):
    np.save(tmp_path / "images.npy", image_sets.images(channels=3))
    np.save(tmp_path / "labels.npy", np.array(image_sets.LABELS))
    assert_refused(check("images.npy"), "'image'", "colour", "grey")


@pytest.mark.parametrize("stray", ["Quill.txt", "3/Quill.txt", "Quill.png", "3/Quill/a.png"])
def test_a_stray_file_is_refused(check, tmp_path, assert_refused, stray):
    folder = image_sets.write_png_folder(tmp_path)
    path = tmp_path / folder / stray
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"not an image")
    assert_refused(check(folder), "'digits'", secrets=["Quill"])


def test_a_file_that_only_ends_like_an_image_is_refused(check, tmp_path, assert_refused):
    folder = image_sets.write_png_folder(tmp_path)
    (tmp_path / folder / "3" / "Quill-9.png").write_bytes(b"\xff\xd8\xff\xe0 a JPEG")
    assert_refused(check(folder), "image 7", "no PNG image", secrets=["Quill"])


def test_a_huge_header_is_refused_without_memory_for_it(run, tmp_path, assert_refused):
    """Under a limit of address space that an allocation for it would exceed."""
    schema = image_sets.write_schema(tmp_path, categories=None)
    (tmp_path / "huge-images-idx3-ubyte").write_bytes(image_sets.idx(np.zeros(9, np.uint8), shape=(6, 50000, 50000)))
    (tmp_path / "many-images-idx3-ubyte").write_bytes(image_sets.idx(np.zeros(9, np.uint8), shape=(2**32 - 1, 5, 4)))
    (tmp_path / "flat").mkdir()
    huge = image_sets.png(np.zeros((2, 2), np.uint8), size=(50000, 50000))
    (tmp_path / "flat" / "a.png").write_bytes(huge)
    np.save(tmp_path / "small.npy", np.zeros((1, 2, 2), np.uint8))
    text = (tmp_path / "small.npy").read_bytes()
    (tmp_path / "images.npy").write_bytes(text.replace(b"(1, 2, 2), }" + b" " * 8, b"(1, 50000, 50000), }"))
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, limits[1]))
    try:
        for table, words in [
            ("huge-images-idx3-ubyte", "50000 x 50000"),
            ("flat", "more than 64"),
            ("images.npy", "50000 x 50000"),
            ("many-images-idx3-ubyte", "ends before"),
        ]:
            assert_refused(run("schema", "check", schema, table), words)
            refused = run("schema", "init", table, "-o", "draft.json")
            assert (refused.returncode == 2) == (words != "ends before")
            (tmp_path / "draft.json").unlink(missing_ok=True)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_a_header_of_another_shape_than_declared_is_refused(check, tmp_path, assert_refused):
    assert_refused(check(image_sets.write_idx(tmp_path), shape=(4, 5, 1)), "5 x 4", "4 x 5", "'image'")


def test_sides_of_zero_are_not_to_be_scaled_down(check, tmp_path, assert_refused):
    np.savez(tmp_path / "a.npz", image=np.zeros((6, 0, 4), np.uint8), label=np.array(image_sets.LABELS))
    result = check("a.npz")
    assert_refused(result, "0 x 4", "1 to 64")
    assert "scale" not in result.stderr


def test_one_image_is_no_set(check, tmp_path, assert_refused):
    (tmp_path / "a.png").write_bytes(image_sets.png(image_sets.images()[0]))
    assert_refused(check("a.png"), "'a.png'", "single PNG image", "folder")


def test_an_archive_through_a_pipe_is_told_to_be_a_file(run, tmp_path, assert_refused):
    np.savez(tmp_path / "a.npz", image=image_sets.images(), label=np.array(image_sets.LABELS))
    schema = image_sets.write_schema(tmp_path)
    result = run("schema", "check", schema, "-", stdin=(tmp_path / "a.npz").read_bytes())
    assert_refused(result, ".npz", "file")


def test_one_column_is_not_several(check, tmp_path):
    np.save(tmp_path / "images.npy", image_sets.images())
    result = check("images.npy", categories=None)
    assert result.returncode == 0, result.stderr
    assert "fits images.json: 1 column, 1 of them used." in result.stdout


def test_arrays_that_are_not_of_bytes_are_refused(check, tmp_path, assert_refused):
    np.savez(tmp_path / "a.npz", image=image_sets.images() / 255.0, label=np.array(image_sets.LABELS))
    assert_refused(check("a.npz"), "'image'", "uint8")


def test_arrays_with_the_channels_first_are_refused(check, tmp_path, assert_refused):
    np.savez(tmp_path / "a.npz", image=np.zeros((6, 3, 5, 4), np.uint8), label=np.array(image_sets.LABELS))
    assert_refused(check("a.npz"), "channels", "behind rows and columns")


def test_a_damaged_archive_is_refused(check, tmp_path, assert_refused):
    np.savez(tmp_path / "a.npz", image=image_sets.images(), label=np.array(image_sets.LABELS))
    whole = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(whole[:-30])
    assert_refused(check("a.npz"), "'a.npz'", ".npz")


def test_encoded_images_are_refused_by_record(check, tmp_path, assert_refused):
    array = image_sets.images()
    files = [image_sets.png(image) for image in array]
    files[4] = files[4][:40]
    assert_refused(
        check(hugging_face(tmp_path, array, files=files)), "column 'image', record 5", "damaged", secrets=["Quill"]
    )


def test_encoded_images_are_refused_where_one_is_missing(check, tmp_path, assert_refused):
    array = image_sets.images()
    files = [image_sets.png(image) for image in array[:-1]] + [None]
    assert_refused(check(hugging_face(tmp_path, array, files=files)), "'image'", "lacks an image")


def test_the_gzip_of_another_program_is_whole(check, tmp_path):
    """Several members, as some programs write them."""
    name = image_sets.write_idx(tmp_path, compressed=True)
    text = gzip.decompress((tmp_path / name).read_bytes())
    (tmp_path / name).write_bytes(gzip.compress(text[:10]) + gzip.compress(text[10:]))
    assert_fits(check(name))
