"""The 23 statements of PLB-HeC (CLUSTER 2015), Figs 4 to 7 and the text of section V.

A speedup is greedy's mean makespan over the policy's. "V.A a" is the paragraph a) of section V.A.
"""
from .statement import Statement, numbers, percents, within

NAME = "PLB-HeC"
CAMPAIGN = "plb-hec"

MACHINES = (1, 2, 3, 4)
OTHERS = ("hdss", "acosta", "greedy")
CLOSE_TO_ONE = (0.8, 1.25)
HEADLINE = {"plb-hec": 2.2, "hdss": 1.2, "acosta": 1.04}
HEADLINE_SHARE = 0.25  # how far from the printed speedups ours may be
HIGHEST = HEADLINE["plb-hec"]  # "for other machine configurations and other applications the speedup was lower"
OPTIONS_AXIS = {1: 1.01, 2: 1.08, 3: 1.3, 4: 1.6}  # the upper ends of Figs 5b, d, f and h
LARGE_ONE_GPU = ("mm-65536", "grn-140000")
SIX_CASES = ("mm-4096", "mm-65536", "grn-60000", "grn-140000", "bs-10000", "bs-500000")
IDLE_CASES = ("mm-65536", "grn-60000", "grn-140000")


def greedy_is_fastest(results):
    best = []
    for machines in MACHINES:
        experiment = results[f"fig4-mm-4096-{machines}"]
        best.append(max(experiment.speedup(policy) for policy in HEADLINE))
    return f"best speedup {numbers(best)}", all(value < 1 for value in best)


def close_to_one(sizes):
    def test(results):
        speedups = [results[f"fig4-{size}-1"].speedup(policy) for size in sizes for policy in HEADLINE]
        least, most = CLOSE_TO_ONE
        return (f"{min(speedups):.2f} to {max(speedups):.2f}",
                all(least <= value <= most for value in speedups))
    return test


def above(cases):
    """P's speedup is above 1.2 and not above its upper end. cases: [(experiment, upper end)]."""
    def test(results):
        speedups = [results[name].speedup("plb-hec") for name, _ in cases]
        return numbers(speedups), all(1.2 < value <= most for value, (_, most) in zip(speedups, cases))
    return test


def not_above_with_three(results):
    value = results["fig4-grn-140000-3"].speedup("plb-hec")
    return f"{value:.2f}", value <= 1.2


def is_fastest(case, axis=None):
    """P is faster than all others with 1 to 4 machines, and its speedup is on the axis if there is one."""
    def test(results):
        ratios, fine = [], True
        for machines in MACHINES:
            experiment = results[f"{case}-{machines}"]
            best = min(experiment.seconds(policy) for policy in OTHERS)
            ratios.append(experiment.seconds("plb-hec") / best)
            fine = fine and ratios[-1] < 1 and (axis is None or experiment.speedup("plb-hec") <= axis[machines])
        text = f"P's time over the best other's {numbers(ratios)}"
        if axis is not None:
            text += "; speedup " + numbers(results[f"{case}-{m}"].speedup("plb-hec") for m in MACHINES)
        return text, fine
    return test


def headline(results):
    return [results["fig4-mm-65536-4"].speedup(policy) for policy in HEADLINE]


def in_order(results):
    p, h, a = headline(results)
    return numbers([p, h, a]), p > h > a > 1


def as_printed(results):
    ours = headline(results)
    return numbers(ours), all(within(value, printed, HEADLINE_SHARE) for value, printed in zip(ours, HEADLINE.values()))


def is_highest_gain(results):
    gains = {f"{case}-{machines}": max(results[f"fig4-{case}-{machines}"].speedup(policy) for policy in HEADLINE)
             for case in LARGE_ONE_GPU for machines in MACHINES}
    ours = results["fig4-mm-65536-4"].speedup("plb-hec")
    highest = max(gains, key=gains.get)
    return f"{ours:.2f}; the highest is {gains[highest]:.2f} ({highest})", ours >= gains[highest]


def grow_with_machines(results):
    gains = [results[f"fig4-mm-65536-{machines}"].speedup("plb-hec") for machines in MACHINES]
    return numbers(gains), all(one < next_one for one, next_one in zip(gains, gains[1:]))


def share_ratios(results, is_wanted):
    """P's share of a unit over H's and A's, for the units that are wanted, at the large sizes."""
    ratios = []
    for case in LARGE_ONE_GPU:
        experiment = results[f"fig6-7-{case}"]
        ours = experiment.shares("plb-hec")
        for other in ("hdss", "acosta"):
            theirs = experiment.shares(other)
            ratios += [ours[unit] / theirs[unit] for unit in ours if is_wanted(unit)]
    return ratios


def cpu_shares_are_smaller(results):
    ratios = share_ratios(results, lambda unit: ".cpu" in unit)
    return f"P's over theirs {min(ratios):.3f} to {max(ratios):.3f}", max(ratios) < 1


def gpu_shares_are_larger(results):
    ratios = share_ratios(results, lambda unit: unit.startswith(("c.gpu", "d.gpu")))
    return f"P's over theirs {min(ratios):.3f} to {max(ratios):.3f}", min(ratios) > 1


