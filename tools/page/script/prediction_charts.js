// Charts of results.json: predictions beside measurements, energy beside time.
import { addFigure, intervals } from "./figure.js";
import { spread } from "./comparison_charts.js";
import { escaped, percent, quantity, significant, time, timeLabels } from "./words.js";

/** Results of the same policy in simulation and for real. */
function predictions(results) {
  return results.results
    .filter((r) => r.on !== "sim")
    .map((real) => ({
      real,
      sim: results.results.find((r) => r.on === "sim" && r.spelling === real.spelling),
    }))
    .filter((pair) => pair.sim);
}

export function addPredictions(results, place) {
  const pairs = predictions(results);
  if (pairs.length === 0) return;
  addFigure(place("prediction"), {
    title: "Predicted against measured",
    how: "A dot is a policy: measured makespan to the right, predicted one upwards, with 95 % intervals. On the line the prediction is exact; at the dotted lines it is wrong by 10 %.",
    height: (width) => Math.min(520, Math.max(320, width * 0.6)),
    option: (view) => {
      const means = pairs.flatMap((p) => [p.real.makespan_s.mean, p.sim.makespan_s.mean]);
      const ends = pairs.flatMap((p) => [...spread(p.real.makespan_s), ...spread(p.sim.makespan_s)]);
      const low = Math.max(0.9 * Math.min(...ends), 0.5 * Math.min(...means));
      const high = Math.min(1.1 * Math.max(...ends), 2 * Math.max(...means));
      const axis = (name) => ({
        type: high / low > 30 ? "log" : "value",
        min: Number(low.toPrecision(2)),
        max: Number(high.toPrecision(3)),
        name,
        nameLocation: "middle",
        axisLabel: { ...timeLabels, showMinLabel: false, showMaxLabel: false },
      });
      const line = (factor, style) => ({
        type: "line",
        silent: true,
        symbol: "none",
        lineStyle: { color: view.theme.muted, ...style },
        data: [
          [low, low * factor],
          [high, high * factor],
        ],
      });
      return {
        grid: { left: 74, right: 90, top: 20, bottom: 48 },
        tooltip: {
          trigger: "item",
          formatter: (p) => {
            const { real, sim } = pairs[p.dataIndex];
            const error = sim.makespan_s.mean / real.makespan_s.mean - 1;
            return `<b>${escaped(real.spelling)}</b><br>predicted ${time(sim.makespan_s.mean)}<br>measured ${time(real.makespan_s.mean)}<br>error ${percent(error)}, repetitions differ by ${percent(real.makespan_relative_sd ?? 0)}`;
          },
        },
        xAxis: { ...axis("measured makespan"), nameGap: 28 },
        yAxis: { ...axis("predicted makespan"), nameGap: 56 },
        series: [
          line(1, {}),
          line(0.9, { type: "dotted" }),
          line(1.1, { type: "dotted" }),
          intervals("measured", pairs.map((p) => [0, ...spread(p.real.makespan_s).slice(1), p.sim.makespan_s.mean]), view.theme.real),
          intervals("predicted", pairs.map((p) => [0, ...spread(p.sim.makespan_s).slice(1), p.real.makespan_s.mean]), view.theme.sim, { isVertical: true }),
          {
            type: "scatter",
            symbolSize: 10,
            z: 6,
            itemStyle: { color: view.theme.sim },
            label: {
              show: true,
              position: "right",
              offset: [0, -9],
              color: view.theme.ink,
              formatter: (p) => pairs[p.dataIndex].real.spelling,
            },
            labelLayout: { hideOverlap: true },
            data: pairs.map((p) => [p.real.makespan_s.mean, p.sim.makespan_s.mean]),
          },
        ],
      };
    },
  });
}

