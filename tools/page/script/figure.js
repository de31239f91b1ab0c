// A chart on the page: its heading, the sentence that says how to read it, its buttons, and its life:
// drawn when it comes into view, and again for another width, theme or printer.
import * as echarts from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
} from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";
import { colours } from "./data.js";
import { short } from "./words.js";

echarts.use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  CustomChart,
  DataZoomComponent,
  GridComponent,
  HeatmapChart,
  LabelLayout,
  LegendComponent,
  LineChart,
  MarkAreaComponent,
  MarkLineComponent,
  SVGRenderer,
  ScatterChart,
  TooltipComponent,
  VisualMapComponent,
]);

const dark = matchMedia("(prefers-color-scheme: dark)");
const printing = matchMedia("print");
const figures = [];

/** Colours that people tell apart who see few colours (after Okabe and Ito, and Tol). Behind them,
 * others, each of which is different. */
const hues = ["#0077bb", "#ee7733", "#009988", "#cc3311", "#aa4499", "#33bbee", "#999933", "#882255"];

/** The colour of series i. */
export const hue = (i) => hues[i] ?? `hsl(${Math.round(i * 137.5) % 360}, ${35 + 12 * (i % 4)}%, ${35 + 7 * (i % 5)}%)`;

/** How charts look in light and dark. */
function themeOf(isDark) {
  return {
    isDark,
    ink: isDark ? "#e4e4e4" : "#1c1c1c",
    muted: isDark ? "#9a9a9a" : "#5f5f5f",
    line: isDark ? "#3a3a3a" : "#dcdcdc",
    paper: isDark ? "#161616" : "#ffffff",
    bound: isDark ? colours.bound.dark : colours.bound.light,
    hue,
    sim: "#0077bb",
    real: "#ee7733",
  };
}

/** Options that all charts share. */
function styled(option, theme) {
  const axis = (a) => ({
    ...a,
    nameTextStyle: { color: theme.muted, ...a.nameTextStyle },
    axisLabel: { color: theme.ink, hideOverlap: true, ...a.axisLabel },
    axisLine: { lineStyle: { color: theme.muted }, ...a.axisLine },
    splitLine: { lineStyle: { color: theme.line }, ...a.splitLine },
  });
  const each = (a) => (Array.isArray(a) ? a.map(axis) : axis(a));
  return {
    animation: false,
    textStyle: { fontFamily: "system-ui, sans-serif", color: theme.ink },
    backgroundColor: "transparent",
    aria: { enabled: false },
    ...option,
    series: option.series.map((s) =>
      // Otherwise marks stand at their values rounded to two decimals.
      s.markLine ? { ...s, markLine: { precision: 15, ...s.markLine } } : s,
    ),
    xAxis: each(option.xAxis),
    yAxis: each(option.yAxis),
    legend: option.legend && {
      top: 0,
      type: "scroll",
      textStyle: { color: theme.ink },
      pageTextStyle: { color: theme.ink },
      pageIconColor: theme.ink,
      ...option.legend,
    },
    tooltip: option.tooltip && {
      backgroundColor: theme.paper,
      borderColor: theme.line,
      textStyle: { color: theme.ink },
      confine: true,
      ...option.tooltip,
    },
  };
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function button(text, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", action);
  return made;
}

/** A labelled list to choose from; `action` is told the number of the chosen one. */
export function choice(label, texts, chosen, action) {
  const select = element("select");
  texts.forEach((text, i) => select.append(element("option", { value: i }, text)));
  select.value = chosen;
  select.addEventListener("change", () => action(Number(select.value)));
  return element("label", {}, `${label} `, select);
}

class Figure {
  /** `of`: title, how (a sentence), height (or a function of the width), option(view), and, if it
   * has some, controls (elements) and connect(figure), called when the chart is first drawn. */
  constructor(place, of) {
    this.of = of;
    this.canvas = element("div", {
      class: "canvas",
      role: "img",
      tabindex: 0,
      "aria-label": `${of.title}. ${of.how}`,
    });
    this.note = element("p", { class: "readout", "aria-live": "polite" });
    this.root = element(
      "figure",
      { class: "chart", id: `chart-${figures.length}` },
      element("figcaption", {}, element("h3", {}, of.title), element("p", {}, of.how)),
      element(
        "div",
        { class: "controls" },
        ...(of.controls ?? []),
        button("Save as SVG", () => this.save(), { "aria-label": `Save as SVG: ${of.title}` }),
      ),
      this.canvas,
      this.note,
    );
    place.append(this.root);
    figures.push(this);
    waiting.observe(this.canvas);
    resized.observe(this.canvas);
  }

  view(theme, width) {
    return { theme, width, isNarrow: width < 560, hue: theme.hue };
  }

  height(width) {
    return typeof this.of.height === "function" ? this.of.height(width) : this.of.height;
  }

  get isDark() {
    return dark.matches && !printing.matches && !this.isPrinted;
  }

  /** Draws the chart again with what is known now. */
  draw() {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const height = this.height(width);
    this.canvas.style.height = `${height}px`;
    if (!this.chart) {
      this.chart = echarts.init(this.canvas, null, { renderer: "canvas" });
      this.of.connect?.(this);
    } else {
      this.chart.resize({ width, height });
    }
    const theme = themeOf(this.isDark);
    this.chart.setOption(this.option(theme, width), { notMerge: true });
    this.root.dataset.drawn = width;
  }

  option(theme, width) {
    const option = styled(this.of.option(this.view(theme, width)), theme);
    const zoom = this.chart?.getOption()?.dataZoom;
    if (zoom && option.dataZoom) {
      option.dataZoom = option.dataZoom.map((z, i) =>
        zoom[i] && !this.of.forgetsZoom ? { ...z, start: zoom[i].start, end: zoom[i].end } : z,
      );
    }
    return option;
  }

  /** Shows the chart, drawn again if it was drawn, or, in its place, a sentence on why there is none. */
  show(why = "") {
    for (const part of [this.canvas, this.root.querySelector(".controls")]) part.hidden = why !== "";
    this.read(why);
    if (this.chart) this.draw();
  }

  /** The chart as it is now, as the text of an SVG file, for light paper. */
  svg() {
    const width = Math.max(480, this.canvas.clientWidth);
    const height = this.height(width);
    const paper = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
    paper.setOption({ ...this.option(themeOf(false), width), backgroundColor: "#ffffff" });
    const text = paper.renderToSVGString();
    paper.dispose();
    return text;
  }

  save() {
    const file = new Blob([this.svg()], { type: "image/svg+xml" });
    const link = element("a", {
      href: URL.createObjectURL(file),
      download: `${this.of.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.svg`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  read(text) {
    this.note.textContent = text;
  }
}

const byCanvas = (entry) => figures.find((figure) => figure.canvas === entry.target);
const waiting = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const figure = byCanvas(entry);
      if (entry.isIntersecting && !figure.chart) figure.draw();
    }
  },
  { rootMargin: "400px" },
);
const resized = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const figure = byCanvas(entry);
    if (figure.chart && figure.canvas.clientWidth !== Number(figure.root.dataset.drawn)) figure.draw();
  }
});

