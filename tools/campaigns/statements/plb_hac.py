"""The 19 statements of PLB-HAC (2019), Figs 4 and 5 and sections 5.1 to 5.3."""
from .statement import Statement, numbers, percents

NAME = "PLB-HAC"
CAMPAIGN = "plb-hac"

MACHINES = (1, 2, 3, 4, 5)
MORE_MACHINES = (3, 4, 5)
NEAR = 0.15  # how far from the optimum's time "approximates the optimal curve" may be


def over(case, others, machines, is_fine):
    """P's time over those of other policies with each number of machines."""
    def test(results):
        texts, fine = [], True
        for other in others:
            ratios = [results[f"fig4-{case}-{m}"].seconds("plb-hac") / results[f"fig4-{case}-{m}"].seconds(other)
                      for m in machines]
            texts.append(f"{other} {numbers(ratios)}")
            fine = fine and all(is_fine(one) for one in ratios)
        return "P's time over " + "; ".join(texts), fine
    return test


def idles_more(case):
    def test(results):
        ratios = [results[f"fig4-{case}-{m}"].idle("hdss") / results[f"fig4-{case}-{m}"].idle("plb-hac")
                  for m in MACHINES]
        return f"over P's {numbers(ratios)}", all(value > 1 for value in ratios)
    return test


def is_nearer_to_the_optimum(case):
    """The sum of the differences of the units' shares from the optimum's, P's and H's."""
    def test(results):
        experiment = results[f"fig4-{case}-5"]
        best = experiment.shares("optimum")
        sums = [sum(abs(experiment.shares(policy)[unit] - best[unit]) for unit in best)
                for policy in ("plb-hac", "hdss")]
        return f"P {sums[0]:.3f}, H {sums[1]:.3f}", sums[0] < sums[1]
    return test


def idle_falls(results):
    idle = [results[f"fig4-{case}-5"].idle("plb-hac") for case in ("mm-4096", "mm-65536")]
    return percents(idle), idle[1] < idle[0]


def of_application(number, name, case):
    return [
        Statement(f"{number}a", f"{name}, 3 to 5 machines: P is faster than plb-hec, H and G", "5.1; Fig. 4",
                  over(case, ("plb-hec", "hdss", "greedy"), MORE_MACHINES, lambda ratio: ratio < 1)),
        Statement(f"{number}b", f"{name}, 3 to 5 machines: P within 15 % of the optimum", "5.1; Fig. 4",
                  over(case, ("optimum",), MORE_MACHINES, lambda ratio: abs(ratio - 1) <= NEAR)),
        Statement(f"{number}c", f"{name}, one machine: P is slower than H and G", "5.1; Fig. 4",
                  over(case, ("hdss", "greedy"), (1,), lambda ratio: ratio > 1)),
        Statement(f"{number}d", f"{name}, 1 to 5 machines: P is faster than plb-hec", "5.1; Fig. 4",
                  over(case, ("plb-hec",), MACHINES, lambda ratio: ratio < 1)),
        Statement(f"{number}e", f"{name}, 1 to 5 machines: H idles more than P", "5.3; Fig. 5a", idles_more(case)),
        Statement(f"{number}f", f"{name}, five machines: P's shares lie nearer the optimum's than H's (sum of differences)",
                  "5.2; Fig. 5b", is_nearer_to_the_optimum(case)),
    ]


STATEMENTS = [
    *of_application(1, "products of 65536", "mm-65536"),
    *of_application(2, "140000 genes", "grn-140000"),
    *of_application(3, "k-means of 500000", "kmeans-500000"),
    Statement("4", "products, five machines: P's idle share falls from order 4096 to 65536", "5.3; Fig. 5a", idle_falls),
]
