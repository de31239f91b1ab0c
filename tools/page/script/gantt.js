// The schedule of one run, or of two on one axis, as a Gantt chart.
import { addFigure, button, choice } from "./figure.js";
import { withBlocks } from "./data.js";
import { blockAt, fillOf, kinds, rowPaths } from "./gantt_paths.js";
import { nameOf } from "./run_charts.js";
import { short, time } from "./words.js";

/** The rows of the chart, from above: for each run its decisions and disturbances, then its units. */
function rowsOf(runs) {
  const rows = [];
  runs.forEach((run, i) => {
    if (runs.length > 1) rows.push({ run, label: nameOf(run), what: "name" });
    if (run.decisions.length > 0) rows.push({ run, label: "decisions", what: "decisions" });
    if (run.disturbances.length > 0) rows.push({ run, label: "disturbances", what: "disturbances" });
    run.units.forEach((unit, u) => rows.push({ run, label: unit.id, what: "unit", unit: u }));
    if (i + 1 < runs.length) rows.push({ run, label: "", what: "space" });
  });
  return rows;
}

function rowHeight(rows) {
  return Math.max(4, Math.min(22, 620 / rows.length));
}

/** Spans of decisions or disturbances as a path; each is at least two pixels wide. */
function markPath(spans, window, height) {
  const scale = window.width / (window.t1 - window.t0);
  let text = "";
  let latest = -Infinity;
  for (const [from, to] of spans) {
    if (to < window.t0 || from > window.t1) continue;
    const x0 = window.left + (Math.max(from, window.t0) - window.t0) * scale;
    const x1 = window.left + (Math.min(to, window.t1) - window.t0) * scale;
    if (x1 - latest < 0.5) continue;
    latest = Math.max(x1, x0 + 2);
    text += `M${x0.toFixed(1)} 0h${(latest - x0).toFixed(1)}v${height}h${(x0 - latest).toFixed(1)}Z`;
  }
  return text;
}

function rowElements(row, window, height, theme, seen) {
  const path = (pathData, fill, decal) => ({ type: "path", shape: { pathData }, style: { fill, decal } });
  if (row.what === "decisions") {
    const spans = row.run.decisions.map((d) => [d.at_s, d.at_s + d.cost_s]);
    return [path(markPath(spans, window, height), theme.ink)];
  }
  if (row.what === "disturbances") {
    const spans = row.run.disturbances.map((d) => [d.at_s, Math.min(d.until_s ?? d.at_s, row.run.makespan_s)]);
    return [path(markPath(spans, window, height), theme.real)];
  }
  if (row.what !== "unit") return [];
  const { texts, single, count } = rowPaths(row.run, row.unit, window, height);
  seen.single &&= single;
  seen.blocks += count;
  return texts.flatMap((text, kind) => {
    if (text === "") return [];
    const { color, decal } = fillOf(kinds[kind], theme);
    return [path(text, color, decal)];
  });
}

function series(rows, view, seen) {
  return {
    type: "custom",
    name: "schedule",
    silent: true,
    clip: true,
    data: rows.map((_, i) => [0, i]),
    encode: { x: 0, y: 1 },
    renderItem: (params, api) => {
      const i = api.value(1);
      const { x, width } = params.coordSys;
      const scale = api.size([1, 0])[0];
      const [zero, middle] = api.coord([0, i]);
      const t0 = (x - zero) / scale;
      const window = { t0, t1: t0 + width / scale, left: x, width };
      const full = api.size([0, 1])[1];
      const height = full > 9 ? full - 2 : full * 0.9;
      if (params.dataIndexInside === 0) Object.assign(seen, { ...window, single: true, blocks: 0 });
      const children = rowElements(rows[i], window, height, view.theme, seen);
      return { type: "group", y: middle - height / 2, children };
    },
  };
}