def idles_more(policy, cases):
    def test(results):
        ratios = [results[f"fig6-7-{case}"].idle(policy) / results[f"fig6-7-{case}"].idle("plb-hec") for case in cases]
        return f"over P's {numbers(ratios)}", all(value > 1 for value in ratios)
    return test


def idle_falls(results):
    idle = [results[f"fig6-7-{case}"].idle("plb-hec") for case in ("mm-4096", "mm-65536")]
    return percents(idle), idle[1] < idle[0]


def never_rebalances(results):
    rebalances = [results[f"fig6-7-{case}"].of("plb-hec")["rebalances"] for case in LARGE_ONE_GPU]
    return numbers(rebalances, 1), all(value == 0 for value in rebalances)


def hdss_is_faster_than_acosta(results):
    ratios = [results[f"fig6-7-{case}"].seconds("hdss") / results[f"fig6-7-{case}"].seconds("acosta")
              for case in LARGE_ONE_GPU]
    return f"H's time over A's {numbers(ratios)}", all(value < 1 for value in ratios)


def of_products(machines):
    most = HIGHEST * (1 + HEADLINE_SHARE) if machines == 4 else HIGHEST
    return [(f"fig4-mm-32768-{machines}", HIGHEST), (f"fig4-mm-65536-{machines}", most)]


STATEMENTS = [
    Statement("1", "order 4096, 1 to 4 machines: greedy is fastest", "V.A a; Fig. 4", greedy_is_fastest),
    Statement("2", "one machine, products of 32768 and 65536: all speedups in 0.8 to 1.25",
              "V.A a (\"larger input sizes\", \"close to 1\"); Fig. 4", close_to_one(["mm-32768", "mm-65536"])),
    Statement("3", "one machine, 120000 and 140000 genes: all speedups in 0.8 to 1.25",
              "V.A a; Fig. 4", close_to_one(["grn-120000", "grn-140000"])),
    Statement("4", "three machines, products of 32768 and 65536: P above 1.2 (at most 2.2, the highest gain)",
              "V.A a; Fig. 4", above(of_products(3))),
    Statement("5", "four machines, products of 32768 and 65536: P above 1.2 (at most 2.2; 65536: 2.75, see 13)",
              "V.A a; Fig. 4", above(of_products(4))),
    Statement("6", "four machines, 120000 and 140000 genes: P above 1.2 (at most 2.2)", "V.A a; Fig. 4",
              above([("fig4-grn-120000-4", HIGHEST), ("fig4-grn-140000-4", HIGHEST)])),
    Statement("7", "three machines, 140000 genes: P at most 1.2", "V.A a; Fig. 4", not_above_with_three),
    Statement("8", "three and four machines, 500000 options: P above 1.2 (at most the axes' 1.3 and 1.6)",
              "V.A a; Figs 5f, 5h", above([(f"fig5-bs-500000-{m}", OPTIONS_AXIS[m]) for m in (3, 4)])),
    Statement("9", "1 to 4 machines, products of 65536: P is fastest", "V.A a; Fig. 4", is_fastest("fig4-mm-65536")),
    Statement("10", "1 to 4 machines, 140000 genes: P is fastest", "V.A a; Fig. 4", is_fastest("fig4-grn-140000")),
    Statement("11", "1 to 4 machines, 500000 options: P is fastest (speedup at most the axes' 1.01, 1.08, 1.3, 1.6)",
              "V.A a; Fig. 5", is_fastest("fig5-bs-500000", OPTIONS_AXIS)),
    Statement("12", "four machines, products of 65536: speedups P > H > A > 1", "V.A a", in_order),
    Statement("13", "the same, within 25 % of 2.2, 1.2, 1.04", "V.A a", as_printed),
    Statement("14", "P's of 13 is the highest gain of all products of 65536 and 140000 genes", "V.A a", is_highest_gain),
    Statement("15", "products of 65536: P's gain grows with machines", "V.A a (\"more heterogeneous scenarios\")",
              grow_with_machines),
    Statement("16", "one GPU a machine, large products and genes: each CPU's share is smaller under P than under H and A",
              "V.A b; Fig. 6", cpu_shares_are_smaller),
    Statement("17", "there: the shares of the GPUs of C and D are larger", "V.A b; Fig. 6", gpu_shares_are_larger),
    Statement("18", "one GPU a machine, all six cases: H idles more than P", "V.A c; Fig. 7",
              idles_more("hdss", SIX_CASES)),
    Statement("18b", "products of 65536, 60000 and 140000 genes: H idles more than P", "V.A c; Fig. 7",
              idles_more("hdss", IDLE_CASES)),
    Statement("19", "there: A idles more than P", "V.A c", idles_more("acosta", IDLE_CASES)),
    Statement("20", "products: P's idle share falls from order 4096 to 65536", "V.A c; Fig. 7", idle_falls),
    Statement("21", "large products and genes: P never rebalances", "V.A c", never_rebalances),
    Statement("22", "large products and genes: H is faster than A", "V.A b", hdss_is_faster_than_acosta),
]
