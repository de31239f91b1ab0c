// Draws the charts of a report page from the data that the page contains.
import { addBeliefs } from "./belief_charts.js";
import { addComparison } from "./comparison_charts.js";
import { costCurve } from "./cost_curve.js";
import { documents } from "./data.js";
import { drawEveryFigure, hue, logAxis, svgOf } from "./figure.js";
import { addSchedule } from "./gantt.js";
import { addItemCosts } from "./item_costs_chart.js";
import { addAlphaCurves, addEnergy, addPredictions } from "./prediction_charts.js";
import { addBlockSizes } from "./run_charts.js";
import { addSweep } from "./sweep_charts.js";
import { addTimings } from "./timing_charts.js";
import { addTips } from "./tips.js";

/** The runs to be shown first: the fastest that knew nothing beforehand, or its prediction above its
 * measurement; alone if -1. */
function firstRuns(runs) {
  const honest = runs.filter((run) => !run.oracle && !run.informed);
  const best = [...(honest.length > 0 ? honest : runs)].sort((a, b) => a.makespan_s - b.makespan_s)[0];
  const other = runs.findIndex((run) => run !== best && run.policy === best.policy);
  const i = runs.indexOf(best);
  if (other < 0) return runs.length === 2 ? [0, 1] : [i, -1];
  return runs[other].on === "sim" ? [other, i] : [i, other];
}

/** A run with what its header and summary say. */
function described(run) {
  return {
    ...run,
    oracle: run.header.oracle,
    informed: run.header.informed,
    lower_bound_s: run.summary?.lower_bound_s ?? null,
  };
}

async function drawPage() {
  addTips();
  for (const { content, place } of documents("sweep")) addSweep(place("sweep"), content);
  const files = documents("run");
  const runs = files.map((d) => described(d.content));
  for (const { content, place } of documents("results")) {
    addComparison(content, place, runs);
    addPredictions(content, place);
    addEnergy(content, place);
    addAlphaCurves(content, place);
  }
  const timings = documents("timing");
  if (timings.length > 0) addTimings(timings[0].place("timing"), timings.map((d) => d.content));
  if (files.length > 0) {
    const section = files[0].place("schedule");
    const costs = addItemCosts(section, runs);
    const schedule = await addSchedule(section, runs, ...firstRuns(runs));
    costs?.(schedule.shown);
    const others = [
      costs,
      addBlockSizes(section, schedule.shown),
      addBeliefs(section, schedule.shown, runs),
    ];
    schedule.onChange = (shown) => others.forEach((other) => other?.(shown));
  }
  document.documentElement.dataset.ready = Math.round(performance.now());
}

window.equipoise = { costCurve, drawEveryFigure, hue, logAxis, svgOf };
drawPage();
