// What a unit did in a window of time, as one path for each kind of span: the blocks themselves, or, where
// several share a pixel, each kind's share of that pixel.
import { colours, lowerBound } from "./data.js";

/** The kinds of spans; `activity`: what colours are known by. */
export const kinds = [
  { name: "compute", words: "computing", activity: "compute" },
  { name: "setup", words: "setup", activity: "setup" },
  { name: "in", words: "copy in", activity: "copy in" },
  { name: "out", words: "copy out", activity: "copy out" },
  { name: "training", words: "waiting in training", activity: "waiting for other units in training" },
  { name: "barrier", words: "waiting for other units", activity: "waiting for other units" },
  { name: "controller", words: "waiting for controller or decision", activity: "waiting for the controller" },
  { name: "tail", words: "waiting for the end", activity: "waiting for the end of the run" },
  { name: "lost", words: "block that was lost", activity: "lost" },
  { name: "redone", words: "taken back or done twice", activity: "redone", isHatched: true },
  { name: "absent", words: "unit absent", activity: "absent" },
];
const number = Object.fromEntries(kinds.map((kind, i) => [kind.name, i]));

/** How spans of a kind are filled; ECharts calls hatching a decal. */
export function fillOf(kind, theme) {
  const decal = kind.isHatched && { color: colours.hatching, dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: Math.PI / 4 };
  const { light, dark } = colours.activities[kind.activity];
  return { color: theme.isDark ? dark : light, decal };
}

/** The order in a pixel. A unit that is absent or loses a block does not wait, whatever its blocks say;
 * what is stacked first is shown whole. */
const stacked = [number.lost, number.redone, number.absent, ...kinds.keys()].filter((k, i, all) => all.indexOf(k) === i);

/** Calls span(kind, from, to) for all that block i of run data `b` is made of. */
function spansOf(b, i, span) {
  const waits = b.begin[i] > b.free[i];
  if (waits) {
    const told = Math.min(b.told[i], b.begin[i]);
    const afterTraining = i > 0 && b.tagOf(i - 1) === "train" && b.free[i] > 0;
    span(afterTraining ? number.training : number.barrier, b.free[i], told);
    span(number.controller, told, b.begin[i]);
  }
  span(number.setup, b.begin[i], b.setupEnd[i]);
  span(number.in, b.inAt[i], b.inEnd[i]);
  span(number.compute, b.computeAt[i], b.computeEnd[i]);
  span(number.out, b.outAt[i], b.end[i]);
}

/** The blocks of a unit that can be seen from t0 to t1: [first, last). */
function visibleBlocks(run, unit, t0, t1) {
  const { b } = run;
  const [from, to] = [b.first[unit], b.first[unit + 1]];
  const first = lowerBound(b.begin, t0 - b.longest[unit], from, to);
  let last = lowerBound(b.begin, t1, first, to);
  if (last < to && b.free[last] < t1) ++last; // the wait before it
  return [first, last];
}

/** Other spans of a unit: lost blocks, dropped work, absence, and the wait after its last block. */
function otherSpans(run, unit, span) {
  for (const e of run.spans) {
    if (e.unit === unit) span(number[e.kind], e.from_s, e.to_s);
  }
  if (!run.b) return;
  const last = run.b.first[unit + 1];
  let end = 0;
  if (last > run.b.first[unit]) end = Math.max(run.b.free[last - 1], run.b.end[last - 1]);
  span(number.tail, end, run.makespan_s);
}

class Paths {
  constructor(scale, height) {
    this.texts = kinds.map(() => "");
    this.scale = scale;
    this.height = height;
    this.rectangles = 0;
  }
  rectangle(kind, x0, x1, y0, y1) {
    const x = Math.round(x0 * 100) / 100;
    const width = Math.max(0.3, Math.round((x1 - x0) * 100) / 100);
    this.texts[kind] += `M${x} ${y0.toFixed(1)}h${width}V${y1.toFixed(1)}h${-width}Z`;
    ++this.rectangles;
  }
}

/** Where copies overlap with computing, they get strips of their own: [top, bottom] in the row. */
function laneOf(kind, overlaps) {
  if (!overlaps) return [0, 1];
  if (kind === number.in) return [0, 0.24];
  if (kind === number.out) return [0.76, 1];
  return [0.26, 0.74];
}

/** Each block by itself. */
function drawBlocks(paths, run, unit, blocks, window) {
  const overlaps = run.b.overlaps[unit];
  const { t0, t1, x } = window;
  const span = (kind, from, to) => {
    if (!(to > from) || to < t0 || from > t1) return;
    const [top, bottom] = laneOf(kind, overlaps);
    const h = paths.height;
    paths.rectangle(kind, x(Math.max(from, t0)), x(Math.min(to, t1)), h * top, h * bottom);
  };
  otherSpans(run, unit, span);
  for (let i = blocks[0]; i < blocks[1]; ++i) spansOf(run.b, i, span);
}

