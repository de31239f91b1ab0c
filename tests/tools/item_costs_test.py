"""Simulated runs on items that differ take as long as a few lines of list scheduling say, to 1e-9.

    item_costs_test.py PROGRAM

Two units, one of them three times as slow, compute a loop. A block takes a fixed time, and a time for each item in
proportion to its cost. Nothing is copied, and nothing else takes time.
"""
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1]
ITEMS = 5000
FIXED_S = 1e-4
ITEM_S = {"fast": 1e-3, "slow": 3e-3}
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="fast" speed="1Gf"/>
    <host id="slow" speed="1Gf"/>
    <link id="l" bandwidth="1GBps" latency="0us" sharing_policy="FATPIPE"/>
    <route src="fast" dst="slow"><link_ctn id="l"/></route>
  </zone>
</platform>
"""
HEADER = {"schema": "equipoise.trace/1", "source": "modelled", "kernel": "loop", "item": "iteration",
          "units": [{"id": unit, "kind": "cpu"} for unit in ITEM_S], "dispatch_s": 0}


def fixed_size(rest, size=70):
    return min(size, rest)


def guided(rest):
    return math.ceil(rest / 2)


def divided_s(costs):
    """The makespan if the fast unit gets the first items, as many as come nearest to three quarters of the cost."""
    ahead = list(itertools.accumulate(costs, initial=0.0))
    fast = min(ahead, key=lambda cost: abs(cost - 0.75 * len(costs)))
    return FIXED_S + max(ITEM_S["fast"] * fast, ITEM_S["slow"] * (ahead[-1] - fast))


def factored_s(costs):
    """The makespan of weighted factoring by cost, with weights from block times at half of the items."""
    half = len(costs) / 2
    speeds = {unit: half / (FIXED_S + half * item_s) for unit, item_s in ITEM_S.items()}
    ahead = list(itertools.accumulate(costs, initial=0.0))
    free_s = dict.fromkeys(ITEM_S, 0.0)
    first = 0
    batch_ends_with = math.inf
    while first < len(costs):
        left = ahead[-1] - ahead[first]
        if left <= batch_ends_with:
            base = max(1, math.ceil(left / 4 - 1e-9))
            batch_ends_with = left - 2 * base
        unit = min(free_s, key=free_s.get)
        wanted = 2 * base * speeds[unit] / sum(speeds.values())
        end = first + 1
        while end < len(costs) and ahead[end] - ahead[first] < wanted * (1 - 1e-9):
            end += 1
        free_s[unit] += FIXED_S + ITEM_S[unit] * (ahead[end] - ahead[first])
        first = end
    return max(free_s.values())


def scheduled_s(costs, next_size):
    """The makespan if the unit that is free first gets the next block."""
    free_s = dict.fromkeys(ITEM_S, 0.0)
    first = 0
    while first < len(costs):
        unit = min(free_s, key=free_s.get)
        size = next_size(len(costs) - first)
        free_s[unit] += FIXED_S + ITEM_S[unit] * math.fsum(costs[first:first + size])
        first += size
    return max(free_s.values())


class ItemCosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "p.xml").write_text(PLATFORM)

    def write_trace(self, **more):
        lines = [{**HEADER, **more}]
        lines += [{"unit": unit, "items": items, "compute_s": FIXED_S + items * item_s}
                  for unit, item_s in ITEM_S.items() for items in (1, ITEMS)]
        (self.folder / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def summary_of(self, policy, workload, *more):
        done = subprocess.run([PROGRAM, "simulate", "--platform", "p.xml", "--trace", "t.jsonl", "--workload", workload,
                               "--policy", policy, "--noise", "off", "--json", "--quiet", *more], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def run_s(self, policy, workload):
        return self.summary_of(policy, workload)["makespan_s"]

    def expect_both(self, costs, workload):
        for policy, next_size in (("gss", guided), ("greedy:initial_block_items=70", fixed_size)):
            expected_s = scheduled_s(costs, next_size)
            found_s = self.run_s(policy, workload)
            self.assertLess(abs(found_s / expected_s - 1.0), 1e-9, f"{policy}: {found_s} s, not {expected_s} s")

    def test_costs_from_a_column(self):
        numbers = random.Random(7)
        for draw in (lambda: numbers.expovariate(1.0), lambda: numbers.choice((0.0, 0.1, 9.0)), lambda: 2.5):
            costs = [draw() for _ in range(ITEMS)]
            mean = math.fsum(costs) / ITEMS
            self.write_trace()
            (self.folder / "costs.csv").write_text("cost\n" + "".join(f"{cost!r}\n" for cost in costs))
            self.expect_both([cost / mean for cost in costs], f"loop:items={ITEMS},costs=costs.csv")

    def test_costs_of_the_trace(self):
        ranges = [{"first": 0, "items": 1000, "cost": 0.25}, {"first": 1000, "items": 3500, "cost": 0.5},
                  {"first": 4500, "items": 500, "cost": 6}]
        costs = list(itertools.chain.from_iterable([r["cost"]] * r["items"] for r in ranges))
        self.assertEqual(sum(costs), ITEMS)
        self.write_trace(costs={"items": ITEMS, "ranges": ranges})
        self.expect_both(costs, f"loop:items={ITEMS}")
        self.assertEqual(self.said, "")
        self.expect_both([1.0] * ITEMS, f"loop:items={ITEMS},costs=alike")
        self.assertIn("warning: the items of loop differ, by its trace: they cost from 0.25 to 6.0 times the mean. "
                      "costs=alike leaves that out", self.said)

    def test_costs_of_the_trace_of_a_kernel_that_computes(self):
        ranges = [{"first": 0, "items": 32, "cost": 0.5}, {"first": 32, "items": 32, "cost": 1.5}]
        self.write_trace(kernel="mandelbrot", costs={"items": 64, "ranges": ranges})
        self.run_s("gss", "mandelbrot:width=8,height=64,costs=alike")
        self.assertIn("warning: the items of mandelbrot differ, by its trace", self.said)

    def test_no_warning_about_costs_that_the_trace_does_not_have(self):
        self.write_trace()
        self.run_s("gss", f"loop:items={ITEMS},costs=alike")
        self.assertEqual(self.said, "")

    def test_increasing_and_decreasing_costs(self):
        self.write_trace()
        up = [(2 * i + 1) / ITEMS for i in range(ITEMS)]
        self.expect_both(up, f"loop:items={ITEMS},costs=increasing")
        self.expect_both(up[::-1], f"loop:items={ITEMS},costs=decreasing")

    def test_policies_that_know_costs(self):
        self.write_trace()
        up = [(2 * i + 1) / ITEMS for i in range(ITEMS)]
        for costs, pattern in ((up, "increasing"), (up[::-1], "decreasing")):
            workload = f"loop:items={ITEMS},costs={pattern}"
            for policy, expected_s in (("static", divided_s(costs)), ("wf", factored_s(costs))):
                found_s = self.run_s(policy + ":costs=known", workload)
                self.assertLess(abs(found_s / expected_s - 1.0), 1e-9, f"{policy}, {pattern}: {found_s} s")
            self.assertLess(1.2 * divided_s(costs), self.run_s("static", workload))
            best = self.summary_of("optimum", workload)
            self.assertLess(best["makespan_s"], 1.0005 * best["lower_bound_s"])

    def test_run_files_say_who_knows_costs(self):
        self.write_trace()
        for policy, workload, knows in (("static:costs=known", "increasing", True), ("static", "increasing", False),
                                        ("static:costs=known", "alike", False), ("optimum", "bimodal", True)):
            self.summary_of(policy, f"loop:items={ITEMS},costs={workload}", "--out", "run.jsonl")
            header = json.loads((self.folder / "run.jsonl").read_text().splitlines()[0])
            self.assertEqual(header["knows_costs"], knows, policy)
            self.assertEqual("costs" in header, workload != "alike")
            checked = subprocess.run([PROGRAM, "replay", "run.jsonl", "--check"], cwd=self.folder, capture_output=True,
                                     text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
