#!/usr/bin/env python3
"""Checks JSON files and JSON Lines files of Equipoise against its JSON schemas.

check_schemas.py SCHEMAS FILE...
SCHEMAS is the folder of the schemas. The member `schema` of a document says which one it has: that of
a file NAME.json there, or a definition in outputs.json. Prints a line for each thing that does not
hold; exit 1 if there is one.
"""
import json
import pathlib
import re
import sys

import jsonschema


class Schemas:
    """The schemas of a folder."""

    def __init__(self, folder):
        self.documents = {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}
        for document in self.documents.values():
            jsonschema.Draft202012Validator.check_schema(document)
        self.validators = {}

    def validator(self, name, definition=None):
        """The validator of a schema, or of one of its definitions."""
        key = (name, definition)
        if key not in self.validators:
            schema = self.documents[name]
            if definition is not None:
                schema = {"$ref": "#/$defs/" + definition, "$defs": schema["$defs"]}
            self.validators[key] = jsonschema.Draft202012Validator(schema)
        return self.validators[key]

    def of_document(self, document):
        """The validator of a whole file or of what a command printed."""
        name = name_of(document)
        if name in self.documents:
            return self.validator(name)
        return self.validator("outputs", name)

    def of_line(self, kind, line, number):
        """The validator of a line of a trace, of a run file or of a sweep's points."""
        if number == 1:
            return self.validator(kind, "header")
        if kind == "trace":
            return self.validator(kind, "sample")
        if kind == "points":
            return self.validator(kind, "point" if "policy" in line else "search")
        for member, definition in (("summary", "summary"), ("first_item", "block"),
                                   ("decision", "decision"), ("event", "event")):
            if member in line:
                return self.validator(kind, definition)
        return self.validator(kind, "reading")


def name_of(document):
    """"trace" of {"schema": "equipoise.trace/1"}."""
    return re.match(r"equipoise\.([a-z-]+)/", document["schema"]).group(1)


def complaints(schemas, path):
    """What does not hold in a file: pairs of a place and a reason."""
    text = path.read_text()
    if path.suffix != ".jsonl":
        document = json.loads(text)
        for error in schemas.of_document(document).iter_errors(document):
            yield error.json_path, error.message
        return
    lines = [json.loads(line) for line in text.splitlines()]
    kind = name_of(lines[0])
    for number, line in enumerate(lines, 1):
        for error in schemas.of_line(kind, line, number).iter_errors(line):
            yield f"{number}: {error.json_path}", error.message


def main():
    schemas = Schemas(pathlib.Path(sys.argv[1]))
    failed = False
    for argument in sys.argv[2:]:
        path = pathlib.Path(argument)
        for place, reason in complaints(schemas, path):
            failed = True
            print(f"{path}:{place}: {reason[:600]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
