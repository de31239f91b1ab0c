"""tools/validation/run says how often intervals held what was measured, and makes the cases that a folder lacks.

    validation_run_test.py SOURCES

Results are made up, so that all figures can be worked out by hand; a script stands in for the program.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1])
PROGRAM = """#!{python} -IS
import json, pathlib, sys
words = sys.argv[1:]
of = lambda name: words[words.index(name) + 1]
folder = pathlib.Path({folder!r})
with open(folder / "calls", "a") as calls:
    calls.write(json.dumps(words) + "\\n")
if words[0] == "run":
    print(json.dumps({{"makespan_s": 0.2}}))
    sys.exit()
if words[0] == "compare":
    assert of("--seed") == "7" and of("--workload") == "matmul:n=9", words
    print(json.dumps({{"results": [{{"policy": "p", "makespan_s": {{"mean": 1.5, "interval95": [0.9, 2.1]}}}}]}}))
    sys.exit()
if (folder / "fails").exists():
    sys.exit("no such kernel")
with open(of("--validations"), "a") as file:
    file.write("found\\n")
pathlib.Path(of("--out")).mkdir()
(pathlib.Path(of("--out")) / "validation.json").write_text({result!r})
(pathlib.Path(of("--out")) / "results.json").write_text({runs!r})
"""


def result(held, interval=(0.9, 1.1), sd=0.05, error=0.02):
    """Five measured runs around 1 s, of which `held` lie in the interval that was predicted."""
    return {"policy": "p", "measured_s": {"mean": 1.0, "sd": sd}, "relative_error": error,
            "interval95_s": list(interval) if interval else None, "measured_makespans_s": [1.0] * 5,
            "runs_in_interval": held if interval else None}


def runs(recorded_busy):
    """A measured run, which knows of no recording, and a predicted one, which says how busy others were in its own."""
    return json.dumps({"results": [{"recorded_busy": None}, {"recorded_busy": recorded_busy}],
                       "experiment": {"workloads": ["matmul:n=9"], "policies": ["p"], "baseline": "p", "reps": 5,
                                      "seed": 7, "decision_cost": "measured"}})


class ValidationRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, case, policies, recorded_busy=0.01):
        path = self.folder / case
        path.mkdir(parents=True)
        (path / "validation.json").write_text(json.dumps({"policies": policies}))
        (path / "results.json").write_text(runs(recorded_busy))

    def call(self, *options, **environment):
        done = subprocess.run([sys.executable, SOURCES / "tools/validation/run", self.folder, *options],
                              capture_output=True, text=True, env={**os.environ, **environment})
        return done.returncode, done.stdout, done.stderr

    def with_program(self, *options):
        program = self.folder / "equipoise"
        text = PROGRAM.format(python=sys.executable, folder=str(self.folder),
                              result=json.dumps({"policies": [result(5)]}), runs=runs(0.01))
        program.write_text(text)
        program.chmod(0o755)
        return self.call(*options, EQUIPOISE=str(program))

    def calls(self):
        lines = (self.folder / "calls").read_text().splitlines()
        return [words for words in map(json.loads, lines) if words[0] == "validate"]

    def test_the_share_of_runs_inside_and_its_error_over_cases(self):
        # 5, 5, 4 and 2 of 5: 16 of 20 runs. Shares 1, 1, 0.8 and 0.4: standard deviation 0.2828, half of it is 14.1 %.
        # The intervals are 0.2 s wide; 3.92 standard deviations are 0.196 s, and 0.392 s of the last.
        # Errors of 2, -2, 2 and -8 %: 2 % in the median, 0 signed; in standard errors of the mean, which are
        # 0.05 / 5 ** 0.5 s, twice that for the last: 0.89 in the median.
        self.write("test-matmul-35ms-quiet", [result(5), result(5, error=-0.02), result(4),
                                              result(2, sd=0.1, error=-0.08)])
        code, said, complaint = self.call("--part", "table")
        self.assertEqual(code, 0, complaint)
        row = "| 4 | 20 | 0 | 80.0 % ± 14.1 % | 1.02 | +0.0 % | 2.0 % | 0.89 | 8.0 % |"
        for name in ("undisturbed", "all but emulated", "matmul", "35 ms"):
            self.assertIn(f"| {name} {row}", said)

    def test_a_busy_machine_is_not_undisturbed(self):
        self.write("test-matmul-35ms-quiet", [result(5)], recorded_busy=0.049)
        self.write("test-nbody-70ms-quiet", [result(0)], recorded_busy=0.05)
        _, said, _ = self.call("--part", "table")
        self.assertIn("| undisturbed | 1 | 5 | 0 | 100.0 % ± - |", said)
        self.assertIn("| other programs, not ours | 1 | 5 | 0 | 0.0 % ± - |", said)
        self.assertNotIn("| a program at work |", said)

    def test_emulated_accelerators_have_a_row_of_their_own(self):
        self.write("test-matmul-200ms-emulated", [result(3)])
        self.write("test-nbody-70ms-quiet", [result(5)])
        _, said, _ = self.call("--part", "table")
        self.assertIn("| emulated accelerator | 1 | 5 | 0 | 60.0 % ± - |", said)
        self.assertIn("| all but emulated | 1 | 5 | 0 | 100.0 % ± - |", said)
        self.assertNotIn("| matmul |", said)

    def test_cases_without_an_interval_are_counted_apart(self):
        self.write("test-matmul-35ms-quiet", [result(4), result(0, interval=None, error=0.1)])
        _, said, _ = self.call("--part", "table")
        self.assertIn("| undisturbed | 2 | 5 | 1 | 80.0 % ± - | 1.02 | +6.0 % | 6.0 % |", said)

    def test_it_writes_between_the_marks_of_a_page(self):
        self.write("test-matmul-35ms-quiet", [result(4)])
        page = self.folder / "page.md"
        page.write_text("before\n<!-- intervals: begin -->\nold\n<!-- intervals: end -->\nafter\n")
        self.assertEqual(self.call("--part", "table", "--into", page)[0], 0)
        text = page.read_text()
        self.assertTrue(text.startswith("before\n<!-- intervals: begin -->\n\nA case is"))
        self.assertTrue(text.endswith("|\n\n<!-- intervals: end -->\nafter\n"))
        page.write_text("no marks\n")
        self.assertIn("intervals: begin", self.call("--part", "table", "--into", page)[2])

    def test_the_test_has_200_cases_half_of_them_undisturbed_and_learns_from_none_of_them(self):
        code, said, complaint = self.with_program()
        self.assertEqual(code, 0, complaint)
        calls = self.calls()
        self.assertEqual(len(calls), 40 + 10 + 50 + 10)
        learn, test = calls[:50], calls[50:]
        files = {words[words.index("--validations") + 1] for words in learn}
        self.assertEqual(files, {str(self.folder / "validations.json")})
        self.assertNotIn(str(self.folder / "validations.json"), sum(test, []))
        self.assertEqual((self.folder / "validations.json").read_text(), "found\n" * 50)
        self.assertEqual((self.folder / "learned-for-test.json").read_text(), "found\n" * 51)
        policies = {words[words.index("--policy") + 1] for words in test[:50]}
        self.assertEqual(policies, {"greedy,plb-hac,hdss,equipoise"})
        self.assertEqual(sum("--scenario" in words for words in test), 12)
        self.assertEqual(len(list(self.folder.glob("test-*-quiet"))), 25)
        self.assertEqual(len(list(self.folder.glob("test-*-program"))), 13)
        seeds = [words[words.index("--seed") + 1] for words in learn[:40] + test[:50]]
        self.assertEqual(len(set(seeds)), 90)
        self.assertIn("test: 60 of 60", complaint)
        self.assertIn("| all but emulated | 50 |", said)
        # 64 rows take 0.2 s here, so 1.5 s take 64 * 7.5 ** (1/3) = 125.3, and 2 s 64 * 10 ** (1/3) = 137.9 rows.
        workloads = [words[words.index("--workload") + 1] for words in calls]
        self.assertIn("matmul:n=130", workloads)  # two digits
        self.assertIn("matmul:n=140", workloads)
        self.assertIn("blackscholes:options=100000", workloads)  # 10,000 in 0.2 s: 2 s

    def test_it_predicts_again_what_was_measured(self):
        self.write("test-matmul-35ms-quiet", [result(0, interval=(0.1, 0.2))])
        code, said, complaint = self.with_program("--part", "predict")
        self.assertEqual(code, 0, complaint)
        # 1.2 s wide, and 3.92 standard deviations are 0.196 s; 0.5 s off, and the standard error is 0.0224 s.
        self.assertIn("| undisturbed | 1 | 5 | 0 | 100.0 % ± - | 6.12 | +50.0 % | 50.0 % | 22.36 | 50.0 % |", said)

    def test_a_stopped_campaign_goes_on(self):
        self.assertIn("give the same command again", self.with_program("--part", "test", "--minutes", "0")[2])
        self.write("test-matmul-35ms-quiet", [result(5)])
        (self.folder / "unfinished").mkdir()
        self.with_program("--part", "test")
        self.assertEqual(len(self.calls()), 59)

    def test_it_says_what_is_missing(self):
        self.assertIn("has no results of the test", self.call("--part", "table")[2])
        (self.folder / "fails").touch()
        code, _, complaint = self.with_program()
        self.assertEqual(code, 1)
        self.assertIn("no such kernel", complaint)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
