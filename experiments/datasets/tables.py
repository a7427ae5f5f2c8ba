"""The datasets as they are documented: each function reads raw files into training and test rows, still as texts."""

import pyarrow as pa
import pyarrow.compute as pc

from datasets.raw import split, strings

# The task's own list of attacks (training_attack_types); everything else is "normal".
ATTACKS = {
    "dos": "back land neptune pod smurf teardrop",
    "probe": "ipsweep nmap portsweep satan",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
    "u2r": "buffer_overflow loadmodule perl rootkit",
}
VOWELS = ["1", "5", "9", "15", "21"]  # A E I O U as numbers of the alphabet


def column_names(schema):
    return [column["name"] for column in schema["columns"]]


def replace(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


def without_dot(table, name):
    """Labels of UCI test files end in a dot."""
    return replace(table, name, pc.utf8_rtrim(table[name], "."))


def fifth(table):
    return split(table, table.num_rows // 5)


def adult(files, schema):
    train, test = (
        without_dot(strings(path, column_names(schema), skip), "income") for path, skip in zip(files, (0, 1))
    )
    return train, test


def census(files, schema):
    raw_names = column_names(schema)
    raw_names.insert(24, "instance weight")
    train = strings(files[0]) if files[0].name.endswith((".csv.gz", ".csv")) else strings(files[0], raw_names)
    if "label" in train.column_names:
        train = train.rename_columns([{"label": "income"}.get(name, name) for name in train.column_names])
    return without_dot(train, "income"), without_dot(strings(files[1], raw_names), "income")


def covtype(files, schema):
    return fifth(strings(files[0], column_names(schema)))


def epileptic(files, schema):
    table = strings(files[0])
    seizure = pc.cast(pc.equal(table["y"], "1"), pa.int8())
    return fifth(table.append_column("seizure", pc.cast(seizure, pa.string())))


def intrusion(files, schema):
    names = column_names(schema)
    names.insert(names.index("is_host_login"), "num_outbound_cmds")  # zero in every record: the paper leaves it out
    table = without_dot(strings(files[0], names), "class")
    classes = {attack: name for name, attacks in ATTACKS.items() for attack in attacks.split()}
    labels = [classes.get(label, label) for label in table["class"].to_pylist()]
    return split(replace(table, "class", pa.array(labels)), 100000)


def isolet(files, schema):
    parts = []
    for path in files:
        part = strings(path, column_names(schema))
        vowel = pc.is_in(pc.utf8_rtrim(part["vowel"], "."), pa.array(VOWELS))
        parts.append(replace(part, "vowel", pc.cast(pc.cast(vowel, pa.int8()), pa.string())))
    return tuple(parts)


def acs_ma(files, schema):
    return fifth(strings(files[0], null=("N",)))


def plain(files, schema):
    """A file with a header, of which a fifth is held out."""
    return fifth(strings(files[0]))
