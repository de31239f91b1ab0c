"""tools/campaigns/generate-machines draws machines and clusters of devices that exist.

    generate_machines_test.py PROGRAM SOURCES
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
SIZES = ["small", "medium", "large"]
SPEEDS = {"1g": 1, "10g": 10, "100g": 100, "400g": 400}


def draw(*words):
    return subprocess.run([SOURCES / "tools/campaigns/generate-machines", *words], capture_output=True, text=True,
                          env={**os.environ, "EQUIPOISE": PROGRAM})


class GenerateMachines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name) / "drawn"
        drawn = draw(cls.folder, "7")
        assert drawn.returncode == 0, drawn.stderr
        cls.specs = {file.stem: json.loads(file.read_text()) for file in sorted(cls.folder.glob("drawn-*.json"))}
        listed = subprocess.run([PROGRAM, "list", "devices", "--json"], capture_output=True, text=True, check=True)
        cls.devices = {device["name"]: device for device in json.loads(listed.stdout)["devices"]}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_help_is_its_own(self):
        for word in ["--help", "-h"]:
            helped = draw(word)
            self.assertEqual(helped.returncode, 0, helped.stderr)
            self.assertTrue(helped.stdout.startswith("usage: tools/campaigns/generate-machines FOLDER [SEED]"))
            self.assertIn("50 machines and 30 clusters", helped.stdout)
        for words in [[], ["--halp"]]:
            refused = draw(*words)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("usage: tools/campaigns/generate-machines FOLDER [SEED]", refused.stderr)

    def test_there_are_50_machines_and_30_clusters_of_2_to_8_nodes(self):
        nodes = {name: len(spec["machines"]) for name, spec in self.specs.items()}
        self.assertEqual(sum("machine" in name for name in nodes), 50)
        self.assertEqual(sum("cluster" in name for name in nodes), 30)
        for name, count in nodes.items():
            self.assertIn(count, range(2, 9) if "cluster" in name else [1], name)

    def test_every_node_has_one_cpu_and_one_to_four_gpus_of_the_list_of_devices(self):
        for name, spec in self.specs.items():
            for machine in spec["machines"]:
                kinds = {"cpu": 0, "gpu": 0}
                for unit in machine["units"]:
                    device = self.devices[unit["data_sheet"]]
                    self.assertTrue(device["source"], name)
                    cores = unit.get("count", 1)
                    if unit["id"] == "core":  # a unit for each core: together they are the CPU
                        self.assertEqual(cores, device["cores"], name)
                        self.assertAlmostEqual(cores * unit["peak_flop_per_s"] / device["single_flop_per_s"], 1, 5)
                        cores = 1
                    elif device["kind"] == "gpu":  # nothing replaces what the maker prints
                        self.assertEqual(set(unit), {"id", "data_sheet", "count"}, name)
                    kinds[device["kind"]] += cores
                self.assertEqual(kinds["cpu"], 1, name)
                self.assertIn(kinds["gpu"], range(1, 5), name)

    def test_each_cluster_is_joined_by_1_10_100_and_400_gigabits_a_second(self):
        for name, spec in self.specs.items():
            if "cluster" not in name:
                continue
            networks = {p["name"]: p["network"]["bytes_per_s"] for p in spec["platforms"]}
            self.assertEqual(networks, {f"{name}-{short}": f"{rate} Gb/s" for short, rate in SPEEDS.items()})
            self.assertEqual(len({tuple(p["machines"]) for p in spec["platforms"]}), 1)

    def test_the_campaign_has_every_platform_with_every_kind_and_size_of_work(self):
        campaign = json.loads((self.folder / "campaign.json").read_text())
        platforms = [p["name"] for spec in self.specs.values() for p in spec["platforms"]]
        self.assertEqual(len(platforms), 50 + 4 * 30)
        self.assertEqual(sorted(e["name"] for e in campaign["experiments"]),
                         sorted(f"{p}-{kernel}-{size}" for p in platforms for kernel in ("matmul", "kmeans", "expand")
                                for size in SIZES))
        for experiment in campaign["experiments"]:
            self.assertTrue((self.folder / experiment["platform"]).exists(), experiment)
            kernel, workload = experiment["name"].split("-")[-2], experiment["workloads"]
            lines = (self.folder / experiment["traces"]).read_text().splitlines()
            header, sample = json.loads(lines[0]), json.loads(lines[1])
            if kernel == "matmul":
                self.assertGreater(header["resident_bytes"], 0)
            elif kernel == "kmeans":
                self.assertGreater(int(re.search(r"iterations=(\d+)", workload)[1]), 1)
            else:
                self.assertGreater(sample["out_bytes"], sample["in_bytes"])

    def test_its_experiments_can_be_simulated(self):
        campaign = json.loads((self.folder / "campaign.json").read_text())
        campaign.update(policies=["greedy", "equipoise"], reps=2)  # the campaign's own take minutes
        few = self.folder / "few.json"
        few.write_text(json.dumps(campaign))
        for pattern in ("drawn-machine-01-expand-small", "drawn-cluster-01-100g-kmeans-small"):
            swept = subprocess.run(
                [PROGRAM, "sweep", few, "--only", pattern, "--out", self.folder / "out", "--quiet", "--json"],
                capture_output=True, text=True)
            self.assertEqual(swept.returncode, 0, swept.stderr)
            for experiment in json.loads(swept.stdout)["experiments"]:
                known_s = experiment["best_known_s"]
                for policy, result in experiment["policies"].items():
                    self.assertGreaterEqual(result["makespan_s"], known_s, (experiment["name"], policy))

    def test_a_seed_is_a_whole_number(self):
        refused = draw(self.folder, "x")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("'x' is no seed", refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
