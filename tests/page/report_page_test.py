"""Report pages in a real browser: Debian's chromium without a window, driven by selenium.

    report_page_test.py PROGRAM SOURCES BLOCKS

PROGRAM: equipoise. SOURCES: the repository, for its recorded machines. BLOCKS: how many blocks the
large run has. Ends with 77, which ctest takes for a skip, where there is no browser or no chart.
"""

import base64
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
import zlib

PROGRAM, SOURCES, BLOCKS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]


def skip(why):
    print(f"SKIPPED: {why}")
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select
except ImportError:
    skip("there is no python3-selenium")
for needed in ("/usr/bin/chromium", "/usr/bin/chromedriver"):
    if not pathlib.Path(needed).exists():
        skip(f"there is no {needed}")

SVG = "{http://www.w3.org/2000/svg}"
MACHINE = ["--platform", SOURCES / "platforms/sirocco.xml"]
OPERANDS = ["--trace", SOURCES / "traces/sirocco-dgemm-operands.jsonl"]
NOT_MOVING = ["--trace", SOURCES / "traces/sirocco-dgemm.jsonl"]


def equipoise(*arguments):
    subprocess.run(
        [PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def new_browser(downloads):
    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    browser.execute_cdp_cmd("Browser.setDownloadBehavior",
                            {"behavior": "allow", "downloadPath": str(downloads)})
    return browser


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="equipoise-page-")
        cls.here = pathlib.Path(cls.scratch.name)
        cls.downloads = cls.here / "downloads"
        cls.downloads.mkdir()
        equipoise("compare", *MACHINE, *OPERANDS, "--workload", "starpu_dgemm_gemm:items=3e5",
                  "--policy", "greedy", "--policy", "plb-hec", "--policy", "equipoise",
                  "--policy", "optimum", "--best-known", "off", "--reps", "3", "--out",
                  cls.here / "cmp")
        cls.page = cls.here / "cmp/report.html"
        cls.results = json.loads((cls.here / "cmp/results.json").read_text())
        cls.addClassCleanup(cls.scratch.cleanup)
        if 'id="packed"' not in cls.page.read_text():
            skip("this build has no npm, so its pages have no charts")
        cls.browser = new_browser(cls.downloads)
        cls.addClassCleanup(cls.browser.quit)

    def open(self, page, width=1280, scheme="light"):
        browser = self.browser
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        browser.get(f"file://{page}")
        self.wait_for("return document.documentElement.dataset.ready")
        browser.execute_script("equipoise.drawEveryFigure()")

    def wait_for(self, script, *arguments):
        for _ in range(600):
            found = self.browser.execute_script(script, *arguments)
            if found:
                return found
            time.sleep(0.05)
        self.fail(f"this never came true: {script}")

    def expect_no_error(self):
        self.assertEqual(self.browser.get_log("browser"), [])

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def figure(self, title):
        for figure in self.all("figure.chart"):
            if figure.find_element(By.TAG_NAME, "h3").text == title:
                return figure
        self.fail(f"there is no chart {title}")

    def svg_of(self, title):
        return xml.fromstring(
            self.browser.execute_script("return equipoise.svgOf(arguments[0])", title))

    def texts_of(self, svg):
        return ["".join(text.itertext()) for text in svg.iter(SVG + "text")]

    def marks_of(self, svg, kind="chart"):
        """What stands for data, or in the legend, in the order in which it is drawn."""
        return [path for path in svg.iter(SVG + "path")
                if path.get("ecmeta_ssr_type") == kind and path.get("fill") != "none"]

    def test_loads_without_an_error_in_light_and_dark_and_at_every_width(self):
        for scheme in ("light", "dark"):
            for width in (400, 1280, 2000):
                self.open(self.page, width, scheme)
                self.expect_no_error()
                titles = [figure.text for figure in self.all("figure.chart h3")]
                self.assertIn("Schedule", titles)
                self.assertIn("Losses by cause", titles)
                wide = self.browser.execute_script("return document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, f"{scheme}, {width}")

    def test_shows_the_numbers_of_results_json(self):
        self.open(self.page)
        rows = {}
        for row in self.all('[data-charts="numbers"] tbody tr'):
            name = row.find_element(By.CSS_SELECTOR, "th abbr").text
            rows[name] = [cell.get_attribute("data-value")
                          for cell in row.find_elements(By.TAG_NAME, "td")]
        self.assertEqual(len(rows), 4)
        for result in self.results["results"]:
            shown = [float(value) for value in rows[result["spelling"]]
                     if re.fullmatch(r"[-+.e\d]+", value or "")]
            for number in (result["makespan_s"]["mean"], result["speedup_vs_baseline"],
                           result["over_lower_bound"], result["idle_fraction"]["mean"],
                           result["blocks"], result["finish_spread_s"]):
                self.assertIn(number, shown)
        best = min((r for r in self.results["results"] if not r["oracle"]),
                   key=lambda r: r["makespan_s"]["mean"])
        answer = self.all(".answer .first")[0].text
        self.assertTrue(answer.startswith(f"{best['spelling']} is the fastest policy"), answer)
        self.assertIn(text_of_time(best["makespan_s"]["mean"]), answer)

    def test_draws_the_lower_bound_where_it_is(self):
        self.open(self.page)
        svg = self.svg_of("Makespan")
        labels = {}
        for text in svg.iter(SVG + "text"):
            if found := re.fullmatch(r"([\d.]+) (ms|s)", "".join(text.itertext())):
                seconds = float(found[1]) * (1e-3 if found[2] == "ms" else 1)
                labels[seconds] = float(re.search(r"translate\(([\d.]+)", text.get("transform"))[1])
        (low, low_x), *_, (high, high_x) = sorted(labels.items())
        bound = next(path for path in svg.iter(SVG + "path") if path.get("stroke") == "#1a7f37")
        x = float(re.match(r"M([\d.]+)", bound.get("d"))[1])
        expected = low_x + (self.results["lower_bound_s"] - low) * (high_x - low_x) / (high - low)
        self.assertAlmostEqual(x, expected, delta=1.1)

    def test_reads_the_cost_curves_of_policies(self):
        self.open(self.page)
        for text, items, seconds in (
                ("7.5e-07 x + 5e-08 x (copies) + 2e-05 (latency)", 100, 1e-4),
                ("0.003 e^(x/N) - 1e-08 x ln(x/N)", 500, 0.003 * math.exp(0.5) + 5e-6 * math.log(2)),
                ("2e-09 x^2 + 0.001 x e^(x/N)", 1000, 0.002 + math.e),
                ("2.5e+06 items/s", 5000, 0.002),
                ("x / (3 ln x - 2)", 10, 10 / (3 * math.log(10) - 2)),
                ("profile", 10, None), ("alert(1) x", 10, None)):
            read = self.browser.execute_script(
                "const curve = equipoise.costCurve(arguments[0], 1000);"
                "return curve ? curve(arguments[1]) : null", text, items)
            if seconds is None:
                self.assertIsNone(read, text)
            else:
                self.assertAlmostEqual(read, seconds, delta=1e-9 * seconds, msg=text)
        figure = self.figure("Cost curves that the policy believed")
        names = [option.text for option in Select(figure.find_element(By.TAG_NAME, "select")).options]
        self.assertIn("cuda0", names)

    def test_answers_for_each_of_several_comparisons_and_shows_them_by_size(self):
        equipoise("compare", *MACHINE, *OPERANDS, "--workload", "starpu_dgemm_gemm:items=1e5",
                  "--policy", "greedy", "--policy", "equipoise", "--best-known", "off", "--reps",
                  "2", "--out", self.here / "other/cmp")
        equipoise("report", self.here / "cmp", self.here / "other", "--out",
                  self.here / "both.html")
        self.open(self.here / "both.html")
        self.expect_no_error()
        other = json.loads((self.here / "other/cmp/results.json").read_text())
        rows = self.all('[data-charts="sweep"] tbody tr')
        self.assertEqual(len(rows), 2)
        for row, folder, results in zip(rows, ("cmp", "other/cmp"), (self.results, other)):
            self.assertEqual(row.find_element(By.TAG_NAME, "th").text, str(self.here / folder))
            best = min((r for r in results["results"] if not r["oracle"]),
                       key=lambda r: r["makespan_s"]["mean"])
            values = [cell.get_attribute("data-value")
                      for cell in row.find_elements(By.TAG_NAME, "td")]
            self.assertIn(repr(best["makespan_s"]["mean"]), values)
        self.assertEqual(len(self.all(".answer .first")), 2)
        sizes = Select(self.figure("Policies by experiment").find_elements(By.TAG_NAME, "select")[1])
        self.assertEqual(sizes.first_selected_option.text, "starpu_dgemm_gemm on sirocco, by items")

    def runs_of_page(self, page=None):
        html = (page or self.page).read_text()
        return [json.loads(text)
                for text in re.findall(r'data-kind="run"[^>]*>(.*?)</script>', html, re.S)]

    def test_shows_the_chosen_run_in_all_charts_of_a_run(self):
        self.open(self.page)
        upper = Select(self.figure("Schedule").find_element(By.TAG_NAME, "select"))
        chose = "Block sizes that the policy chose"
        without = 0
        for run in self.runs_of_page():
            name = f"{run['policy']} · {run['on']}"
            upper.select_by_visible_text(name)
            for title in ("Block sizes over time", chose, "Cost curves that the policy believed"):
                self.wait_for("return arguments[0].dataset.run === arguments[1]",
                              self.figure(title), name)
            self.assertEqual(len(self.marks_of(self.svg_of("Block sizes over time"))),
                             run["blocks"])
            estimates = [estimate for decision in run["decisions"]
                         for estimate in decision["units"]]
            canvas = self.figure(chose).find_element(By.CLASS_NAME, "canvas")
            self.assertEqual(canvas.is_displayed(), len(estimates) > 0, name)
            if estimates:
                self.assertEqual(len(self.marks_of(self.svg_of(chose))),
                                 sum(estimate["block_items"] > 0 for estimate in estimates))
            else:
                without += 1
                self.assertIn(f"{run['policy']} decides without estimates of units",
                              self.figure(chose).text)
        self.assertGreater(without, 0)
        self.expect_no_error()

    def test_gives_units_of_one_model_one_colour_and_other_models_others(self):
        spec = {"schema": "equipoise.machines/1", "source": "test",
                "network": {"bytes_per_s": "100 Gb/s", "latency_s": "2 us"},
                "machines": [
                    {"id": node, "units": [{"id": "gpu1", "data_sheet": "h100-pcie-80gb"},
                                           {"id": "gpu2", "data_sheet": "l40s"}]}
                    for node in ("a", "b", "c", "d", "e")],
                "platforms": [{"name": "two", "machines": ["a", "b", "c", "d", "e"]}],
                "traces": [{"name": "two", "kernel": "matmul", "problem": {"n": 16384}}]}
        (self.here / "two.json").write_text(json.dumps(spec))
        equipoise("platform", "generate", "--spec", self.here / "two.json", "--out", self.here)
        equipoise("compare", "--platform", self.here / "two.xml", "--trace",
                  self.here / "two.jsonl", "--workload", "matmul:n=16384", "--policy", "fixed",
                  "--best-known", "off", "--reps", "1", "--out", self.here / "models")
        self.open(self.here / "models/report.html")
        svg = self.svg_of("Share of the items by unit")
        texts = self.texts_of(svg)
        self.assertIn("NVIDIA H100 PCIe (a.gpu1 to e.gpu1)", texts)
        bars = {int(bar.get("ecmeta_series_index")): bar.get("fill") for bar in self.marks_of(svg)}
        self.assertEqual(len(bars), 10)
        self.assertEqual({bars[i] for i in range(0, 10, 2)}, {bars[0]})
        self.assertEqual({bars[i] for i in range(1, 10, 2)}, {bars[1]})
        self.assertNotEqual(bars[0], bars[1])
        sizes = self.svg_of("Block sizes over time")
        self.assertEqual(len(self.marks_of(sizes, "legend")), 2)
        self.expect_no_error()

    def test_gives_more_models_than_colours_different_ones(self):
        self.open(self.page)
        colours = self.browser.execute_script(
            "return Array.from({ length: 40 }, (_, i) => equipoise.hue(i))")
        self.assertEqual(len(set(colours)), 40)

    def test_fits_logarithmic_axes_to_what_they_show(self):
        run, page = self.here / "ones.jsonl", self.here / "ones.html"
        equipoise("simulate", *MACHINE, *NOT_MOVING, "--workload", "starpu_dgemm_gemm:items=500",
                  "--policy", "ss", "--out", run, "--report", page)
        self.open(page)
        texts = self.texts_of(self.svg_of("Block sizes over time"))
        self.assertIn("1", texts)
        self.assertNotIn("0.1", texts)
        self.assertNotIn("10", texts)
        for low, high, numbers in (
                (1, 1, [1]), (7, 90, [10, 20, 50]), (100, 130, [100, 120, 140]),
                (3, 5e5, [10, 100, 1e3, 1e4, 1e5]),
                (2e-5, 2e-3, [2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3])):
            axis = self.browser.execute_script(
                "const axis = equipoise.logAxis([arguments[0], arguments[1], 0], {});"
                "return [axis.min, axis.max, axis.axisLabel.customValues]", low, high)
            self.assertTrue(low / 1.5 < axis[0] < low and high < axis[1] < 1.5 * high, axis)
            self.assertEqual(axis[2], numbers)

    def test_has_the_colours_of_pictures(self):
        svg = self.here / "schedule.svg"
        run = next(r for r in self.runs_of_page() if r["policy"] == "plb-hec")
        equipoise("report", self.here / "cmp/runs" / pathlib.Path(run["file"]).name, "--svg", svg)
        style = xml.parse(svg).find(SVG + "style").text
        of_picture = dict(re.findall(r"\.([a-z]+){(?:fill|stroke):(#[0-9a-f]+)", style))
        self.open(self.page)
        schedule = self.svg_of("Schedule")
        keys = [path.get("fill") for path in self.marks_of(schedule, "legend")]
        words = [text for text in self.texts_of(schedule)]
        first = words.index("computing")
        of_page = dict(zip(words[first:], keys))
        self.assertEqual((of_page["computing"], of_page["copy in"], of_page["copy out"]),
                         (of_picture["compute"], of_picture["in"], of_picture["out"]))
        self.assertIn(of_picture["bound"], [p.get("stroke") for p in schedule.iter(SVG + "path")])

    def test_says_why_the_fastest_policy_is_not_at_the_bound(self):
        self.open(self.page)
        best = min((r for r in self.results["results"] if not r["oracle"]),
                   key=lambda r: r["makespan_s"]["mean"])
        whys = [p.text for p in self.all(".answer p") if " lost " in p.text]
        self.assertEqual(len(whys), 1)
        self.assertRegex(whys[0], re.escape(best["spelling"]) + r" lost [\d.]+ ms over the lower")

    def test_holds_the_blocks_of_run_files(self):
        for run in self.runs_of_page():
            lines = (self.here / "cmp/runs" / pathlib.Path(run["file"]).name).read_text()
            blocks = [json.loads(line) for line in lines.splitlines()
                      if line.startswith('{"block"')]
            self.assertEqual(run["blocks"], len(blocks))
            self.expect_blocks(run, blocks)

    def expect_blocks(self, run, blocks):
        columns = {name: unsigned(zlib.decompress(base64.b64decode(packed)))
                   for name, packed in run["columns"].items() if name != "tag"}
        names = [unit["id"] for unit in run["units"]]
        blocks.sort(key=lambda b: (names.index(b["unit"]), b["setup_at_s"], b["block"]))
        stages = ("setup", "in_wait", "in", "compute_wait", "compute", "out_wait", "out")
        before, last_id, last_items, unit = 0, 0, 0, None
        for i, block in enumerate(blocks):
            if block["unit"] != unit:
                before, last_id, last_items, unit = 0, 0, 0, block["unit"]
            last_id += signed(columns["block"][i])
            last_items += signed(columns["items"][i])
            begin = before + signed(columns["start"][i])
            end = begin + sum(columns[stage][i] for stage in stages)
            self.assertEqual((last_id, last_items), (block["block"], block["items"]))
            self.assertAlmostEqual(begin * run["quantum_s"], block["setup_at_s"],
                                   delta=run["quantum_s"])
            self.assertAlmostEqual(end * run["quantum_s"], block["end_s"], delta=run["quantum_s"])
            compute = columns["compute"][i] * run["quantum_s"]
            self.assertAlmostEqual(compute, block["compute_s"], delta=2 * run["quantum_s"])
            before = max(before, round(block["end_s"] / run["quantum_s"]))

    def test_escapes_the_text_of_files(self):
        evil = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
        results = json.loads(json.dumps(self.results))
        results["results"][0]["spelling"] = evil
        results["environment"] = {"command": evil, "host": "&lt;b&gt;"}
        results["assumptions"] = evil
        results["experiment"]["sim"]["traces"] = []
        (self.here / "evil.json").write_text(json.dumps(results))
        equipoise("report", self.here / "evil.json", "--out", self.here / "evil.html")
        self.open(self.here / "evil.html")
        self.expect_no_error()
        self.assertIsNone(self.browser.execute_script("return window.broken ?? null"))
        self.assertEqual(self.all("img"), [])
        self.assertIn(evil, self.all("pre")[0].text)
        self.assertIn("&lt;b&gt;", [fact.text for fact in self.all("dd")])

    def test_can_be_used_with_the_keyboard(self):
        self.open(self.page)
        heading = self.all("thead abbr")[0]
        self.browser.execute_script("arguments[0].focus()", heading)
        tip = self.all("#tip")[0]
        self.assertTrue(tip.is_displayed())
        self.assertEqual(tip.text, heading.get_attribute("data-tip"))
        heading.send_keys(Keys.ESCAPE)
        self.assertFalse(tip.is_displayed())
        for canvas in self.all(".canvas"):
            self.assertEqual(canvas.get_attribute("tabindex"), "0")
            self.assertGreater(len(canvas.get_attribute("aria-label")), 40)
        figure = self.figure("Schedule")
        canvas = figure.find_element(By.CLASS_NAME, "canvas")
        whole = self.window(figure)
        canvas.send_keys("+")
        half = self.changed_window(figure, whole)
        self.assertAlmostEqual(half[1] - half[0], (whole[1] - whole[0]) / 2, delta=1e-6)
        canvas.send_keys(Keys.ARROW_RIGHT)
        self.assertGreater(self.changed_window(figure, half)[0], half[0])
        canvas.send_keys("0")
        self.changed_window(figure, half)

    def window(self, figure):
        return self.wait_for(
            "const d = arguments[0].dataset;"
            "return d.from === undefined ? null : [Number(d.from), Number(d.to)]", figure)

    def changed_window(self, figure, before):
        for _ in range(100):
            now = self.window(figure)
            if now != before:
                return now
            time.sleep(0.05)
        self.fail("the chart does not move")

    def test_draws_two_runs_on_one_axis(self):
        self.open(self.page)
        figure = self.figure("Schedule")
        before = figure.size["height"]
        upper, lower = (Select(s) for s in figure.find_elements(By.TAG_NAME, "select"))
        names = [option.text for option in upper.options]
        names.remove(upper.first_selected_option.text)
        lower.select_by_visible_text(names[0])
        self.wait_for("return arguments[0].offsetHeight > arguments[1]", figure, before)
        self.expect_no_error()

    def test_draws_the_costs_of_items_above_the_schedule(self):
        equipoise("compare", *MACHINE, *OPERANDS, "--workload",
                  "starpu_dgemm_gemm:items=4000,costs=increasing", "--policy", "greedy",
                  "--policy", "static:costs=known", "--best-known", "off", "--reps", "1", "--out",
                  self.here / "differ")
        for width in (400, 1280):
            self.open(self.here / "differ/report.html", width)
            titles = [figure.text for figure in self.all('[data-charts="schedule"] h3')]
            self.assertLess(titles.index("Costs of items"), titles.index("Schedule"))
            self.expect_no_error()
        texts = self.texts_of(self.svg_of("Costs of items"))
        self.assertIn("position of the item (not time)", texts)
        self.assertIn("cost, times the mean", texts)
        # Item i of 4,000 costs (2 i + 1) / 4,000: the first 0.00025, the last 1.99975. The mean of
        # twenty of them, from item f on, is (2 f + 20) / 4,000.
        self.assertIn("Items of starpu_dgemm_gemm cost from 0.00025 to 2 times the mean",
                      self.figure("Costs of items").text)
        for run in self.runs_of_page(self.here / "differ/report.html"):
            (costs,) = run["header"]["costs"]
            self.assertEqual(costs["items"], 4000)
            for k, mean in enumerate(costs["means"]):
                self.assertAlmostEqual(mean, (40 * k + 20) / 4000, delta=1e-9)
            self.assertEqual(len(costs["means"]), 200)
        marks = [mark.text for mark in self.all('[data-charts="numbers"] tbody .mark')]
        self.assertEqual([mark for mark in marks if mark.startswith("knows")],
                         ["knows speeds", "knows costs"])

    def test_draws_no_costs_of_items_that_are_alike(self):
        self.open(self.page)
        titles = [figure.text for figure in self.all("figure.chart h3")]
        self.assertNotIn("Costs of items", titles)
        self.assertTrue(all("costs" not in run["header"] for run in self.runs_of_page()))

    def test_saves_charts_as_svg(self):
        self.open(self.page)
        buttons = self.all("figure.chart .controls button:last-child")
        self.assertGreaterEqual(len(buttons), 8)
        self.browser.execute_script("arguments[0].click()", buttons[0])
        for _ in range(200):
            if files := list(self.downloads.glob("*.svg")):
                break
            time.sleep(0.05)
        titles = [figure.text for figure in self.all("figure.chart h3")]
        svgs = [self.browser.execute_script("return equipoise.svgOf(arguments[0])", title)
                for title in titles]
        saved, drawn = (re.sub(r"zr\d+-(cls-|c)\d+", "", text)
                        for text in (files[0].read_text(), svgs[0]))
        self.assertEqual(saved, drawn)
        for title, svg in zip(titles, svgs):
            self.assertGreater(sum(1 for _ in xml.fromstring(svg).iter()), 15, title)
        self.expect_no_error()

    def test_says_how_a_single_run_is_repeated(self):
        run, page = self.here / "single.jsonl", self.here / "single.html"
        equipoise("simulate", *MACHINE, *NOT_MOVING, "--workload",
                  "starpu_dgemm_gemm:items=1e5", "--policy", "greedy", "--out", run, "--report",
                  page)
        self.open(page)
        repeat = self.all('[data-charts="repeat"]')[0].text
        self.assertIn(f"simulate --platform {MACHINE[1]}", repeat)
        self.assertRegex(repeat, f"{MACHINE[1]} [0-9a-f]{{16}}")

    def test_opens_a_large_run_and_zooms_to_single_blocks(self):
        run, page = self.here / "large.jsonl", self.here / "large.html"
        equipoise("simulate", *MACHINE, *NOT_MOVING, "--workload",
                  f"starpu_dgemm_gemm:items={BLOCKS}", "--policy", "ss", "--out", run)
        equipoise("report", run, "--out", page)
        size = page.stat().st_size
        self.assertLess(size, 10_000_000)
        began = time.time()
        self.open(page)
        figure = self.figure("Schedule")
        self.window(figure)
        print(f"{BLOCKS} blocks, {size / 1e6:.1f} MB: drawn {time.time() - began:.2f} s after the "
              "browser was asked for the page", flush=True)
        self.assertEqual(int(figure.get_attribute("data-blocks")), int(BLOCKS))
        canvas = figure.find_element(By.CLASS_NAME, "canvas")
        for _ in range(30):
            before = self.window(figure)
            canvas.send_keys("+")
            self.changed_window(figure, before)
            if int(figure.get_attribute("data-blocks")) < 100:
                break
        self.assertEqual(figure.get_attribute("data-single"), "true")
        self.expect_no_error()


def text_of_time(seconds):
    """Four digits, with the largest SI prefix up to 1 s that leaves a digit before the point."""
    factor, unit = next(of for of in ((1, "s"), (1e-3, "ms"), (1e-6, "us")) if seconds >= of[0])
    digits = 3 - math.floor(math.log10(seconds / factor))
    return f"{seconds / factor:.{digits}f} {unit}"


def unsigned(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value, shift = 0, 0
    return values


def signed(value):
    return value // 2 if value % 2 == 0 else -(value + 1) // 2


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
