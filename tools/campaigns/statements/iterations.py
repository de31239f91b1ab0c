"""The four iterations of a run of `hierarchical`, from its run file: when nodes end, whether they balance, and
the lists of blocks (gamma) that each GPU did."""
import dataclasses
import json
import shlex

from .results import InputError, read_json

EXPERIMENT = "fft-1024"


def compare_command(experiment, folder):
    """The command that makes the run files of the campaign's first repetition."""
    options = experiment.document["experiment"]
    sim = options["sim"]
    words = ["equipoise", "compare", "--platform", sim["platform"]]
    for trace in sim["traces"]:
        words += ["--trace", trace]
    for workload in sim["workload_spellings"]:
        words += ["--workload", workload]
    for policy in options["policies"]:
        words += ["--policy", policy]
    words += ["--baseline", options["baseline"], "--reps", "1", "--seed", str(options["seed"])]
    if not sim["noise"]:
        words += ["--noise", "off"]
    if options["decision_cost"] not in (None, "none"):
        words += ["--decision-cost", str(options["decision_cost"])]
    if sim["dispatch_cost_given_s"] is not None:
        words += ["--dispatch-cost", str(sim["dispatch_cost_given_s"])]
    return shlex.join(words + ["--best-known", "off", "--runs", "all", "--out", str(folder)])


@dataclasses.dataclass
class Iteration:
    """One phase of the run. Times are in seconds since its begin; gammas: for each GPU, its groups of blocks in
    the order in which they were handed out, each a list of items."""
    shares: dict  # of the items, by node
    node_seconds: dict
    gammas: dict  # by node
    gpu_seconds: dict  # by node
    gpu_stages_s: dict  # by node: its blocks' copies and computations one after another

    def alpha_error(self):
        """How far the shares are from those with which all nodes would have ended together: the sum over nodes of
        |alpha - s / sum of s|, s = alpha / the node's time. The balanced shares are in proportion to the speeds."""
        speeds = {node: self.shares[node] / seconds for node, seconds in self.node_seconds.items()}
        total = sum(speeds.values())
        return sum(abs(self.shares[node] - speed / total) for node, speed in speeds.items())


class Run:
    """A run file of `hierarchical` with at least four phases."""

    def __init__(self, path):
        lines = []
        try:
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        except ValueError as error:
            raise InputError(f"{path}: no JSON Lines: {error}") from None
        if not lines or not lines[-1].get("summary") or not lines[-1].get("phases"):
            raise InputError(f"{path}: is not a complete run of several phases")
        self.path = path
        self.policy = lines[0]["policy"]
        self.makespan_s = lines[-1]["makespan_s"]
        self.ends = [phase["end_s"] for phase in lines[-1]["phases"]]
        self.balanced_at = [line["at_s"] for line in lines if line.get("event") == "load_balanced"]
        blocks = [line for line in lines if "first_item" in line]
        self.iterations = [self.iteration(phase, blocks) for phase in range(len(self.ends))]

    def iteration(self, phase, blocks):
        begin = self.ends[phase - 1] if phase > 0 else 0.0
        mine = sorted((block for block in blocks if block["phase"] == phase), key=lambda block: block["block"])
        items = sum(block["items"] for block in mine)
        one = Iteration({}, {}, {}, {}, {})
        for block in mine:
            node, unit = block["unit"].split(".", 1)
            ended = block["end_s"] - begin
            one.shares[node] = one.shares.get(node, 0.0) + block["items"] / items
            one.node_seconds[node] = max(one.node_seconds.get(node, 0.0), ended)
            if unit.startswith("gpu"):
                groups = one.gammas.setdefault(node, {})
                groups.setdefault(block.get("group", block["block"]), []).append(block["items"])
                one.gpu_seconds[node] = max(one.gpu_seconds.get(node, 0.0), ended)
                stages = block["in_s"] + block["compute_s"] + block["out_s"]
                one.gpu_stages_s[node] = one.gpu_stages_s.get(node, 0.0) + stages
        one.gammas = {node: list(groups.values()) for node, groups in one.gammas.items()}
        return one

    def balanced_by(self):
        """The iteration, from 1, at whose end the policy first took its load for balanced; None if never."""
        if not self.balanced_at:
            return None
        first = min(self.balanced_at)
        return next((i for i, end in enumerate(self.ends, start=1) if first <= end * (1 + 1e-9)), None)


def read_run(results):
    """The run of the campaign's first repetition, from the folder `hierarchical-runs` beside the results."""
    experiment = results[EXPERIMENT]
    folder = results.folder.parent / "hierarchical-runs"
    command = compare_command(experiment, folder)
    stored = folder / "results.json"
    if not stored.exists():
        raise InputError(f"{stored}: is missing; where the sweep was made, type\n{command}")
    is_current = read_json(stored)["experiment"]["inputs"] == experiment.document["experiment"]["inputs"]
    runs = [Run(path) for path in sorted((folder / "runs").glob("hierarchical*.jsonl"))]
    if len(runs) != 1:
        raise InputError(f"{folder / 'runs'}: has {len(runs)} runs of hierarchical, not one; type\n{command}")
    expected = experiment.of("hierarchical")["repetitions"][0]["makespan_s"]
    if not is_current or abs(runs[0].makespan_s / expected - 1) > 1e-9:
        raise InputError(f"{runs[0].path}: is not of the first repetition of {experiment.path}; type\n{command}")
    if len(runs[0].iterations) < 4:
        raise InputError(f"{runs[0].path}: has {len(runs[0].iterations)} phases, not four")
    return runs[0]


def is_unimodal(blocks):
    """Whether sizes rise to a largest one and then fall; equal neighbours do neither."""
    top = blocks.index(max(blocks))
    rises = all(one <= following for one, following in zip(blocks[:top], blocks[1:top + 1]))
    return rises and all(one >= following for one, following in zip(blocks[top:], blocks[top + 1:]))


def has_the_shape(gammas):
    """Whether all lists of a GPU are unimodal, and no list's first block is larger than that of the first list: so
    all of Table 1 is."""
    return all(is_unimodal(blocks) for blocks in gammas) and all(blocks[0] <= gammas[0][0] for blocks in gammas)
