// The costs of a run's items, above its schedule.
import { addFigure } from "./figure.js";
import { nameOf } from "./run_charts.js";
import { escaped, short, significant } from "./words.js";

/** The phases of a run: { kernel, items, costs: profile or null, first: items of the phases before }. */
function phasesOf(run) {
  let first = 0;
  return run.header.workloads.map((workload, i) => {
    const phase = { kernel: workload.kernel, items: workload.items, costs: run.header.costs[i], first };
    first += workload.items;
    return phase;
  });
}

/** Points [position of an item, cost of it and of those up to the next point]. */
function steps({ items, costs, first }) {
  const means = costs ? costs.means : [1];
  const points = means.map((mean, k) => [first + Math.floor((k * items) / means.length), mean]);
  return [...points, [first + items, means[means.length - 1]]];
}

function costsOption(run, view) {
  const phases = phasesOf(run);
  const { first, items } = phases[phases.length - 1];
  const colour = view.theme.muted;
  const several = phases.length > 1;
  return {
    grid: { left: 64, right: 24, top: several ? 40 : 14, bottom: 44 },
    legend: several ? { data: phases.map((_, i) => nameOfPhase(phases, i)) } : undefined,
    tooltip: {
      trigger: "axis",
      formatter: ([p]) => `${escaped(p.seriesName)}<br>from item ${short(p.value[0], 6)} on: ${significant(p.value[1])} times the mean`,
    },
    xAxis: {
      type: "value",
      min: 0,
      max: first + items,
      name: `position of the item${several ? ", phase after phase" : ""} (not time)`,
      nameLocation: "middle",
      nameGap: 26,
      axisLabel: { formatter: (v) => short(v), showMaxLabel: false },
    },
    yAxis: {
      type: "value",
      min: 0,
      splitNumber: 4,
      name: "cost, times the mean",
      nameLocation: "middle",
      nameGap: 38,
      axisLabel: { formatter: (v) => short(v) },
    },
    series: phases.map((phase, i) => ({
      type: "line",
      name: nameOfPhase(phases, i),
      step: "end",
      symbol: "none",
      lineStyle: { color: several ? view.hue(i) : colour, width: 1 },
      itemStyle: { color: several ? view.hue(i) : colour },
      areaStyle: { color: several ? view.hue(i) : colour, opacity: 0.3 },
      data: steps(phase),
    })),
  };
}

const nameOfPhase = (phases, i) => (phases.length > 1 ? `${i + 1}: ${phases[i].kernel}` : phases[i].kernel);

/** "Items of loop cost from 0.5 to 2 times the mean." */
function extremes(run) {
  const phases = phasesOf(run);
  const range = ({ least, most }) => `${significant(least, 3)} to ${significant(most, 3)}`;
  return phases
    .flatMap(({ kernel, costs }, i) => {
      if (!costs) return [];
      const which = phases.length > 1 ? `phase ${i + 1} (${kernel})` : kernel;
      return [`Items of ${which} cost from ${range(costs)} times the mean.`];
    })
    .join(" ");
}

/** Adds the chart of the costs of items, unless they are alike in all (runs); show(runs) chooses the
 * runs, of which it draws the first. */
export function addItemCosts(section, runs) {
  if (!runs.some((run) => run.header.costs)) return null;
  const shown = { run: runs.find((run) => run.header.costs) };
  const figure = addFigure(section, {
    title: "Costs of items",
    how: "What each item costs, from the first item to the last (not over time), in the run that is chosen below. Of many items, a step is the mean of neighbours.",
    height: () => (phasesOf(shown.run).length > 1 ? 220 : 190),
    option: (view) => costsOption(shown.run, view),
  });
  return ([run]) => {
    const { costs } = run.header;
    if (costs) shown.run = run;
    figure.root.dataset.run = nameOf(run);
    figure.show(costs ? "" : `The items of ${nameOf(run)} all cost the same.`);
    if (costs) figure.read(extremes(run));
  };
}
