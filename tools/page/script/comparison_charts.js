// Charts of results.json: makespans, speedups, paired differences, losses, shares.
import { groupsOfModels } from "./data.js";
import { addFigure, intervals, logAxis } from "./figure.js";
import { escaped, significant, time, timeLabels } from "./words.js";

/** The name of a result in a chart. */
function nameOf(result, hasWorlds) {
  return hasWorlds ? `${result.spelling} · ${result.on}` : result.spelling;
}

/** What all charts of a comparison need: its results, the slowest first, as charts count upwards. */
function ordered(results) {
  const hasWorlds = new Set(results.results.map((r) => r.on)).size > 1;
  const list = [...results.results].sort((a, b) => b.makespan_s.mean - a.makespan_s.mean);
  return { list, names: list.map((r) => nameOf(r, hasWorlds)), hasWorlds };
}

const rowsHeight = (rows) => (width) => 90 + rows * (width < 560 ? 24 : 22);

const ruler = document.createElement("canvas").getContext("2d");

/** Room for names at the left: as wide as they are, as far as the chart allows. */
function nameAxis(names, view, more = {}) {
  ruler.font = "12px system-ui, sans-serif";
  const most = Math.max(...names.map((name) => ruler.measureText(name).width));
  const room = Math.min(Math.ceil(most) + 18, view.width * (view.isNarrow ? 0.4 : 0.3));
  return {
    room,
    axis: {
      type: "category",
      data: names,
      axisTick: { show: false },
      axisLabel: { interval: 0, width: room - 12, overflow: "truncate", fontSize: 12 },
      ...more,
    },
  };
}

/** A vertical line at the lower bound. */
function boundLine(results, theme) {
  return {
    type: "scatter",
    data: [],
    markLine: {
      symbol: "none",
      silent: true,
      label: { formatter: "lower bound", color: theme.bound },
      lineStyle: { color: theme.bound, type: "dashed", width: 1.5 },
      data: [{ xAxis: results.lower_bound_s }],
    },
  };
}

/** Dots with intervals, a row each. `of(result)`: [value, low, high] or null. */
function dots(results, view, { of, name, isRatio, reference, bound }) {
  const { list, names, hasWorlds } = ordered(results);
  const kept = list.map((r, i) => ({ r, i, v: of(r) })).filter((x) => x.v);
  const marked = bound ?? (reference ? 1 : []);
  const values = kept.flatMap((x) => x.v).concat(marked).filter((v) => v > 0);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const isLog = high / low > 30;
  const { room, axis } = nameAxis(names, view);
  const colour = (r) => (hasWorlds ? (r.on === "sim" ? view.theme.sim : view.theme.real) : r.oracle ? view.theme.muted : view.theme.sim);
  const labels = isRatio ? { formatter: (v) => significant(v, 3) } : timeLabels;
  const show = (v) => (isRatio ? significant(v, 4) : time(v));
  return {
    grid: { left: room, right: view.isNarrow ? 24 : 60, top: 34, bottom: 44 },
    tooltip: {
      trigger: "item",
      formatter: (p) => {
        const { r, v } = kept[p.dataIndex];
        return `<b>${escaped(nameOf(r, hasWorlds))}</b><br>${show(v[0])}, 95 % interval ${show(v[1])} to ${show(v[2])}`;
      },
    },
    xAxis: isLog
      ? logAxis(values, { name: `${name} (log scale)`, nameGap: 28, axisLabel: labels })
      : {
          type: "value",
          scale: true,
          min: Math.max(0, low - 0.06 * (high - low)),
          name,
          nameLocation: "middle",
          nameGap: 28,
          axisLabel: { ...labels, showMinLabel: false },
        },
    yAxis: axis,
    series: [
      intervals("interval", kept.map((x) => [...x.v, x.i]), view.theme.ink),
      {
        type: "scatter",
        symbolSize: 11,
        z: 4,
        data: kept.map((x) => ({
          value: [x.v[0], x.i],
          itemStyle: { color: colour(x.r) },
          symbol: x.r.oracle ? "emptyCircle" : x.r.informed ? "diamond" : "circle",
        })),
      },
      ...(bound ? [boundLine(results, view.theme)] : []),
      ...(reference
        ? [
            {
              type: "scatter",
              data: [],
              markLine: {
                symbol: "none",
                silent: true,
                label: { formatter: reference, color: view.theme.muted },
                lineStyle: { color: view.theme.muted },
                data: [{ xAxis: 1 }],
              },
            },
          ]
        : []),
    ],
  };
}