export function addEnergy(results, place) {
  const known = results.results.filter((r) => typeof r.energy_j === "number");
  if (known.length === 0) return;
  addFigure(place("energy"), {
    title: "Energy and time",
    how: "A dot is a policy: further left is faster, further down needs less energy. On a grey line the energy-delay product (energy times makespan) is the same; the lower left is best.",
    height: (width) => Math.min(480, Math.max(320, width * 0.55)),
    option: (view) => {
      const times = known.map((r) => r.makespan_s.mean);
      const joules = known.map((r) => r.energy_j);
      const [t0, t1] = [0.92 * Math.min(...times), 1.12 * Math.max(...times)];
      const [e0, e1] = [0.92 * Math.min(...joules), 1.12 * Math.max(...joules)];
      const products = known.map((r) => r.edp_js).sort((a, b) => a - b);
      const levels = [products[0], products[products.length - 1]];
      return {
        grid: { left: 74, right: 90, top: 20, bottom: 48 },
        tooltip: {
          trigger: "item",
          formatter: (p) => {
            const r = known[p.dataIndex];
            return `<b>${escaped(r.spelling)} · ${escaped(r.on)}</b><br>${quantity(r.energy_j, "J")}, ${escaped(r.energy_from)}<br>${time(r.makespan_s.mean)}<br>energy-delay product ${quantity(r.edp_js, "J s")}`;
          },
        },
        xAxis: { type: "value", min: Number(t0.toPrecision(3)), max: Number(t1.toPrecision(3)), name: "mean makespan", nameLocation: "middle", nameGap: 28, axisLabel: { ...timeLabels, showMinLabel: false, showMaxLabel: false } },
        yAxis: { type: "value", min: Number(e0.toPrecision(3)), max: Number(e1.toPrecision(3)), name: "energy", nameLocation: "middle", nameGap: 56, axisLabel: { formatter: (v) => quantity(v, "J", 3), showMinLabel: false, showMaxLabel: false } },
        series: [
          ...levels.map((level) => ({
            type: "line",
            silent: true,
            symbol: "none",
            smooth: true,
            lineStyle: { color: view.theme.muted, type: "dotted", width: 1 },
            data: Array.from({ length: 60 }, (_, i) => t0 + ((t1 - t0) * i) / 59).map((t) => [t, level / t]),
          })),
          {
            type: "scatter",
            symbolSize: 10,
            data: known.map((r) => ({
              value: [r.makespan_s.mean, r.energy_j],
              itemStyle: { color: r.on === "sim" ? view.theme.sim : view.theme.real },
            })),
            label: { show: true, position: "right", color: view.theme.ink, formatter: (p) => known[p.dataIndex].spelling },
            labelLayout: { hideOverlap: true },
          },
        ],
      };
    },
  });
}

/** The share of the first of two units, of a policy that was given both shares; else NaN. */
function alphaOf(r) {
  if (r.policy !== "fixed") return NaN;
  const shares = String(r.parameters.shares).split("/").map(Number);
  return shares.length === 2 ? shares[0] / (shares[0] + shares[1]) : NaN;
}

/** The curves of a comparison of given divisions between two units. */
export function addAlphaCurves(results, place) {
  const alphas = results.results
    .map((r) => ({ r, alpha: alphaOf(r) }))
    .filter((x) => Number.isFinite(x.alpha))
    .sort((a, b) => a.alpha - b.alpha);
  if (new Set(alphas.map((x) => x.alpha)).size < 3) return;
  const unit = Object.keys(alphas[0].r.share_by_unit)[0];
  addFigure(place("energy"), {
    title: "Energy, time and their product by alpha",
    how: `Alpha is the share of the items that ${unit} gets. Each curve is over its least value, so that it is 1 at its best alpha: where the lowest points of the curves are apart, saving energy costs time.`,
    height: 360,
    option: (view) => {
      const curves = [
        ["makespan", (r) => r.makespan_s.mean],
        ["energy", (r) => r.energy_j],
        ["energy-delay product", (r) => r.edp_js],
      ].filter(([, of]) => alphas.every((x) => typeof of(x.r) === "number"));
      return {
        grid: { left: 60, right: 30, top: 40, bottom: 48 },
        legend: {},
        tooltip: { trigger: "axis", valueFormatter: (v) => significant(v, 4) },
        xAxis: { type: "value", min: 0, max: 1, name: "alpha", nameLocation: "middle", nameGap: 28 },
        yAxis: { type: "log", logBase: 2, min: 1, name: "times its least (log scale)", nameLocation: "middle", nameGap: 40, axisLabel: { formatter: (v) => significant(v, 3) } },
        series: curves.map(([name, of], i) => {
          const least = Math.min(...alphas.map((x) => of(x.r)));
          return {
            type: "line",
            name,
            itemStyle: { color: view.hue(i) },
            data: alphas.map((x) => [x.alpha, of(x.r) / least]),
          };
        }),
      };
    },
  });
}
