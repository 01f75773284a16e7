"""What `lockcast schema` prints, held against the files there are and against `lockcast check`.

usage: schema.py PROGRAM SOURCE_FOLDER EMPTY_FOLDER

Every shipped file must pass its schema. Then single faults are put into good files: a key is left out, a key is
misspelt, a unit is lost, a word is no word of its choice. The schema must refuse no file that the reader takes, and
must find every fault that concerns one value. Exit codes: 0 ok, 1 not so, 4 this host has no jsonschema or no yaml.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error}; Debian: python3-jsonschema python3-yaml")
    sys.exit(4)


class Core(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML 1.2: on and off are words, dates are text."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("bool", r"true|false", "tf"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-+0123456789"),
    ("null", r"~|null|", ["~", "n", ""]),
]:
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


def as_json(value):
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list) else value


program, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
kinds = {"machine": "machine", "workload": "workload", "include": "workload", "scenario": "scenario",
         "calibration": "study", "study": "study", "fitted": "fitted"}
validators = {}
for kind in set(kinds.values()):
    schema = json.loads(subprocess.run([program, "schema", kind], check=True, capture_output=True).stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    validators[kind] = jsonschema.Draft7Validator(schema)
faults = 0


def fail(text):
    global faults
    faults += 1
    print(text)


def refused(document):
    """The first thing the schema has against it, or nothing."""
    found = validators[kinds[document["schema"].split("/")[1]]].iter_errors(document)
    for error in found:
        return f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
    return None


shipped = sorted([*source.glob("machines/*.yaml"), *source.glob("scenarios/**/*.yaml")])
for path in shipped:
    error = refused(as_json(yaml.load(path.read_text(), Core)))
    if error:
        fail(f"{path}: the schema refuses a shipped file: {error}")


# --- Faults ---

def places(value, path=()):
    """Every map key and every scalar: (path to the parent, key)."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield path, key
        yield from places(item, path + (key,))


def parent(document, path):
    for key in path:
        document = document[key]
    return document


def mutations(document):
    """(what was done, whether one value tells, the document)"""
    for path, key in list(places(document)):
        value = parent(document, path)[key]
        if "reference" in parent(document, path) and path[0] not in ("cpu", "constants"):
            continue  # parameters are alike
        free_names = path and (path[-1] in {"lines", "locks", "constants", "procedures", "variants", "scales"}
                               or "fields" in path and "lines" in path)
        if isinstance(key, str) and not free_names and (path, key) != ((), "schema"):
            left_out, misspelt = copy.deepcopy(document), copy.deepcopy(document)
            del parent(left_out, path)[key]
            yield f"{path} without {key}", None, left_out
            there = parent(misspelt, path)
            there[key + "x"] = there.pop(key)
            yield f"{path} with {key}x", True, misspelt
        if isinstance(value, str) and re.fullmatch(r"[0-9.]+ [a-zA-Z]+", value):
            changed = copy.deepcopy(document)
            parent(changed, path)[key] = float(value.split()[0])
            yield f"{path} {key} without a unit", True, changed
            changed = copy.deepcopy(document)
            parent(changed, path)[key] = value.split()[0] + " parsecs"
            yield f"{path} {key} in parsecs", True, changed
        if value in ("on", "off", "shared", "write", "exponential", "directory"):
            changed = copy.deepcopy(document)
            parent(changed, path)[key] = "perhaps"
            yield f"{path} {key} perhaps", True, changed


scenario = as_json(yaml.load("""
schema: lockcast/scenario/1
name: good
question: "does it?"
machine: textbook-32
constants:
  think: {value: 40 us, interval: [20 us, 80 us], range: [1 us, 1 ms], origin: assumed, reference: "an example"}
lines:
  rows: {count: 8, stride: 64 B, fields: [first: 0 B]}
locks:
  row: {kind: lwlock-9.1, count: 2}
procedures:
  look:
    - touch: {lines: rows, pick: uniform, access: write, field: {offset: 0 B, bytes: 8 B}}
    - scan: {lines: rows, fields: [{offset: 0 B, bytes: 4 B}], access: read, work_per_entry: 2 ns}
transaction:
  - work: {mean: $think, spread: exponential}
  - acquire: {lock: row, pick: uniform, mode: shared}
  - repeat: {times: 2, do: [call: look]}
  - choose: {probability: 0.5, do: [work: 2 us], else: [work: 1 us]}
  - release: row
variants:
  plain: {}
  more: {locks: {row: {count: 4}}}
clients: [1, 4]
rig:
  source: "nobody"
  scheduling: time-share
  connections: 4
""", Core))
# Whether these are needed is told by another key (hops, home).
depending = ("packages_per_group", "third_leg")
mutated = []
for name, document in (("machine", as_json(yaml.load((source / "machines/textbook-32.yaml").read_text(), Core))),
                       ("scenario", scenario)):
    cases = [("nothing", False, document), *mutations(document)]
    for number, (what, single, changed) in enumerate(cases):
        path = folder / f"{name}-{number:04}.yaml"
        path.write_text(json.dumps(changed))
        mutated.append((path, what, single, changed))
check = subprocess.run([program, "check", str(folder)], cwd=source, capture_output=True, text=True)
taken = set(re.findall(r"^ok: (\S+)", check.stdout, re.MULTILINE))
for path, what, single, changed in mutated:
    error, reader_takes = refused(changed), str(path) in taken
    if error and reader_takes:
        fail(f"{path.name}, {what}: the schema refuses what the reader takes: {error}")
    said = re.search(rf"{re.escape(str(path))}:.*", check.stderr)
    must_find = single or (said and "missing key" in said.group() and not what.endswith(depending))
    if must_find and not error:
        fail(f"{path.name}, {what}: the schema finds nothing; the reader says {said and said.group()}")
    if single is False and not reader_takes:
        fail(f"{path.name}: the reader refuses the good file: {said and said.group()}")

print(f"{len(shipped)} shipped files, {len(mutated)} with a fault, {len(mutated) - len(taken)} of them refused by the "
      f"reader, {faults} disagreements")
sys.exit(1 if faults or len(shipped) < 20 or len(mutated) < 150 else 0)