function drawAll(isPrinted) {
  for (const figure of figures) {
    figure.isPrinted = isPrinted;
    figure.draw();
  }
}
dark.addEventListener("change", () => {
  for (const figure of figures) if (figure.chart) figure.draw();
});
addEventListener("beforeprint", () => drawAll(true));
addEventListener("afterprint", () => drawAll(false));

/** Adds a chart to a section of the page, which it makes visible. */
export function addFigure(section, of) {
  section.hidden = false;
  return new Figure(section, of);
}

/** The first chart with this title as the text of an SVG file. */
export function svgOf(title) {
  return figures.find((figure) => figure.of.title === title).svg();
}

/** Draws every chart, seen or not. */
export function drawEveryFigure() {
  drawAll(false);
}

/** Round numbers from `low` to `high`: powers of ten, with 2 and 5 between them, or equal steps. */
function roundNumbers(low, high) {
  const between = (numbers) => numbers.filter((v) => v >= low && v <= high);
  const powers = [];
  for (let e = Math.floor(Math.log10(low)); 10 ** e <= high; ++e) powers.push(Number(`1e${e}`));
  const tens = between(powers);
  if (tens.length > 3) return tens;
  const fine = between(powers.flatMap((v) => [v, 2 * v, 5 * v].map((one) => Number(one.toPrecision(1)))));
  if (fine.length > 2) return fine;
  const power = 10 ** Math.floor(Math.log10((high - low) / 3));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => (high - low) / one <= 5);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** A logarithmic axis that ends a little beyond the least and the greatest of `values`, with `more`
 * options. */
export function logAxis(values, { axisLabel, ...more }) {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (!(value > 0 && value < Infinity)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) [low, high] = [1, 10];
  const margin = Math.max(1.1, (high / low) ** 0.03);
  const [min, max] = [low / margin, high * margin];
  const customValues = low === high ? [low] : roundNumbers(min, max);
  return {
    type: "log",
    min,
    max,
    nameLocation: "middle",
    axisTick: { customValues },
    axisLabel: { formatter: (v) => short(v), ...axisLabel, customValues },
    ...more,
  };
}

/** Values [x, low, high, category] as bars of error: a series for echarts. */
export function intervals(name, values, colour, { isVertical = false } = {}) {
  return {
    type: "custom",
    name,
    silent: true,
    clip: true,
    encode: isVertical ? { x: 3, y: [1, 2] } : { x: [1, 2], y: 3 },
    data: values,
    z: 5,
    renderItem: (params, api) => {
      const at = (v) =>
        isVertical ? api.coord([api.value(3), v]) : api.coord([v, api.value(3)]);
      const [low, high] = [at(api.value(1)), at(api.value(2))];
      if (![...low, ...high].every(Number.isFinite)) return null;
      const along = isVertical ? 1 : 0;
      const across = 1 - along;
      const points = (p, q) => ({ x1: p[0], y1: p[1], x2: q[0], y2: q[1] });
      const moved = (p, by) => {
        const q = [...p];
        q[across] += by;
        return q;
      };
      const style = { stroke: colour, lineWidth: 1.5 };
      return {
        type: "group",
        children: [
          { type: "line", shape: points(moved(low, 0), moved(high, 0)), style },
          { type: "line", shape: points(moved(low, -4), moved(low, 4)), style },
          { type: "line", shape: points(moved(high, -4), moved(high, 4)), style },
        ],
      };
    },
  };
}
