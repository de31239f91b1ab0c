"""Reads what sweeps of the papers' campaigns wrote: FOLDER/CAMPAIGN/experiments/NAME/results.json.

Policies are found by their names, whatever parameters stand behind the colon, so that a campaign may change
its assumptions. Times are in seconds, shares and idle fractions from 0 to 1.
"""
import json


class InputError(Exception):
    """Results that are missing or cannot be used. The text names the file."""


def read_json(path):
    """The document of a JSON file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; make it with `equipoise sweep` (tools/campaigns/README.md)") from None
    except ValueError as error:
        raise InputError(f"{path}: no JSON: {error}") from None


class Experiment:
    """The results of one experiment. `path`: of its results.json."""

    def __init__(self, path):
        self.path = path
        self.document = read_json(path)
        if not str(self.document.get("schema", "")).startswith("equipoise.results/1"):
            raise InputError(f"{path}: is not equipoise.results/1")

    def of(self, policy, **parameters):
        """The result of the policy of this name that has these parameters; there must be one."""
        def is_it(result):
            given = result.get("parameters") or {}
            return result["policy"].split(":")[0] == policy and all(
                str(given.get(name)) == value for name, value in parameters.items())

        found = [result for result in self.document["results"] if is_it(result)]
        wanted = ":".join([policy, *(f"{name}={value}" for name, value in parameters.items())])
        if len(found) != 1:
            raise InputError(f"{self.path}: has {len(found)} results of {wanted}; one is needed")
        if not found[0]["verified"]:
            raise InputError(f"{self.path}: the runs of {wanted} are not verified")
        return found[0]

    def seconds(self, policy, **parameters):
        """The mean makespan."""
        return self.of(policy, **parameters)["makespan_s"]["mean"]

    def speedup(self, policy):
        """Greedy's mean makespan over the policy's."""
        return self.seconds("greedy") / self.seconds(policy)

    def idle(self, policy):
        """The idle share, mean over units and runs."""
        return self.of(policy)["idle_fraction"]["mean"]

    def shares(self, policy, **parameters):
        """The share of the items of each unit, by its name."""
        return self.of(policy, **parameters)["share_by_unit"]

    def phase_seconds(self, policy, phase):
        """How long a phase lasted; the first is 1."""
        phases = self.of(policy)["phases"]
        if phases is None or len(phases) < phase:
            raise InputError(f"{self.path}: {policy} has no phase {phase}")
        return phases[phase - 1]["duration_s"]


class Results:
    """The results of one campaign, read when they are asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.read = {}

    def __getitem__(self, name):
        if name not in self.read:
            self.read[name] = Experiment(self.folder / "experiments" / name / "results.json")
        return self.read[name]
