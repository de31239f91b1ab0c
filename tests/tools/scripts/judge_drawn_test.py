"""tools/campaigns/judge-drawn says how the reference did on drawn machines: means, worst cases, and who was faster.

    judge_drawn_test.py SOURCES

The results are made up, so that all figures can be worked out by hand.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(sys.argv[1])


class JudgeDrawn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write_summary(self, groups):
        """Results of ours and gss in four runs on two units: 1.0, 1.21, 1.1 and 2 times the best known, and 0.9, 1.02,
        1.04 and 1.5 times as long as gss."""
        runs = [("one", 1.0, 0.9, 20), ("two", 1.21, 1.02, 20), ("three", 1.1, 1.04, 20), ("four", 2.0, 1.5, 19)]
        summary = {"reference": "ours", "policies": [{"policy": "ours"}, {"policy": "gss"}],
                   "against_best_other": [], "experiments": []}
        for (name, best, other, blocks), group in zip(runs, groups):
            summary["against_best_other"].append(
                {"experiment": name, "group": group, "best_other": "gss", "paired_ratio": {"mean": other}})
            summary["experiments"].append(
                {"name": name, "policies": {"ours": {"over_best_known": best}, "gss": {"over_best_known": 4}}})
            path = self.folder / "experiments" / name / "results.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"results": [
                {"spelling": "gss", "repetitions": []},
                {"spelling": "ours", "repetitions": [{"blocks": blocks - 1}, {"blocks": blocks + 1}],
                 "share_by_unit": {"cpu": 0.5, "gpu": 0.5}}]}))
        (self.folder / "summary.json").write_text(json.dumps(summary))

    def judge(self, *options):
        """The exit code, and what was printed and complained about."""
        done = subprocess.run([SOURCES / "tools/campaigns/judge-drawn", self.folder, *options],
                              capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_means_are_geometric_and_by_network_and_size(self):
        self.write_summary(["machine, large", "machine, large", "cluster, 1 Gb/s, large", "cluster, 1 Gb/s, small"])
        code, said, _ = self.judge()
        self.assertEqual(code, 0)
        self.assertIn("3 large, 0 medium, 1 small", said)
        self.assertIn("| machine | 1.100 (1.21) | - | - |", said)
        self.assertIn("| cluster, 1 Gb/s | 1.100 (1.10) | - | 2.000 (2.00) |", said)
        self.assertIn("| all | 1.100 (1.21) | - | 2.000 (2.00) |", said)
        self.assertIn("| gss | 4.000 (4.00) | - | 4.000 (4.00) |", said)

    def test_runs_of_fewer_than_ten_blocks_a_unit_are_counted_apart(self):
        self.write_summary(["machine, large"] * 4)
        _, said, _ = self.judge()
        self.assertIn("| at least ten blocks a unit | 3 | 66.7 % | 0 | 4.0 % (`three`) |", said)
        self.assertIn("| all | 4 | 50.0 % | 1 | 50.0 % (`four`) |", said)

    def test_an_experiment_that_failed_is_left_out_and_named(self):
        self.write_summary(["machine, large"] * 4)
        file = self.folder / "summary.json"
        summary = json.loads(file.read_text())
        summary["experiments"].append({"name": "five", "policies": {}})
        file.write_text(json.dumps(summary))
        code, said, complaint = self.judge()
        self.assertEqual(code, 0)
        self.assertIn("4 large", said)
        self.assertIn("1 experiments lack results: five", complaint)

    def test_it_writes_between_the_marks_of_a_page(self):
        self.write_summary(["machine, large"] * 4)
        page = self.folder / "page.md"
        page.write_text("before\n<!-- drawn: begin -->\nold\n<!-- drawn: end -->\nafter\n")
        self.assertEqual(self.judge("--into", page)[0], 0)
        text = page.read_text()
        self.assertTrue(text.startswith("before\n<!-- drawn: begin -->\n\n`ours` over the best known"))
        self.assertTrue(text.endswith("\n\n<!-- drawn: end -->\nafter\n"))
        self.assertNotIn("old\n", text)

    def test_it_says_what_is_missing(self):
        self.assertIn("summary.json", self.judge()[2])
        self.write_summary([None] * 4)
        code, _, complaint = self.judge()
        self.assertEqual(code, 1)
        self.assertIn("generate-machines", complaint)
        page = self.folder / "page.md"
        page.write_text("no marks\n")
        self.write_summary(["machine, large"] * 4)
        self.assertIn("drawn: begin", self.judge("--into", page)[2])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
