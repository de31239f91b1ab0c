// Time against block size for every unit, as a trace has it and as simulations use it.
import { addFigure, choice, logAxis } from "./figure.js";
import { foldedNames } from "./data.js";
import { escaped, percent, short, time, timeLabels } from "./words.js";

/** Units with equal curves together: [{ names, unit }]. */
function folded(units) {
  const byCurve = new Map();
  for (const unit of units) {
    const key = JSON.stringify(unit.curve);
    if (!byCurve.has(key)) byCurve.set(key, { names: [], unit });
    byCurve.get(key).names.push(unit.id);
  }
  return [...byCurve.values()].map(({ names, unit }) => ({ name: foldedNames(names), unit }));
}

function timingOption(timing, view) {
  const units = folded(timing.units);
  const inside = (unit, [x]) => x >= unit.recorded[0] && x <= unit.recorded[1];
  const line = (unit, name, colour, kept, type) => ({
    type: "line",
    name,
    symbol: "none",
    silent: true,
    itemStyle: { color: colour },
    lineStyle: { color: colour, type, width: type === "solid" ? 2 : 1.3 },
    data: unit.curve.filter(kept),
  });
  const series = units.flatMap(({ name, unit }, i) => {
    const colour = view.hue(i);
    const [low, high] = unit.recorded;
    return [
      {
        ...line(unit, name, colour, (p) => inside(unit, p), "solid"),
        markArea:
          i === 0 || units.length <= 4
            ? {
                silent: true,
                itemStyle: { color: colour, opacity: 0.07 },
                data: [[{ xAxis: low }, { xAxis: high }]],
              }
            : undefined,
      },
      line(unit, name, colour, (p) => p[0] <= low, "dashed"),
      line(unit, name, colour, (p) => p[0] >= high, "dashed"),
      {
        type: "scatter",
        name,
        symbolSize: 6,
        itemStyle: { color: colour },
        data: unit.samples.map((s) => ({ value: [s[0], s[1]], s, unit: name })),
      },
    ];
  });
  const points = units.flatMap(({ unit }) => [...unit.curve, ...unit.samples]);
  return {
    grid: { left: 74, right: 24, top: 40, bottom: 48 },
    legend: { data: units.map((u) => u.name) },
    tooltip: {
      trigger: "item",
      formatter: ({ data }) =>
        data.s
          ? `<b>${escaped(data.unit)}</b><br>${short(data.s[0], 6)} items in ${time(data.s[1])}` +
            (data.s[2] ? `, sd ${percent(data.s[2] / data.s[1])}` : "") +
            (data.s[3] > 1 ? `<br>mean of ${short(data.s[3], 6)} samples` : "")
          : "",
    },
    xAxis: logAxis(points.map(([items]) => items), { name: `items in a block${timing.item ? ` (an item: ${timing.item})` : ""}`, nameGap: 28 }),
    yAxis: logAxis(points.map(([, seconds]) => seconds), { name: "computing time of a block", nameGap: 56, axisLabel: timeLabels }),
    series,
  };
}

/** Adds the chart of one or more timings, each of a kernel. */
export function addTimings(section, timings) {
  if (timings.length === 0) return;
  const shown = { timing: timings[0] };
  const figure = addFigure(section, {
    title: "Time against block size",
    how: "A dot is a size whose time is known, the line what a simulation takes for the mean in between (both scales are logarithmic). The range of these sizes is shaded; where the line is dashed it is extrapolated, and predictions there are less certain. A steep left end is a fixed cost for each block.",
    height: (width) => Math.min(480, Math.max(340, width * 0.55)),
    controls:
      timings.length > 1
        ? [
            choice("Kernel", timings.map((t) => t.kernel), 0, (i) => {
              shown.timing = timings[i];
              figure.draw();
            }),
          ]
        : [],
    option: (view) => timingOption(shown.timing, view),
  });
}
