// Charts over all experiments of a sweep.
import { addFigure, choice, intervals, logAxis } from "./figure.js";
import { escaped, short, significant, time } from "./words.js";

const quantities = [
  {
    name: "times the best known",
    of: (e, r) => (e.best_known_s ? r.map((v) => v / e.best_known_s) : null),
    how: "1 is the best known",
    show: significant,
  },
  {
    name: "times the lower bound",
    of: (e, r) => (e.lower_bound_s ? r.map((v) => v / e.lower_bound_s) : null),
    how: "1 is the lower bound",
    show: significant,
  },
  {
    name: "speedup over the baseline",
    of: (e, r, base) => (base ? [base / r[0], base / r[2], base / r[1]] : null),
    how: "more is better",
    show: significant,
  },
  { name: "makespan", of: (e, r) => r, how: "less is better", show: time },
];

/** "blackscholes", { options: "5e5" } of "blackscholes:options=5e5". */
function workloadOf(text) {
  const [kernel, rest = ""] = text.split(":");
  const pairs = rest.split(",").filter(Boolean);
  return { kernel, parameters: Object.fromEntries(pairs.map((pair) => pair.split("="))) };
}

const lastPart = (path) => path.split("/").pop().replace(/\.xml$/, "");

/** Experiments that differ in the number of one parameter of their workload alone: [{ title, name,
 * sizes: Map of experiment to number }]. */
function sizeAxes(experiments) {
  const groups = new Map();
  experiments.forEach((e, i) => {
    if (e.workloads.length !== 1) return;
    const { kernel, parameters } = workloadOf(e.workloads[0]);
    for (const [name, text] of Object.entries(parameters)) {
      if (!(Number(text) > 0)) continue;
      const others = Object.entries(parameters).filter(([other]) => other !== name);
      const key = JSON.stringify([kernel, name, others, e.platform, e.scenario, e.decision_cost]);
      const where = e.platform ? ` on ${lastPart(e.platform)}` : "";
      const title = `${kernel}${where}, by ${name}`;
      if (!groups.has(key)) groups.set(key, { title, name, sizes: new Map() });
      groups.get(key).sizes.set(i, Number(text));
    }
  });
  return [...groups.values()].filter(({ sizes }) => {
    const values = new Set(sizes.values());
    return values.size > 1 && values.size === sizes.size;
  });
}

/** Values of a policy by experiment: [experiment, value, low, high]. */
function valuesOf(sweep, policy, quantity) {
  return sweep.experiments.flatMap((e, i) => {
    const r = e.results[policy];
    const base = e.results[e.baseline]?.[0];
    const v = r && quantity.of(e, r, base);
    return v ? [[i, ...v]] : [];
  });
}

/** Up to five policies that are the best in the mean, of those that know nothing beforehand. */
function firstChoice(sweep, policies) {
  const mean = (policy) => {
    const v = valuesOf(sweep, policy, quantities[3]).map(([i, m]) => {
      const all = Object.values(sweep.experiments[i].results).map((r) => r[0]);
      return Math.log(m / Math.min(...all));
    });
    return v.reduce((a, b) => a + b, 0) / v.length;
  };
  return [...policies].sort((a, b) => mean(a) - mean(b)).slice(0, 5);
}

/** Those values at the places of the experiments along an axis of sizes, if there is one. */
function placed(values, axis) {
  if (!axis) return values;
  return values
    .filter(([i]) => axis.sizes.has(i))
    .map(([i, ...rest]) => [axis.sizes.get(i), ...rest, i])
    .sort((a, b) => a[0] - b[0]);
}

function sweepOption(sweep, policies, { quantity, axis }, selected, view) {
  const names = sweep.experiments.map((e) => e.name);
  const series = policies.flatMap((policy, p) => {
    const values = placed(valuesOf(sweep, policy, quantity), axis);
    const colour = view.hue(p);
    return [
      {
        type: "line",
        name: policy,
        symbolSize: 7,
        itemStyle: { color: colour },
        lineStyle: { color: colour, width: 1, opacity: 0.5 },
        data: values.map(([x, v, , , i = x]) => ({ value: [x, v], name: names[i] })),
      },
      intervals(policy, values.map(([i, , low, high]) => [0, low, high, i]), colour, { isVertical: true }),
    ];
  });
  const seen = policies.filter((p) => selected[p]).flatMap((p) => placed(valuesOf(sweep, p, quantity), axis).flatMap((v) => v.slice(1, 4)));
  const isLog = Math.max(...seen) / Math.min(...seen) > 8;
  const named = { name: quantity.name, nameGap: 56, axisLabel: { formatter: (v) => quantity.show(v, 3) } };
  return {
    grid: { left: 74, right: 24, top: 44, bottom: axis ? 48 : names.length > 12 ? 150 : 110 },
    legend: { data: policies, selected },
    tooltip: {
      trigger: "item",
      formatter: (p) => `<b>${escaped(p.seriesName)}</b><br>${escaped(p.name)}<br>${escaped(quantity.name)}: ${quantity.show(p.value[1])}`,
    },
    xAxis: axis
      ? {
          type: "log",
          scale: true,
          min: Math.min(...axis.sizes.values()) / 1.1,
          max: Math.max(...axis.sizes.values()) * 1.1,
          name: `${axis.name} (log scale)`,
          nameLocation: "middle",
          nameGap: 28,
          axisTick: { customValues: [...axis.sizes.values()] },
          axisLabel: { formatter: (v) => short(v), customValues: [...axis.sizes.values()] },
        }
      : {
          type: "category",
          data: names,
          axisLabel: { rotate: 50, fontSize: 10, width: 120, overflow: "truncate" },
        },
    yAxis: isLog ? logAxis(seen, named) : { type: "value", scale: true, nameLocation: "middle", ...named },
    dataZoom: names.length > 20 && !axis ? [{ type: "slider", xAxisIndex: 0, height: 18, bottom: 6, filterMode: "none" }] : undefined,
    series,
  };
}

/** Adds the chart of all experiments. */
export function addSweep(section, sweep) {
  const policies = [...new Set(sweep.experiments.flatMap((e) => Object.keys(e.results)))];
  const first = new Set(firstChoice(sweep, policies));
  const selected = Object.fromEntries(policies.map((p) => [p, first.has(p)]));
  const usable = quantities.filter((q) => policies.some((p) => valuesOf(sweep, p, q).length > 0));
  const axes = sizeAxes(sweep.experiments);
  const isOfAll = axes.length > 0 && axes[0].sizes.size === sweep.experiments.length;
  const shown = { quantity: usable[0], axis: isOfAll ? axes[0] : null };
  const figure = addFigure(section, {
    title: "Policies by experiment",
    how: "A dot is a policy in one experiment, with its 95 % interval; lines only help to follow a policy. Where experiments differ in the size of their work alone, they can be shown along an axis of sizes. Choose policies in the legend, of which the five that were best on average are shown first. Except for speedups, less is better.",
    height: 520,
    controls: [
      choice("Show", usable.map((q) => `${q.name} (${q.how})`), 0, (i) => {
        shown.quantity = usable[i];
        figure.draw();
      }),
      ...(axes.length === 0
        ? []
        : [
            choice("of", ["all experiments", ...axes.map((a) => a.title)], isOfAll ? 1 : 0, (i) => {
              shown.axis = axes[i - 1] ?? null;
              figure.draw();
            }),
          ]),
    ],
    option: (view) => sweepOption(sweep, policies, shown, selected, view),
    connect: ({ chart }) =>
      chart.on("legendselectchanged", (event) => {
        Object.assign(selected, event.selected);
        figure.draw();
      }),
  });
}