function boundLine(runs, view) {
  const bounds = runs.filter((run) => run.lower_bound_s);
  const ends = runs.map((run) => ({
    xAxis: run.makespan_s,
    label: { show: false },
    lineStyle: { color: view.theme.muted, type: "solid", width: 1 },
  }));
  const lines = bounds.slice(0, 1).map((run) => ({
    xAxis: run.lower_bound_s,
    label: { position: "start", formatter: "lower bound", color: view.theme.bound },
    lineStyle: { color: view.theme.bound, type: "dashed", width: 1.5 },
  }));
  return {
    type: "scatter",
    data: [],
    markLine: { symbol: "none", silent: true, data: [...(runs.length > 1 ? [] : ends), ...lines] },
  };
}

/** Empty series, which give the legend its entries. */
function legendSeries(runs, view) {
  const used = new Set(["compute", "tail"]);
  for (const run of runs) {
    for (const span of run.spans) used.add(span.kind);
    if (run.has_setup) used.add("setup");
    if (run.has_copies) for (const kind of ["in", "out"]) used.add(kind);
    for (const kind of ["barrier", "controller"]) used.add(kind);
    if (run.has_training) used.add("training");
  }
  return kinds
    .filter((kind) => used.has(kind.name))
    .map((kind) => ({
      type: "bar",
      name: kind.words,
      data: [],
      itemStyle: fillOf(kind, view.theme),
    }));
}

function ganttOption(runs, rows, view, seen) {
  const longest = Math.max(...runs.map((run) => run.makespan_s), ...runs.map((run) => run.lower_bound_s ?? 0));
  const legend = legendSeries(runs, view);
  const step = Math.ceil(11 / rowHeight(rows));
  const most = Math.max(...rows.map((row) => row.label.length));
  const left = Math.min(Math.max(60, 7 * most + 16), view.isNarrow ? 84 : 190);
  return {
    grid: { left, right: 20, top: view.isNarrow ? 58 : 54, bottom: 70 },
    legend: { data: legend.map((s) => s.name), selectedMode: false },
    xAxis: {
      type: "value",
      min: 0,
      max: longest * 1.02,
      name: "time since the start",
      nameLocation: "middle",
      nameGap: 26,
      axisLabel: { formatter: (t) => time(t, 6), showMaxLabel: false },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: rows.map((row) => row.label),
      axisTick: { show: false },
      axisLabel: {
        interval: 0,
        hideOverlap: false,
        fontSize: 11,
        width: left - 12,
        overflow: "truncate",
        formatter: (label, i) =>
          rows[i].what === "name"
            ? `{b|${label}}`
            : rows[i].what !== "unit" || rows[i].unit % step === 0
              ? label
              : "",
        rich: { b: { fontWeight: "bold", color: view.theme.ink } },
      },
    },
    dataZoom: [
      { type: "slider", xAxisIndex: 0, filterMode: "none", height: 20, bottom: 8, throttle: 40, labelFormatter: (t) => time(t, 3) },
      { type: "inside", xAxisIndex: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true },
    ],
    series: [series(rows, view, seen), boundLine(runs, view), ...legend],
  };
}

/** What is said of the place at which somebody points. */
function described(row, t) {
  const { run } = row;
  if (row.what === "decisions") {
    const d = run.decisions.findLast((x) => x.at_s <= t);
    return d ? `decision ${d.what} at ${time(d.at_s)} by ${d.by}, which took ${time(d.cost_s)}` : "";
  }
  if (row.what === "disturbances") {
    const d = run.disturbances.findLast((x) => x.at_s <= t);
    return d ? `${d.what} from ${time(d.at_s)}` : "";
  }
  if (row.what !== "unit") return "";
  const unit = run.units[row.unit].id;
  const i = blockAt(run, row.unit, t);
  if (i < 0) return `${unit} at ${time(t)}: no block`;
  const { b } = run;
  const stage = (name, from, to) => (to > from ? `, ${name} ${time(to - from)}` : "");
  return (
    `${unit}: block ${b.id[i]} of ${short(b.items[i], 6)} items (${b.tagOf(i)}), ${time(b.begin[i], 6)} to ${time(b.end[i], 6)}` +
    stage("setup", b.begin[i], b.setupEnd[i]) +
    stage("copy in", b.inAt[i], b.inEnd[i]) +
    stage("computing", b.computeAt[i], b.computeEnd[i]) +
    stage("copy out", b.outAt[i], b.end[i])
  );
}