/** [mean, low, high] of statistics; times are not negative. */
export function spread(statistics) {
  return [statistics.mean, Math.max(0, statistics.ci95[0]), statistics.ci95[1]];
}

/** Student's factor of the 95 % intervals of these statistics; 0 if nothing scatters. */
function studentFactor(s, count) {
  return s.sd > 0 ? ((s.ci95[1] - s.mean) * Math.sqrt(count)) / s.sd : 0;
}

/** Half the 95 % interval of base / r, relative, from how the relative differences of both scatter
 * within repetitions of the same number; null if there are fewer than two. */
function relativeError(base, r) {
  const times = new Map((base.repetitions ?? []).map((one) => [one.repetition, one.makespan_s]));
  const differences = (r.repetitions ?? [])
    .filter((one) => times.has(one.repetition))
    .map((one) => times.get(one.repetition) / base.makespan_s.mean - one.makespan_s / r.makespan_s.mean);
  const count = differences.length;
  if (count < 2) return null;
  const variance = differences.reduce((sum, d) => sum + d * d, 0) / (count - 1);
  const factor = Math.max(studentFactor(base.makespan_s, count), studentFactor(r.makespan_s, count));
  return factor * Math.sqrt(variance / count);
}

/** [speedup, low, high] over the baseline; null if there is none. */
function speedupOf(results, r) {
  const base = results.results.find(
    (b) => b.spelling === results.experiment.baseline && b.on === r.on,
  );
  if (!base || r.speedup_vs_baseline === null) return null;
  const error = relativeError(base, r) ?? 0;
  const s = r.speedup_vs_baseline;
  return [s, Math.max(0, s * (1 - error)), s * (1 + error)];
}

function addMakespans(results, place) {
  const rows = results.results.length;
  addFigure(place("charts"), {
    title: "Makespan",
    how: "Further left is faster. A dot is the mean, the bar its 95 % interval: where bars of two policies overlap, the order may be chance. Diamonds knew unit speeds beforehand, rings knew this run's mean times. No run without noise can be left of the green line.",
    height: rowsHeight(rows),
    option: (view) =>
      dots(results, view, {
        of: (r) => spread(r.makespan_s),
        name: "mean makespan",
        bound: results.lower_bound_s ?? undefined,
      }),
  });
  if (!results.lower_bound_s) return;
  addFigure(place("charts"), {
    title: "Distance from the lower bound",
    how: "The mean makespan over the lower bound: 1.05 means 5 % slower than any run can be. The bars are the same 95 % intervals.",
    height: rowsHeight(rows),
    option: (view) =>
      dots(results, view, {
        of: (r) =>
          r.over_lower_bound === null
            ? null
            : spread(r.makespan_s).map((v) => v / results.lower_bound_s),
        name: "times the lower bound",
        isRatio: true,
        reference: "bound",
      }),
  });
}

function addSpeedups(results, place) {
  if (!results.results.some((r) => speedupOf(results, r))) return;
  const baseline = results.experiment.baseline;
  addFigure(place("charts"), {
    title: `Speedup over ${baseline}`,
    how: `How many times as fast as ${baseline} on average; further right is faster. The bars are 95 % intervals, from the differences within each repetition.`,
    height: rowsHeight(results.results.length),
    option: (view) =>
      dots(results, view, {
        of: (r) => speedupOf(results, r),
        name: `speedup over ${baseline}`,
        isRatio: true,
        reference: baseline,
      }),
  });
}

function addPairs(results, place) {
  const pairs = results.results.filter((r) => r.paired_ratio && r.spelling !== results.reference);
  if (pairs.length === 0) return;
  addFigure(place("charts"), {
    title: `Paired with ${results.reference}`,
    how: `The makespan over that of ${results.reference} in the same repetition. Right of 1 is slower than ${results.reference}; a bar that does not touch 1 is a difference beyond chance (95 %).`,
    height: rowsHeight(pairs.length),
    option: (view) =>
      dots({ ...results, results: pairs }, view, {
        of: (r) => spread(r.paired_ratio),
        name: `makespan over ${results.reference}'s`,
        isRatio: true,
        reference: results.reference,
      }),
  });
}

