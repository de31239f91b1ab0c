// The chart of a run's block sizes over time.
import { addFigure, logAxis } from "./figure.js";
import { groupsOfModels } from "./data.js";
import { escaped, short, time, timeLabels } from "./words.js";

/** The units that have a colour together, [{ name, ids }]: single ones, or all of a model if there are
 * many. */
export function groupsOf(run) {
  if (run.units.length <= 8) return run.units.map(({ id }) => ({ name: id, ids: [id] }));
  return groupsOfModels(run.units);
}

/** What a chart calls a run. */
export const nameOf = (run) => `${run.policy} · ${run.on}`;

const most_points = 20000;
const bins = 300;

/** Points [time, items] of a unit: every block, or the mean of each of (bins) parts of the run. */
function sizesOf(run, unit, isDense) {
  const { b } = run;
  const points = [];
  if (!isDense) {
    for (let i = b.first[unit]; i < b.first[unit + 1]; ++i) points.push([b.begin[i], b.items[i]]);
    return points;
  }
  const sum = new Float64Array(bins);
  const count = new Float64Array(bins);
  for (let i = b.first[unit]; i < b.first[unit + 1]; ++i) {
    const bin = Math.min(bins - 1, Math.floor((b.begin[i] / run.makespan_s) * bins));
    sum[bin] += b.items[i];
    ++count[bin];
  }
  for (let bin = 0; bin < bins; ++bin) {
    if (count[bin] > 0) points.push([((bin + 0.5) / bins) * run.makespan_s, sum[bin] / count[bin]]);
  }
  return points;
}

function sizesOption(run, view) {
  const isDense = run.b.count > most_points;
  const groups = groupsOf(run);
  const series = groups.map((group, g) => ({
    type: "scatter",
    name: group.name,
    symbolSize: run.b.count > 2000 ? 3 : 5,
    itemStyle: { color: view.hue(g), opacity: 0.7 },
    large: run.b.count > 4000,
    data: run.units.flatMap((u, i) => (group.ids.includes(u.id) ? sizesOf(run, i, isDense) : [])),
  }));
  return {
    grid: { left: 64, right: 24, top: 40, bottom: 70 },
    legend: { data: series.map((s) => s.name) },
    tooltip: {
      trigger: "item",
      formatter: (p) => `${escaped(p.seriesName)}<br>${short(p.value[1], 6)} items at ${time(p.value[0])}`,
    },
    xAxis: { type: "value", min: 0, max: run.makespan_s, name: "time since the start", nameLocation: "middle", nameGap: 26, axisLabel: { ...timeLabels, showMaxLabel: false } },
    yAxis: logAxis(series.flatMap((s) => s.data.map((point) => point[1])), { name: "items in a block", nameGap: 46 }),
    dataZoom: [{ type: "slider", xAxisIndex: 0, filterMode: "none", height: 20, bottom: 8, showDataShadow: false, labelFormatter: (t) => time(t, 3) }],
    series,
  };
}

/** Adds the chart of block sizes; show(runs) chooses the runs, of which it draws the first. */
export function addBlockSizes(section, runs) {
  const shown = {};
  const figure = addFigure(section, {
    title: "Block sizes over time",
    how: "A dot is a block of the run that is chosen above: when it began, and how many items it had (log scale). Falling dots are a policy that hands out less and less; a jump is a new division. Of runs with more than 20,000 blocks a dot is a mean over 1/300 of the run.",
    height: 380,
    option: (view) => sizesOption(shown.run, view),
  });
  const show = ([run]) => {
    if (run.b) shown.run = run;
    figure.root.dataset.run = nameOf(run);
    figure.show(run.b ? "" : `${nameOf(run)} has too many blocks for this page.`);
  };
  show(runs);
  return show;
}
