"""The commands that tools/same-outputs runs with two builds, by name, and the files that they need."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SMALL = "--platform platforms/sirocco.xml --trace traces/sirocco-dgemm-operands.jsonl --workload starpu_dgemm_gemm:items=4e3"
ENERGY = "--platform platforms/kepler-758-nbody.xml --trace traces/energy-nbody.jsonl --workload nbody:bodies=51200"
EXPERIMENTS = {  # every policy runs in each of them
    "noise": f"{SMALL} --reps 3 --expect traces/expectations/sirocco.json --junit noise-junit.xml",
    "means": f"{SMALL} --reps 1 --noise off --decision-cost paper --best-known off",
    "disturbed": f"{SMALL} --reps 2 --seed 5 --scenario scenario.json --decision-cost 20us --dispatch-cost 1us",
    "phases": f"{SMALL} --trace traces/sirocco-sgemm.jsonl --workload starpu_sgemm_gemm:items=3e3,iterations=2"
              " --reps 2 --seed 7",
    "iterations": "--platform platforms/plb-hac-2.xml --trace traces/plb-hac-kmeans.jsonl --reps 2 --seed 9"
                  " --workload kmeans:points=5e3,iterations=3,distribution=replicated --block-timeout 1s",
    "cluster": "--platform platforms/plb-hec-4.xml --trace traces/plb-hec-matmul-4096.jsonl --workload matmul:n=4096"
               " --reps 2 --seed 11 --baseline equipoise",
    "energy": f"{ENERGY} --reps 2 --seed 3"}
SCENARIO = {"schema": "equipoise.scenario/1", "events": [
    {"at_s": 0.001, "unit": "cuda0", "kind": "slow", "factor": 3.0},
    {"at_s": 0.001, "unit": "cuda3", "kind": "join"},
    {"at_s": 0.002, "unit": "cpu1", "kind": "compete", "share": 0.5, "until_s": 0.003},
    {"at_s": 0.002, "unit": "cpu2", "kind": "fail", "until_s": 0.004},
    {"at_s": 0.002, "link": "Host", "kind": "bandwidth", "factor": 0.25, "until_s": 0.004},
    {"at_s": 0.003, "unit": "cuda2", "kind": "fail"}]}
FILES = {"scenario.json": json.dumps(SCENARIO),
         "timings.csv": "items,mean,sd,count,in\n100,1.5,0.1,10,0.2\n1000,12.5,0.7,10,1.25\n10000,120,3,5,11\n"}
CPUS = "--unit cpu,slowdown=1 --unit emulated --workload blackscholes:options=1e5"
PACED = ("--on paced --time-scale 0.1 --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl"
         " --workload starpu_dgemm_gemm:items=2e5")
HELP = ("", *"compare simulate run record replay optimum sweep validate show report diff platform trace list explain"
        " completion new check help".split(), "platform check", "platform show", "platform detect",
        "platform generate", "trace check", "trace show", "trace import starpu", "trace import csv", "new policy",
        "check policy")


def with_json(name, command):
    """The command, and the same with --json."""
    return [(name, command), (f"{name}-json", f"{command} --json")]


def commands_on_runs(policies):
    """Name and text of commands: comparisons of every policy and preset, and what is made of their run files."""
    names = [policy["name"] for policy in policies]
    presets = [f"{policy['name']}:preset={one['name']}" for policy in policies for one in policy["presets"]]
    yield "compare-presets", f"compare {SMALL} --policy {','.join(presets)} --runs all --reps 2 --out all-presets"
    for name, options in EXPERIMENTS.items():
        yield f"compare-{name}", f"compare {options} --policy all --runs all --out all-{name} --json"
        yield f"report-{name}", f"report all-{name} --out page-{name}.html --csv {name}.csv --svg {name}.svg"
        yield f"report-{name}-json", f"report all-{name} --json"
    for experiment in (*EXPERIMENTS, "presets"):
        for policy in (re.sub("[:=]", "_", one) for one in (names if experiment in EXPERIMENTS else presets)):
            yield f"check-{experiment}-{policy}", f"replay all-{experiment}/runs/{policy}-sim.jsonl --check"
    for experiment, policy in (("noise", "plb-hec"), ("disturbed", "equipoise"), ("phases", "awf-b"),
                               ("iterations", "acosta"), ("cluster", "hierarchical"), ("energy", "hdss")):
        run, key = f"all-{experiment}/runs/{policy}-sim.jsonl", f"{experiment}-{policy}"
        yield from with_json(f"check-{key}", f"replay {run} --check")
        yield from with_json(f"decisions-{key}", f"replay {run} --decisions --out {key}-again.jsonl")
        yield from with_json(f"show-{key}", f"show {run}")
        yield f"report-{key}", (f"report {run} --out {key}.html --csv {key}.csv --svg {key}.svg"
                                f" --perfetto {key}-perfetto.json --paje {key}.paje")
        yield f"report-{key}-json", f"report {run} --json"
    yield "report-two", ("report all-noise/runs/gss-sim.jsonl all-disturbed/runs/equipoise-sim.jsonl"
                         " traces/sirocco-dgemm.jsonl --out two.html --svg two.svg --perfetto two-perfetto.json")
    yield from with_json("compare-few", f"compare {SMALL} --policy static:profile=traces/sirocco-dgemm.jsonl --seed 4"
                         " --policy greedy:pieces=64,plb-hec:initial_block_items=time:0.10 --reps 2 --out few")
    yield "compare-again", f"compare {SMALL} --policy all --runs none --reps 3 --seed 2 --out again"
    yield from with_json("diff", "diff all-noise again")
    yield "diff-idle", "diff all-noise again --quantity idle_fraction --fail 5% --junit diff-junit.xml"
    for number in (1, 2):
        yield from with_json(f"experience-{number}",
                             f"simulate {SMALL} --policy equipoise --seed {number} --experience learned.json"
                             f" --out learned-{number}.jsonl --report learned-{number}.html")
    yield "experience", f"compare {SMALL} --policy equipoise,hdss --reps 2 --experience learned.json --out learned"


def commands_on_files():
    """Name and text of commands: all else that is simulated or only read."""
    for objective in ("time", "energy", "edp"):
        yield from with_json(f"optimum-{objective}", f"optimum {ENERGY} --objective {objective}")
    yield "optimum-disturbed", f"optimum {SMALL} --scenario scenario.json"
    yield "sweep-shard", "sweep tools/campaigns/small.json --shard 1/2 --out shard"
    yield from with_json("sweep", "sweep tools/campaigns/small.json --out sweep")
    yield "sweep-published", "sweep tools/campaigns/plb-hec.json --only fig4-mm-4096-* --out published"
    yield "sweep-energy", "sweep tools/campaigns/energy.json --only *-nbody --out energy"
    yield "report-sweep", "report sweep --out page-sweep.html"
    yield "report-published-json", "report published --json"
    for kind, pattern in (("platform", "platforms/*.xml"), ("trace", "traces/*.jsonl")):
        for path in sorted(ROOT.glob(pattern)):
            for what in ("check", "show"):
                yield from with_json(f"{kind}-{what}-{path.stem}", f"{kind} {what} {path.relative_to(ROOT)}")
    for spec in sorted(ROOT.glob("platforms/*.json")):
        yield f"generate-{spec.stem}", f"platform generate --spec platforms/{spec.name} --out made-{spec.stem}"
    yield "generate-json", "platform generate --spec platforms/example.json --out made-json --json"
    yield "import-csv", ("trace import csv timings.csv --unit gpu0 --items-column items --compute-column mean --sd-column sd"
                         " --count-column count --in-column in --time-unit ms --model A40 --out imported.jsonl")
    yield "import-starpu", "trace import starpu --machine sirocco --kernel starpu_dgemm_gemm --bytes operands --out starpu"
    yield "new-policy", "new policy mine"


def commands_of_words(policies):
    """Name and text of commands: what the program says about itself."""
    for what in ("policies", "kernels", "units", "devices", *(f"policies {one['name']}" for one in policies)):
        yield from with_json(f"list-{what.replace(' ', '-')}", f"list {what}")
    yield from with_json("explain", "explain")
    yield "explain-word", "explain ends apart"
    for shell in ("bash", "zsh", "fish"):
        yield f"completion-{shell}", f"completion {shell}"
    for command in HELP:
        yield f"help-{command.replace(' ', '-')}", f"{command} --help"


def commands_for_real():
    """Name and text of commands: what depends on this machine. Short, and run one after another."""
    yield "run", f"run {CPUS},iterations=2 --policy plb-hec --out real.jsonl --report real.html --json"
    yield "run-paced", f"run {PACED} --policy greedy --out paced.jsonl --json"
    yield "compare-paced", f"compare {PACED} --policy greedy,equipoise --reps 2 --out both --json"
    yield "replay-paced", "replay traces/runs/sirocco-gss.jsonl --on paced --time-scale 0.1 --out replay.jsonl --json"
    yield "record", f"record {CPUS} --seconds-max 0.5 --sizes 1000,10000 --out there.jsonl --platform-out there.xml --json"
    yield "validate", f"validate {CPUS} --policy greedy,gss --reps 2 --seconds-max 0.5 --out validated --json"
    yield from with_json("detect", "platform detect --out here.xml")
    yield "check-policy", "check policy gss --machines 2 --json"
