"""The 5 statements of DLB-GPU (the earlier paper), Tables II to IV."""
from .statement import Statement, within

NAME = "DLB-GPU"
CAMPAIGN = "dlb-gpu"

SHARE = 0.25  # how far from a printed number ours may be

# The printed seconds: of each size, for 1 to 4 machines, (HDSS, DLB-GPU).
TABLES = {
    "II": {"mm-4096": ((233, 231), (129, 128), (36, 28), (29, 23)),
           "mm-65536": ((696, 689), (587, 502), (543, 497), (488, 428))},
    "III": {"bs-10000": ((6.52, 6.56), (4.65, 4.41), (1.31, 1.24), (1.11, 1.02)),
            "bs-500000": ((8.61, 8.59), (6.62, 6.51), (3.45, 3.11), (2.93, 2.72))},
    "IV": {"grn-100000": ((197.94, 116.43), (79.76, 53.43), (34.76, 21.39), (25.91, 18.54)),
           "grn-2000000": ((927.43, 889.13), (702.65, 632.73), (502.65, 432.43), (479.54, 411.46))},
}
LARGEST = ("mm-65536", "bs-500000", "grn-2000000")


def cells(sizes):
    """(experiment, printed seconds of HDSS, of DLB-GPU) for each size and number of machines."""
    for table in TABLES.values():
        for size, rows in table.items():
            if size in sizes:
                for machines, (hdss, dlb) in enumerate(rows, start=1):
                    yield f"{size}-{machines}", hdss, dlb


def ratio(results, experiment):
    return results[experiment].seconds("hdss") / results[experiment].seconds("dlb-gpu")


def has_the_order(table):
    def test(results):
        all_cells = list(cells(TABLES[table]))
        as_printed = sum((ratio(results, name) > 1) == (hdss > dlb) for name, hdss, dlb in all_cells)
        return f"{as_printed} of {len(all_cells)} cells", as_printed == len(all_cells)
    return test


def seconds_are_near(results):
    near, count = 0, 0
    for name, hdss, dlb in cells(LARGEST):
        near += within(results[name].seconds("hdss"), hdss, SHARE)
        near += within(results[name].seconds("dlb-gpu"), dlb, SHARE)
        count += 2
    return f"{near} of {count} numbers", near == count


def ratios_are_near(results):
    all_cells = list(cells([size for table in TABLES.values() for size in table]))
    near = sum(within(ratio(results, name), hdss / dlb, SHARE) for name, hdss, dlb in all_cells)
    return f"{near} of {len(all_cells)} ratios", near == len(all_cells)


def order_statement(number, table, what):
    return Statement(number, f"{what}: the faster policy is the printed one at both sizes with 1 to 4 machines",
                     f"Table {table}", has_the_order(table))


STATEMENTS = [
    order_statement("1", "II", "products"),
    order_statement("2", "III", "options"),
    order_statement("3", "IV", "gene networks"),
    Statement("4", "seconds of both policies at the largest sizes, 1 to 4 machines, within 25 %", "Tables II to IV",
              seconds_are_near),
    Statement("5", "HDSS's time over DLB-GPU's, both sizes, 1 to 4 machines, within 25 %", "Tables II to IV",
              ratios_are_near),
]