function addLosses(results, place) {
  const bound = results.lower_bound_s;
  if (!bound || !results.results.some((r) => r.loss_s && r.loss_s.total !== null)) return;
  const { list, names } = ordered({ ...results, results: results.results.filter((r) => r.loss_s) });
  const causes = new Set(list.flatMap((r) => Object.keys(r.loss_s)));
  causes.delete("total");
  const used = [...causes].filter((c) => list.some((r) => Math.abs(r.loss_s[c] ?? 0) > 0.002 * bound));
  addFigure(place("loss"), {
    title: "Losses by cause",
    how: "What each policy lost over the lower bound, in percent of the bound, divided by cause. A short bar is good; its longest part says what to improve. Left of 0: luck made computing shorter than the mean.",
    height: (width) => rowsHeight(list.length)(width) + 20,
    option: (view) => {
      const { room, axis } = nameAxis(names, view);
      return {
        grid: { left: room, right: 30, top: 34, bottom: 44 },
        legend: { data: used },
        tooltip: {
          trigger: "axis",
          axisPointer: { type: "shadow" },
          formatter: (parts) =>
            `<b>${escaped(parts[0].name)}</b><br>` +
            parts
              .filter((p) => p.value)
              .map((p) => `${p.marker}${p.seriesName}: ${p.value.toFixed(1)} %`)
              .join("<br>"),
        },
        xAxis: {
          type: "value",
          name: "% of the lower bound",
          nameLocation: "middle",
          nameGap: 28,
        },
        yAxis: { ...axis, axisLine: { onZero: false } },
        series: used.map((cause, i) => ({
          type: "bar",
          stack: "loss",
          name: cause,
          barMaxWidth: 18,
          itemStyle: { color: view.hue(i) },
          data: list.map((r) => (100 * (r.loss_s[cause] ?? 0)) / bound),
        })),
      };
    },
  });
}

/** What runs on the page say of the units of a comparison, [{ id, kind, model }]; of others only `id`. */
function describedUnits(results, runs) {
  const ids = Object.keys(results.results[0].share_by_unit);
  const platform = results.experiment.sim?.platform;
  const run = runs.find(
    ({ units, header }) =>
      (!platform || header.platform === platform) &&
      units.length === ids.length &&
      units.every(({ id }, i) => id === ids[i]),
  );
  return run?.units ?? ids.map((id) => ({ id }));
}

function addShares(results, place, runs) {
  const units = Object.keys(results.results[0].share_by_unit);
  const groups = groupsOfModels(describedUnits(results, runs));
  const { list, names } = ordered(results);
  const ideal = list.findIndex((r) => r.oracle);
  const rows = list.map((r, i) => ({ r, name: names[i] + (i === ideal ? " (ideal)" : "") }));
  if (ideal >= 0) rows.push(...rows.splice(ideal, 1));
  addFigure(place("charts"), {
    title: "Share of the items by unit",
    how:
      ideal >= 0
        ? "Each bar is all items, divided among the units; units of one model have one colour. The topmost bar is the division of a policy that knew the true mean times: the closer a bar's borders are to it, the better the division. Point at a part to see its unit."
        : "Each bar is all items, divided among the units; units of one model have one colour. Add --policy optimum to the comparison to see the ideal division. Point at a part to see its unit.",
    height: rowsHeight(rows.length),
    option: (view) => {
      const { room, axis } = nameAxis(rows.map((x) => x.name), view);
      const group = (unit) => groups.findIndex(({ ids }) => ids.includes(unit));
      return {
        grid: { left: room, right: 30, top: 34, bottom: 44 },
        legend: { data: groups.map(({ name }) => name), selectedMode: false },
        tooltip: {
          trigger: "item",
          formatter: (p) => `<b>${escaped(p.name)}</b><br>${escaped(units[p.seriesIndex])}: ${p.value.toFixed(2)} %`,
        },
        xAxis: { type: "value", max: 100, name: "% of the items", nameLocation: "middle", nameGap: 28 },
        yAxis: axis,
        series: units.map((unit) => ({
          type: "bar",
          stack: "share",
          name: groups[group(unit)].name,
          barMaxWidth: 18,
          itemStyle: {
            color: view.hue(group(unit)),
            borderColor: view.theme.paper,
            borderWidth: units.length > 60 ? 0 : 0.5,
          },
          data: rows.map((x) => 100 * x.r.share_by_unit[unit]),
        })),
      };
    },
  });
}

/** Adds all charts of a comparison that its results allow. place(name): a section of the page;
 * `runs`: those on the page. */
export function addComparison(results, place, runs) {
  addMakespans(results, place);
  addSpeedups(results, place);
  addPairs(results, place);
  addLosses(results, place);
  addShares(results, place, runs);
}
