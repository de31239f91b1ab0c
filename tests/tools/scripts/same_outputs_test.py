"""tools/same-outputs finds what two programs write differently, and nothing where they are the same.

    same_outputs_test.py PROGRAM SOURCES
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])


class SameOutputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program_through(self, name, filter_of_output):
        """A program that prints what ours prints, through a filter."""
        path = self.folder / name
        path.write_text(f'#!/bin/bash\nset -o pipefail\n"{PROGRAM}" "$@" | {filter_of_output}\n')
        path.chmod(0o755)
        return path

    def compared(self, new, only, *options):
        """The exit code for our program and `new`, and what was printed."""
        done = subprocess.run([SOURCES / "tools/same-outputs", PROGRAM, new, "--only", only, *options],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_finds_nothing_where_a_program_is_compared_with_itself(self):
        code, said = self.compared(PROGRAM, "^(experience-1|run-paced|explain-word)$")
        self.assertEqual(code, 0, said)
        self.assertIn("identical", said)
        self.assertIn("commands that do not end with 0: none", said)

    def test_names_the_member_that_has_another_value(self):
        other = self.program_through("other", r"sed 's/\"name\":\"matmul\"/\"name\":\"matmull\"/'")
        code, said = self.compared(other, "^list-kernels-json$")
        self.assertEqual(code, 1, said)
        self.assertIn("other values: virtual/printed/list-kernels-json.out: [].kernels[].name:", said)

    def test_tells_another_spelling_from_another_value(self):
        other = self.program_through("other", "sed 's/:/: /'")
        code, said = self.compared(other, "^list-kernels-json$")
        self.assertEqual(code, 1, said)
        self.assertIn("same values: virtual/printed/list-kernels-json.out", said)

    def test_accepts_what_is_expected(self):
        other = self.program_through("other", "sed 's/first unit/last unit/'")
        expected = self.folder / "expected"
        expected.write_text("explain-word.out: line .*last unit # a test\n")
        code, said = self.compared(other, "^explain-word$", "--expected", expected)
        self.assertEqual(code, 0, said)
        self.assertIn("(expected: a test)", said)

    def test_sees_another_exit_code(self):
        code, said = self.compared(self.program_through("other", "(cat; false)"), "^explain-word$")
        self.assertEqual(code, 1, said)
        self.assertIn("virtual/printed/explain-word.exit", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
