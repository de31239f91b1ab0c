// Charts over all experiments of a sweep.
import { addFigure, choice, intervals } from "./figure.js";
import { escaped, significant } from "./words.js";

const quantities = [
  {
    name: "times the best known",
    of: (e, r) => (e.best_known_s ? r.map((v) => v / e.best_known_s) : null),
    how: "1 is the best known",
  },
  {
    name: "times the lower bound",
    of: (e, r) => (e.lower_bound_s ? r.map((v) => v / e.lower_bound_s) : null),
    how: "1 is the lower bound",
  },
  {
    name: "speedup over the baseline",
    of: (e, r, base) => (base ? [base / r[0], base / r[2], base / r[1]] : null),
    how: "more is better",
  },
  { name: "makespan in s", of: (e, r) => r, how: "less is better" },
];

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

function sweepOption(sweep, policies, quantity, selected, view) {
  const names = sweep.experiments.map((e) => e.name);
  const series = policies.flatMap((policy, p) => {
    const values = valuesOf(sweep, policy, quantity);
    const colour = view.hue(p);
    return [
      {
        type: "line",
        name: policy,
        symbolSize: 7,
        itemStyle: { color: colour },
        lineStyle: { color: colour, width: 1, opacity: 0.5 },
        data: values.map(([i, v]) => [i, v]),
      },
      intervals(policy, values.map(([i, , low, high]) => [0, low, high, i]), colour, { isVertical: true }),
    ];
  });
  const seen = policies.filter((p) => selected[p]).flatMap((p) => valuesOf(sweep, p, quantity).map((v) => v[1]));
  const isLog = Math.max(...seen) / Math.min(...seen) > 8;
  return {
    grid: { left: 60, right: 24, top: 44, bottom: names.length > 12 ? 150 : 110 },
    legend: { data: policies, selected },
    tooltip: {
      trigger: "item",
      formatter: (p) => `<b>${escaped(p.seriesName)}</b><br>${escaped(names[p.value[0]])}<br>${escaped(quantity.name)}: ${significant(p.value[1])}`,
    },
    xAxis: {
      type: "category",
      data: names,
      axisLabel: { rotate: 50, fontSize: 10, width: 120, overflow: "truncate" },
    },
    yAxis: { type: isLog ? "log" : "value", scale: true, name: quantity.name, nameLocation: "middle", nameGap: 42, axisLabel: { formatter: (v) => significant(v, 3) } },
    dataZoom: names.length > 20 ? [{ type: "slider", xAxisIndex: 0, height: 18, bottom: 6, filterMode: "none" }] : undefined,
    series,
  };
}

/** Adds the chart of all experiments. */
export function addSweep(section, sweep) {
  const policies = [...new Set(sweep.experiments.flatMap((e) => Object.keys(e.results)))];
  const first = new Set(firstChoice(sweep, policies));
  const selected = Object.fromEntries(policies.map((p) => [p, first.has(p)]));
  const usable = quantities.filter((q) => policies.some((p) => valuesOf(sweep, p, q).length > 0));
  const shown = { quantity: usable[0] };
  const figure = addFigure(section, {
    title: "Policies by experiment",
    how: "A dot is a policy in one experiment, with its 95 % interval; lines only help to follow a policy. Choose policies in the legend, of which the five that were best on average are shown first. Except for speedups, less is better.",
    height: 520,
    controls: [
      choice("Show", usable.map((q) => `${q.name} (${q.how})`), 0, (i) => {
        shown.quantity = usable[i];
        figure.draw();
      }),
    ],
    option: (view) => sweepOption(sweep, policies, shown.quantity, selected, view),
    connect: ({ chart }) =>
      chart.on("legendselectchanged", (event) => Object.assign(selected, event.selected)),
  });
}
