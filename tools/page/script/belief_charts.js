// Charts of what the policy of a run believed when: the sizes that it chose, and its cost curves beside
// the blocks that it could learn from.
import { costCurve } from "./cost_curve.js";
import { addFigure, choice, logAxis } from "./figure.js";
import { groupsOf, nameOf } from "./run_charts.js";
import { escaped, percent, short, significant, time, timeLabels } from "./words.js";

const believes = (run) => run.decisions.some((d) => d.units.length > 0);

/** What the policy chose at each decision. */
function chosenOption(run, view) {
  const made = run.decisions.filter((d) => d.units.length > 0);
  const series = groupsOf(run).map((group, g) => ({
    type: "scatter",
    name: group.name,
    symbolSize: 7,
    itemStyle: { color: view.hue(g), opacity: 0.75 },
    data: made.flatMap((d) =>
      d.units
        .filter((e) => group.ids.includes(run.units[e.unit].id) && e.block_items > 0)
        .map((e) => ({ value: [d.at_s, e.block_items], d, e })),
    ),
  }));
  return {
    grid: { left: 64, right: 24, top: 40, bottom: 48 },
    legend: { data: series.map((s) => s.name) },
    tooltip: {
      trigger: "item",
      formatter: ({ data: { d, e } }) =>
        `<b>${escaped(run.units[e.unit].id)}</b>, ${escaped(d.what)} at ${time(d.at_s)}<br>next block: ${short(e.block_items, 6)} items` +
        (e.cost_s ? `<br>seconds for x items: ${escaped(e.cost_s)}` : "") +
        (e.r2 === undefined ? "" : `<br>r² of the fit ${significant(e.r2, 4)}`),
    },
    xAxis: { type: "value", min: 0, max: run.makespan_s, name: "time since the start", nameLocation: "middle", nameGap: 26, axisLabel: { ...timeLabels, showMaxLabel: false } },
    yAxis: logAxis(series.flatMap((s) => s.data.map(({ value }) => value[1])), { name: "items chosen", nameGap: 46 }),
    series,
  };
}

const itemsOf = (run) => run.header.workloads.reduce((sum, w) => sum + w.items, 0);

/** The curves of a unit by decision: [{ at_s, what, r2, cost }]. */
function curvesOf(run, unit) {
  const total = itemsOf(run);
  return run.decisions.flatMap((d) =>
    d.units
      .filter((e) => e.unit === unit && e.cost_s)
      .map((e) => ({ at_s: d.at_s, what: d.what, r2: e.r2, items: e.block_items, cost: costCurve(e.cost_s, total) }))
      .filter((e) => e.cost),
  );
}

/** The units of a run for which there are curves. */
const unitsWithCurves = (run) =>
  run.units.map((_, i) => i).filter((i) => curvesOf(run, i).length > 0);

/** Up to five of `list`: the first, the last, and between them at equal distances. */
function someOf(list) {
  const count = Math.min(5, list.length);
  const at = (i) => (count === 1 ? 0 : Math.round((i * (list.length - 1)) / (count - 1)));
  return Array.from({ length: count }, (_, i) => list[at(i)]);
}

const most_dots = 3000;

/** [items, seconds from the begin of its copy in to its end, begin] of the unit's blocks. */
function blocksOf(run, unit) {
  const { b } = run;
  if (!b) return [];
  const [from, to] = [b.first[unit], b.first[unit + 1]];
  const step = Math.ceil((to - from) / most_dots) || 1;
  const dots = [];
  for (let i = from; i < to; i += step) {
    const seconds = b.inEnd[i] - b.inAt[i] + b.computeEnd[i] - b.computeAt[i] + b.end[i] - b.outAt[i];
    dots.push([b.items[i], seconds, b.end[i]]);
  }
  return dots.filter(([items, seconds]) => items > 0 && seconds > 0);
}

