"""tools/campaigns/count-statements counts what holds in results, and refuses reasons that are missing or too many.

    count_statements_test.py SOURCES

The results are made up: policies with the makespans that a test gives them.
tools/campaigns/try-assumptions changes one assumption at a time, and counts.
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SOURCES = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCES / "tools/campaigns"))

from statements import dlb_gpu, hierarchical, iterations  # noqa: E402

# What `hierarchical` and its comparator took in the made-up campaign: iteration 4 lasts 0.8 and 2.4 s.
ENDS = {"hierarchical": [4.0, 5.5, 6.5, 7.3], "fpm-limited": [4.0, 8.0, 12.0, 14.4]}


def result(spelling, makespan_s, ends=None, **fields):
    name = spelling.split(":")[0]
    phases = None if ends is None else [
        {"end_s": end, "duration_s": end - begin} for begin, end in zip([0, *ends], ends)]
    return {"policy": name, "spelling": spelling, "parameters": {}, "verified": True, "phases": phases,
            "makespan_s": {"mean": makespan_s}, "repetitions": [{"makespan_s": makespan_s}], **fields}


def block(number, unit, phase, items, begin_s, seconds, group):
    """A block whose stages take a third of its time each."""
    return {"block": number, "unit": unit, "phase": phase, "first_item": 0, "items": items, "in_s": seconds / 3,
            "compute_s": seconds / 3, "out_s": seconds / 3, "end_s": begin_s + seconds, "group": group}


class CountStatements(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.reasons = self.folder / "reasons.md"
        self.reasons.write_text("# Reasons\n")

    def write_results(self, campaign, experiment, results, **experiment_options):
        path = self.folder / campaign / "experiments" / experiment / "results.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(
            {"schema": "equipoise.results/1", "experiment": experiment_options, "results": results}))

    def count(self, *options):
        """The exit code, and what was printed and complained about."""
        done = subprocess.run([SOURCES / "tools/campaigns/count-statements", self.folder, "--reasons", self.reasons,
                               *options], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def row(self, said, number):
        """The cells of a statement's row."""
        rows = [line for line in said.splitlines() if line.startswith(f"| {number} |")]
        self.assertEqual(len(rows), 1, said)
        return [cell.strip() for cell in rows[0].strip("|").split(" | ")]

    # -- DLB-GPU: all numbers of the tables ----------------------------------------------------

    def write_tables(self, times=1.0, spelling="{}"):
        """Results that are `times` the printed seconds."""
        for table in dlb_gpu.TABLES.values():
            for name, hdss_s, dlb_s in dlb_gpu.cells(table):
                self.write_results("dlb-gpu", name, [result(spelling.format("hdss"), times * hdss_s),
                                                     result(spelling.format("dlb-gpu"), times * dlb_s)])

    def test_counts_all_if_ours_are_the_printed_numbers_whatever_the_policies_parameters(self):
        self.write_tables(spelling="{}:initial_block_items=time:0.10")
        code, said, complaint = self.count("--only", "dlb-gpu")
        self.assertEqual((code, complaint), (0, ""), said)
        self.assertTrue(said.endswith("DLB-GPU 5 of 5\n"), said)
        self.assertEqual(self.row(said, 4)[3:], ["24 of 24 numbers", "yes"])

    def test_tests_seconds_at_both_ends(self):
        for times, holds in ((0.74, "no"), (0.76, "yes"), (1.24, "yes"), (1.26, "no")):
            self.write_tables(times)
            said = self.count("--only", "dlb-gpu")[1]
            self.assertEqual(self.row(said, 4)[-1], holds, times)
            self.assertEqual(self.row(said, 5)[-1], "yes")  # the ratios are the printed ones

    def test_asks_for_a_reason_where_a_statement_fails_and_only_there(self):
        self.write_tables(2.0)
        code, said, complaint = self.count("--only", "dlb-gpu")
        self.assertEqual(code, 1)
        self.assertIn("DLB-GPU 4 of 5", said)
        self.assertIn("DLB-GPU 4 does not hold (0 of 24 numbers) and has no entry", complaint)
        self.reasons.write_text("# Reasons\n\n## DLB-GPU 4\n\nSlow machines.\n\n## PLB-HeC 1\n\nAnother paper's.\n")
        self.assertEqual(self.count("--only", "dlb-gpu")[::2], (0, ""))
        self.reasons.write_text("## DLB-GPU 4\n\nSlow.\n\n## DLB-GPU 5\n\nToo much.\n\n## DLB-GPU 6\n\nWhat?\n")
        code, said, complaint = self.count("--only", "dlb-gpu")
        self.assertEqual(code, 1)
        self.assertIn("DLB-GPU 5 holds; take the entry away", complaint)
        self.assertIn("DLB-GPU 6 is no statement", complaint)
        self.reasons.write_text("## DLB-GPU 4\n")
        self.assertEqual(self.count("--only", "dlb-gpu")[0], 1)

    def test_names_the_file_that_is_missing_or_lacks_a_policy(self):
        self.write_tables()
        self.write_results("dlb-gpu", "bs-10000-3", [result("hdss", 1.0)])
        code, _, complaint = self.count("--only", "dlb-gpu")
        self.assertEqual(code, 2)
        self.assertIn("experiments/bs-10000-3/results.json: has 0 results of dlb-gpu", complaint)
        path = self.folder / "dlb-gpu/experiments/bs-10000-3/results.json"
        path.unlink()
        code, _, complaint = self.count("--only", "dlb-gpu")
        self.assertEqual(code, 2)
        self.assertIn(f"{path}: No such file", complaint)
        path.write_text("{")
        self.assertIn(f"{path}: no JSON", self.count("--only", "dlb-gpu")[2])

    # -- PLB-HeC: speedups over greedy ---------------------------------------------------------

    def write_plb_hec(self, **speedups):
        """All of the campaign: greedy takes 10 s, the others 10 s over their speedups, in the experiments (`_` is
        written for `-`) that are given; else P 1.1, H and A 1.0."""
        cases = [f"fig4-mm-{n}-{m}" for n in (4096, 32768, 65536) for m in (1, 2, 3, 4)]
        cases += [f"fig4-grn-{n}-{m}" for n in (120000, 140000) for m in (1, 2, 3, 4)]
        cases += [f"fig5-bs-500000-{m}" for m in (1, 2, 3, 4)]
        cases += [f"fig6-7-{app}" for app in ("mm-4096", "mm-65536", "grn-60000", "grn-140000", "bs-10000",
                                              "bs-500000")]
        shares = {"a.cpu": 0.1, "c.gpu0": 0.4, "d.gpu": 0.5}
        for case in cases:
            own = speedups.get(case.replace("-", "_"), (1.1, 1.0, 1.0))
            results = [result("greedy", 10.0)]
            results += [result(f"{policy}:x=1", 10.0 / value, share_by_unit=shares, idle_fraction={"mean": 0.1},
                               rebalances=0.0)
                        for policy, value in zip(("plb-hec", "hdss", "acosta"), own)]
            self.write_results("plb-hec", case, results)

    def verdicts(self, *numbers):
        said = self.count("--only", "plb-hec")[1]
        return [self.row(said, number)[-1] for number in numbers]

    def test_tests_speedups_at_both_ends_of_what_is_printed(self):
        # Above 1.2 and on the axes of Figs 5f and 5h, which end at 1.3 and 1.6.
        for three, four, holds in ((1.25, 1.5, "yes"), (1.35, 1.5, "no"), (1.25, 1.7, "no"), (1.2, 1.5, "no")):
            self.write_plb_hec(fig5_bs_500000_3=(three, 1.0, 1.0), fig5_bs_500000_4=(four, 1.0, 1.0))
            self.assertEqual(self.verdicts(8), [holds], (three, four))
        # Close to 1 is 0.8 to 1.25, of every policy.
        for value, holds in ((0.81, "yes"), (0.79, "no"), (1.24, "yes"), (1.26, "no")):
            self.write_plb_hec(fig4_mm_65536_1=(1.1, value, 1.0))
            self.assertEqual(self.verdicts(2), [holds], value)
        # 2.2, 1.2 and 1.04 within 25 %: 1.65 to 2.75, 0.9 to 1.5, 0.78 to 1.3.
        for ours, order, near in (((1.7, 1.3, 1.1), "yes", "yes"), ((2.8, 1.3, 1.1), "yes", "no"),
                                  ((2.2, 1.1, 1.2), "no", "yes"), ((2.2, 1.2, 0.9), "no", "yes")):
            self.write_plb_hec(fig4_mm_65536_4=ours)
            self.assertEqual(self.verdicts(12, 13), [order, near], ours)

    def test_compares_with_greedy_on_one_machine_too(self):
        slow = (0.9, 0.9, 0.9)
        of_4096 = {f"fig4_mm_4096_{m}": slow for m in (1, 2, 3, 4)}
        self.write_plb_hec(**of_4096)
        self.assertEqual(self.verdicts(1), ["yes"])
        self.write_plb_hec(**{**of_4096, "fig4_mm_4096_1": (0.9, 0.9, 1.01)})
        self.assertEqual(self.verdicts(1), ["no"])

    # -- Hierarchical: run files ---------------------------------------------------------------

    def write_hierarchical(self):
        sim = {"platform": "four nodes.xml", "traces": ["t.jsonl"], "workload_spellings": ["w"] * 4, "noise": True,
               "dispatch_cost_given_s": None}
        options = {"policies": ["hierarchical", "fpm-limited"], "baseline": "greedy", "seed": 7, "decision_cost": "none",
                   "inputs": [{"file": "t.jsonl", "hash": "0"}], "sim": sim}
        results = [result(policy, ends[-1], ends) for policy, ends in ENDS.items()]
        self.write_results("hierarchical", "fft-1024", results, **options)
        return options

    def write_run(self, options, balanced_at):
        """Four nodes of one GPU, each 60 items an iteration, the first node 60, 30, 12 and 6 more. A GPU does three
        blocks, of 1, 3 and 2 sixths, at nearly the same time: they begin 0.01 s after one another and take 0.005 s
        for each item of the whole share."""
        runs = self.folder / "hierarchical-runs"
        (runs / "runs").mkdir(parents=True, exist_ok=True)
        (runs / "results.json").write_text(json.dumps({"experiment": options}))
        lines = [{"schema": "equipoise.run/1.1", "policy": "hierarchical"}]
        for phase, (begin_s, extra) in enumerate(zip([0, *ENDS["hierarchical"]], (60, 30, 12, 6))):
            for node in (1, 2, 3, 4):
                items = 60 + (extra if node == 1 else 0)
                for k, part in enumerate((1, 3, 2)):
                    lines.append(block(len(lines), f"n{node}.gpu", phase, items * part // 6, begin_s + 0.01 * k,
                                       0.005 * items, node))
        if balanced_at is not None:
            lines.append({"event": "load_balanced", "at_s": balanced_at})
        lines.append({"summary": True, "makespan_s": ENDS["hierarchical"][-1],
                      "phases": [{"end_s": end} for end in ENDS["hierarchical"]]})
        (runs / "runs/hierarchical-sim.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")

    def test_prints_the_command_that_makes_missing_run_files(self):
        self.write_hierarchical()
        code, _, complaint = self.count("--only", "hierarchical")
        self.assertEqual(code, 2)
        self.assertIn(f"{self.folder}/hierarchical-runs/results.json: is missing", complaint)
        self.assertIn("\nequipoise compare --platform 'four nodes.xml' --trace t.jsonl --workload w --workload w "
                      "--workload w --workload w --policy hierarchical --policy fpm-limited --baseline greedy --reps 1 "
                      f"--seed 7 --best-known off --runs all --out {self.folder}/hierarchical-runs\n", complaint)

    def test_refuses_run_files_of_another_sweep(self):
        options = self.write_hierarchical()
        self.write_run(options, 7.3)
        self.write_results("hierarchical", "fft-1024",
                           [result(policy, 2 * ends[-1], ends) for policy, ends in ENDS.items()], **options)
        code, _, complaint = self.count("--only", "hierarchical")
        self.assertEqual(code, 2)
        self.assertIn("is not of the first repetition", complaint)

    def test_judges_the_iterations_of_a_run(self):
        options = self.write_hierarchical()
        self.write_run(options, 7.3)
        said = self.count("--only", "hierarchical")[1]
        self.assertEqual(self.row(said, 1)[3:], ["iteration 4", "yes"])
        self.assertEqual(self.row(said, 2)[3:], ["0.800 s", "yes"])
        self.assertEqual(self.row(said, 3)[3:], ["3.00", "yes"])
        # Iteration 2: shares of 90 and 60 of 270. Times of 0.47 and 0.32 s (0.005 s an item and 0.02 s): speeds in
        # proportion to 90 / 0.47 = 191.5 and 60 / 0.32 = 187.5 thrice, so 191.5 / 754 = 0.2540 would be balanced;
        # the error is twice 90 / 270 - 0.2540, 0.159. Then 72 of 252 in 0.38 s, 189.5 / 752 = 0.2520, twice 0.0337;
        # and 66 of 246 in 0.35 s, 188.6 / 751.1 = 0.2511, twice 0.0172.
        self.assertEqual(self.row(said, 4)[3:], ["0.159, 0.067, 0.034", "yes"])
        self.assertEqual(self.row(said, 5)[3:], ["12 of 12 cells", "yes"])
        # Three blocks of 0.3 s in 0.32 s: 2.81 times as fast as one after another; of 0.45 s in 0.47 s: 2.87.
        self.assertEqual(self.row(said, 6)[3:], ["2.81 to 2.87", "no"])
        self.write_run(options, None)
        self.assertEqual(self.row(self.count("--only", "hierarchical")[1], 1)[3:], ["not balanced in the run", "no"])

    def test_all_of_table_1_has_the_shape_that_ours_must_have(self):
        for rows in hierarchical.TABLE_1.values():
            for _, gammas, _ in rows.values():
                self.assertTrue(iterations.has_the_shape(gammas), gammas)
        self.assertFalse(iterations.has_the_shape([[1, 3, 2, 3]]))
        self.assertFalse(iterations.has_the_shape([[1, 3, 2], [2, 3]]))

    # -- The page --------------------------------------------------------------------------------

    def test_replaces_only_what_stands_between_the_lines(self):
        from statements import page
        path = self.folder / "page.md"
        path.write_text("head\n<!-- a: begin -->\nold\n<!-- a: end -->\ntail\n")
        page.put_into(path, {"a": "new"})
        self.assertEqual(path.read_text(), "head\n<!-- a: begin -->\nnew\n<!-- a: end -->\ntail\n")
        with self.assertRaisesRegex(page.InputError, "page.md: needs the lines '<!-- b: begin -->'"):
            page.put_into(path, {"b": "new"})