class Schedule {
  constructor(section, runs, upper, lower) {
    this.section = section;
    this.seen = {};
    this.all = runs;
    this.shown = [];
    this.chosen = [upper, lower];
  }

  /** Puts the chart onto the page. The runs that it shows must be loaded. */
  add() {
    const names = this.all.map(nameOf);
    const [upper, lower] = this.chosen;
    const zoomBy = (factor) => () => this.zoom(factor);
    this.figure = addFigure(this.section, {
      title: "Schedule",
      how: "A row is a unit, time goes to the right. Where several blocks share a pixel, the height of a colour is its share of the time; zoom in to see single blocks, and point at one to read its numbers. With the chart selected, + and - zoom, arrows move, 0 shows the whole run.",
      height: () => 140 + Math.max(80, this.rows.length * rowHeight(this.rows)),
      controls: [
        choice("Run", names, upper, (i) => this.choose(0, i)),
        choice("and below it", ["nothing", ...names], lower + 1, (i) => this.choose(1, i - 1)),
        button("Zoom in", zoomBy(0.5)),
        button("Zoom out", zoomBy(2)),
        button("Whole run", zoomBy(Infinity)),
      ],
      option: (view) => ganttOption(this.shown, this.rows, view, this.seen),
      connect: (figure) => this.connect(figure),
    });
    this.warn();
  }

  get rows() {
    return rowsOf(this.shown);
  }

  async choose(place, i) {
    this.chosen[place] = i;
    await this.load();
    this.warn();
    this.figure.draw();
    this.onChange?.(this.shown);
  }

  async load() {
    const wanted = [...new Set(this.chosen.filter((i) => i >= 0))].map((i) => this.all[i]);
    this.shown = await Promise.all(wanted.map(withBlocks));
  }

  /** Says which runs have no single blocks. */
  warn() {
    const coarse = this.shown.filter((run) => !run.b);
    this.figure.read(
      coarse.length > 0
        ? `${coarse.map(nameOf).join(", ")}: too many blocks for this page, so single blocks cannot be seen; equipoise report ${coarse[0].file} shows them.`
        : "",
    );
  }

  zoom(factor, shift = 0) {
    const { t0, t1 } = this.seen;
    const whole = 1.02 * Math.max(...this.shown.map((run) => Math.max(run.makespan_s, run.lower_bound_s ?? 0)));
    const middle = (t0 + t1) / 2 + shift * (t1 - t0);
    const half = Math.min(whole, (t1 - t0) * factor) / 2;
    const from = Math.max(0, Math.min(middle - half, whole - 2 * half));
    this.figure.chart.dispatchAction({
      type: "dataZoom",
      startValue: from,
      endValue: Math.min(whole, from + 2 * half),
    });
  }

  connect(figure) {
    const { chart, canvas } = figure;
    chart.on("finished", () => Object.assign(figure.root.dataset, { from: this.seen.t0, to: this.seen.t1, single: this.seen.single, blocks: this.seen.blocks }));
    chart.getZr().on("mousemove", ({ offsetX, offsetY }) => {
      if (!chart.containPixel("grid", [offsetX, offsetY])) return;
      const [t, row] = chart.convertFromPixel({ gridIndex: 0 }, [offsetX, offsetY]);
      const rows = this.rows;
      if (rows[row]) figure.read(described(rows[row], t));
    });
    canvas.addEventListener("keydown", (event) => {
      const action = {
        "+": () => this.zoom(0.5),
        "=": () => this.zoom(0.5),
        "-": () => this.zoom(2),
        0: () => this.zoom(Infinity),
        ArrowLeft: () => this.zoom(1, -0.2),
        ArrowRight: () => this.zoom(1, 0.2),
      }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }
}

/** Adds the chart of these runs to a section. Shows number `upper`, and below it `lower` unless that
 * is -1. */
export async function addSchedule(section, runs, upper, lower) {
  const schedule = new Schedule(section, runs, upper, lower);
  await schedule.load();
  schedule.add();
  return schedule;
}
