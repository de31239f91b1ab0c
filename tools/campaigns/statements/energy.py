"""The 24 values of the energy paper (Euro-Par 2017), Tables 1 and 2: the CPU's share alpha by its model; and
the gains G_C and G_G, for which it has formulas."""
from .statement import Statement

NAME = "Energy"
CAMPAIGN = "energy"

MACHINES = ("kepler-324", "kepler-758", "gtx-950")
BENCHMARKS = ("binomial", "nbody", "mandelbrot", "taylor")
# Table 1, alpha_opt, and Table 2, alpha_opt: by machine, in the order of BENCHMARKS; as printed.
BY_TIME = {"kepler-324": ("0.23", "0.24", "0.53", "0.52"), "kepler-758": ("0.11", "0.11", "0.33", "0.31"),
           "gtx-950": ("0.09", "0.05", "0.51", "0.58")}
BY_EDP = {"kepler-324": ("0", "0.242", "0.529", "0.516"), "kepler-758": ("0", "0", "0.326", "0.312"),
          "gtx-950": ("0", "0.053", "0.507", "1")}
ROUNDING = 1e-4  # shares are whole numbers of items


def share(results, machine, benchmark, objective):
    shares = results[f"{machine}-{benchmark}"].shares("energy-alpha", objective=objective)
    return shares[f"{machine}.cpu"]


def equals(machine, benchmark, objective, printed, decimals):
    """Whether our share rounds to the printed digits."""
    def test(results):
        ours = share(results, machine, benchmark, objective)
        return f"{ours:.4f}", abs(ours - float(printed)) <= 0.5 * 10**-decimals + ROUNDING
    return test


def table(objective, printed, name, decimals, first):
    cases = [(machine, benchmark, value) for machine in MACHINES
             for benchmark, value in zip(BENCHMARKS, printed[machine])]
    return [Statement(str(first + i), f"{machine}, {benchmark}: alpha {value}", name,
                      equals(machine, benchmark, objective, value, decimals))
            for i, (machine, benchmark, value) in enumerate(cases)]


STATEMENTS = [*table("time", BY_TIME, "Table 1", 2, 1), *table("edp", BY_EDP, "Table 2", 3, 13)]


def gains(results):
    """A table of G_C = T(CPU alone) / T(alpha_opt) and G_G = T(GPU alone) / T(alpha_opt), section 2.1: by the
    formulas 1 / alpha and 1 / (1 - alpha) from the printed alpha, and ours from the makespans."""
    lines = ["| machine, benchmark | alpha, printed | alpha | G_C, 1 / printed alpha | G_C | G_G, 1 / (1 - printed alpha) | G_G |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for machine in MACHINES:
        for benchmark, printed in zip(BENCHMARKS, BY_TIME[machine]):
            experiment = results[f"{machine}-{benchmark}"]
            best = experiment.seconds("energy-alpha", objective="time")
            cpu = experiment.seconds("fixed", shares="1/0") / best
            gpu = experiment.seconds("fixed", shares="0/1") / best
            alpha = float(printed)
            lines.append(f"| {machine}, {benchmark} | {printed} | {share(results, machine, benchmark, 'time'):.3f} "
                         f"| {1 / alpha:.2f} | {cpu:.2f} | {1 / (1 - alpha):.2f} | {gpu:.2f} |")
    return "\n".join(lines)