class TryAssumptions(unittest.TestCase):
    def setUp(self):
        path = str(SOURCES / "tools/campaigns/try-assumptions")
        loader = importlib.machinery.SourceFileLoader("try_assumptions", path)
        self.script = importlib.util.module_from_spec(importlib.util.spec_from_loader("try_assumptions", loader))
        loader.exec_module(self.script)

    def changed(self, name, paper="plb-hec"):
        """The machines and the campaign of a paper with the set `name`."""
        spec = json.loads((SOURCES / f"platforms/{paper}.json").read_text())
        campaign = json.loads((SOURCES / f"tools/campaigns/{paper}.json").read_text())
        self.script.SETS[name](spec, campaign)
        return spec, campaign

    def test_changes_what_the_set_says(self):
        traces = {trace["name"]: trace for trace in self.changed("tiles of 64 rows")[0]["traces"]}
        self.assertEqual(traces["plb-hec-matmul-65536"]["round_items"], {"gpu": 64})
        self.assertNotIn("round_items", traces["plb-hec-grn-60000"])
        self.assertFalse(any("resident_memory_bytes" in trace for trace in self.changed("matrix streamed")[0]["traces"]))
        self.assertEqual(self.changed("100 Gb/s")[0]["network"]["bytes_per_s"], 1.25e10)
        self.assertEqual(self.changed("free decisions")[1]["decision_cost"], "none")
        self.assertEqual(self.changed("first block auto")[1]["policies"], ["plb-hec", "acosta", "hdss"])
        self.assertEqual(self.changed("a single step")[1]["policies"][0],
                         "plb-hec:initial_block_items=time:0.10,step_fraction=1")

    def test_leaves_the_argued_set_as_it_is(self):
        spec, campaign = self.changed("as argued", "plb-hac")
        self.assertEqual(spec, json.loads((SOURCES / "platforms/plb-hac.json").read_text()))
        self.assertEqual(campaign, json.loads((SOURCES / "tools/campaigns/plb-hac.json").read_text()))

    def test_says_what_holds_under_which_set_and_how_many(self):
        from statements.statement import Verdict
        papers = {paper.CAMPAIGN: [Verdict(one, "", number % 2 == 0) for number, one in enumerate(paper.STATEMENTS)]
                  for paper in self.script.PAPERS}
        lines = self.script.table({"ours": papers}).splitlines()
        self.assertEqual(lines[0], "| statement | ours |")
        self.assertEqual(lines[2:4], ["| PLB-HeC 1 | yes |", "| PLB-HeC 2 |  |"])
        self.assertIn("| **DLB-GPU, of 5** | **3** |", lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