function curvesOption(run, unit, view) {
  const dots = blocksOf(run, unit);
  const curves = someOf(curvesOf(run, unit));
  const sizes = [...dots.map((d) => d[0]), ...curves.map((c) => c.items).filter((n) => n > 0)];
  const low = Math.max(1, Math.min(...sizes) / 2);
  const high = Math.max(...sizes) * 2;
  const xs = Array.from({ length: 61 }, (_, i) => low * (high / low) ** (i / 60));
  const lines = curves.map((c, i) => ({
    type: "line",
    name: `${c.what} at ${time(c.at_s, 3)}${c.r2 === undefined ? "" : `, r² ${significant(c.r2, 3)}`}`,
    symbol: "none",
    itemStyle: { color: view.hue(i) },
    lineStyle: { color: view.hue(i), width: i === curves.length - 1 ? 2.5 : 1.3 },
    data: xs.map((x) => [x, c.cost(x)]).filter(([, y]) => y > 0),
  }));
  return {
    grid: { left: 74, right: 24, top: view.isNarrow ? 64 : 48, bottom: 48 },
    legend: { data: lines.map((l) => l.name) },
    tooltip: {
      trigger: "item",
      formatter: ({ value, data, seriesType }) =>
        seriesType === "scatter"
          ? `block of ${short(value[0], 6)} items: ${time(value[1])}, ended at ${time(data[2])}` +
            curves
              .map((c) => `<br>${escaped(c.what)} at ${time(c.at_s, 3)} says ${time(c.cost(value[0]))} (${percent(c.cost(value[0]) / value[1] - 1)})`)
              .join("")
          : "",
    },
    xAxis: logAxis([low, high], { name: "items in a block", nameGap: 28 }),
    yAxis: logAxis([...lines.flatMap((l) => l.data.map((point) => point[1])), ...dots.map((d) => d[1])], { name: "time for the block", nameGap: 56, axisLabel: timeLabels }),
    series: [
      ...lines,
      { type: "scatter", symbolSize: 5, itemStyle: { color: view.theme.muted, opacity: 0.6 }, data: dots },
    ],
  };
}

/** What is said in place of a chart of a run that has nothing to draw. */
function without(run, what, others) {
  const names = [...new Set(others.map((other) => other.policy))];
  return `${run.policy} decides without ${what}, so there is nothing to draw. Above, choose ${names.slice(0, 3).join(" or ")} for such a chart.`;
}

/** The chart of curves, for one unit at a time. */
function addCurves(section, all) {
  const others = all.filter((run) => unitsWithCurves(run).length > 0);
  if (others.length === 0) return () => {};
  const shown = { units: [], unit: 0 };
  const label = choice("Unit", [], 0, (i) => {
    shown.unit = i;
    figure.draw();
  });
  const select = label.querySelector("select");
  const figure = addFigure(section, {
    title: "Cost curves that the policy believed",
    how: "A line is the time that the policy expected of a block of any size, after the decision that the legend names; at most five decisions, the last one thick. A grey dot is a block of this unit in this run, copies included (some policies fit computing alone: their lines lie below where copies take long). Lines through the dots: the policy knew its unit. Both scales are logarithmic.",
    height: 400,
    controls: [label],
    option: (view) => curvesOption(shown.run, shown.units[shown.unit], view),
  });
  return (run) => {
    const before = shown.run?.units[shown.units[shown.unit]].id;
    const units = unitsWithCurves(run);
    figure.root.dataset.run = nameOf(run);
    if (units.length > 0) {
      const names = units.map((u) => run.units[u].id);
      Object.assign(shown, { run, units, unit: Math.max(0, names.indexOf(before)) });
      select.replaceChildren(...names.map((name, i) => new Option(name, i)));
      select.value = shown.unit;
    }
    figure.show(units.length > 0 ? "" : without(run, "cost curves", others));
  };
}

/** Adds the charts of decisions if any of the runs has some; returns what shows other runs. */
export function addBeliefs(section, runs, all) {
  const others = all.filter(believes);
  if (others.length === 0) return null;
  const shown = {};
  const figure = addFigure(section, {
    title: "Block sizes that the policy chose",
    how: "A dot is what a decision of the run that is chosen above chose for a unit: the block size that the policy held for right at that moment (log scale). Point at one for the cost curve that it had fitted by then, and how well that fitted (r², 1 is perfect).",
    height: 360,
    option: (view) => chosenOption(shown.run, view),
  });
  const showCurves = addCurves(section, all);
  const show = ([run]) => {
    if (believes(run)) shown.run = run;
    figure.root.dataset.run = nameOf(run);
    figure.show(believes(run) ? "" : without(run, "estimates of units", others));
    showCurves(run);
  };
  show(runs);
  return show;
}