/** Seconds of each kind in each of (columns) pixels. */
function secondsByPixel(run, unit, blocks, { t0, t1, columns }) {
  const width = (t1 - t0) / columns;
  const seconds = kinds.map(() => new Float64Array(columns));
  const span = (kind, from, to) => {
    from = Math.max(from, t0);
    to = Math.min(to, t1);
    if (!(to > from)) return;
    const of = seconds[kind];
    const first = Math.min(columns - 1, Math.floor((from - t0) / width));
    const last = Math.min(columns - 1, Math.floor((to - t0) / width));
    if (first === last) {
      of[first] += to - from;
      return;
    }
    of[first] += t0 + (first + 1) * width - from;
    for (let c = first + 1; c < last; ++c) of[c] += width;
    of[last] += to - (t0 + last * width);
  };
  otherSpans(run, unit, span);
  if (run.b) for (let i = blocks[0]; i < blocks[1]; ++i) spansOf(run.b, i, span);
  else addShares(run, unit, span);
  return { seconds, width };
}

/** A run of which the page has no blocks: shares of time in (bins) equal parts of the run. Where stages
 * overlapped, so that shares add up to more than the part, they are shortened alike. */
function addShares(run, unit, span) {
  const { bins, kinds: stored } = run.shares_of;
  const width = run.makespan_s / bins;
  for (let bin = 0; bin < bins; ++bin) {
    const shares = stored.map((_, k) => run.shares[(unit * stored.length + k) * bins + bin] / 255);
    const scale = width / Math.max(1, shares.reduce((a, b) => a + b));
    let at = bin * width;
    shares.forEach((share, k) => {
      span(number[stored[k]], at, at + share * scale);
      at += share * scale;
    });
  }
}

/** Many blocks: in each pixel, kinds stacked by their share of time. */
function drawShares(paths, run, unit, blocks, window) {
  const { seconds, width } = secondsByPixel(run, unit, blocks, window);
  const overlaps = run.b?.overlaps[unit] ?? false;
  const pixel = window.pixel;
  const h = paths.height;
  for (const lanes of overlaps ? [[number.in], [number.out], null] : [null]) {
    const inLane = lanes ?? stacked.filter((k) => !overlaps || (k !== number.in && k !== number.out));
    const [top, bottom] = laneOf(inLane[0], overlaps);
    const open = kinds.map(() => null); // rectangles that go on: [x, y0, y1]
    for (let c = 0; c <= window.columns; ++c) {
      let y = bottom * h;
      for (const kind of inLane) {
        const share = c < window.columns ? Math.min(1, seconds[kind][c] / width) : 0;
        const tall = Math.round(share * (bottom - top) * h * 4) / 4;
        const [y0, y1] = [Math.max(top * h, y - tall), y];
        const before = open[kind];
        if (before && (tall === 0 || before[1] !== y0 || before[2] !== y1)) {
          paths.rectangle(kind, window.left + before[0] * pixel, window.left + c * pixel, before[1], before[2]);
          open[kind] = null;
        }
        if (tall > 0 && !open[kind]) open[kind] = [c, y0, y1];
        y = y0;
      }
    }
  }
}

/**
 * The paths of a unit's row, `height` pixels high, one for each of `kinds`; "" where there is nothing.
 * `window`: t0, t1 (seconds), left, width (pixels). `single`: whether each block is drawn by itself.
 */
export function rowPaths(run, unit, window, height) {
  const blocks = run.b ? visibleBlocks(run, unit, window.t0, window.t1) : [0, 0];
  const count = blocks[1] - blocks[0];
  const single = Boolean(run.b) && count <= window.width / 3;
  const columns = Math.max(1, Math.floor(window.width));
  const scale = window.width / (window.t1 - window.t0);
  const paths = new Paths(scale, height);
  const of = {
    ...window,
    columns,
    pixel: window.width / columns,
    x: (t) => window.left + (t - window.t0) * scale,
  };
  if (single) drawBlocks(paths, run, unit, blocks, of);
  else drawShares(paths, run, unit, blocks, of);
  return { texts: paths.texts, single, count };
}

/** The block of a unit at time t, or -1. */
export function blockAt(run, unit, t) {
  if (!run.b) return -1;
  const [first, last] = visibleBlocks(run, unit, t, t);
  for (let i = last - 1; i >= first; --i) {
    if (run.b.begin[i] <= t && t <= run.b.end[i]) return i;
  }
  return -1;
}
