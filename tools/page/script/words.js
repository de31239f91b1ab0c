// Numbers and times as people read them.

/** `value` with so many significant digits, without an exponent between 1e-4 and 1e7. */
export function significant(value, digits = 4) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) return value.toExponential(digits - 1).replace("e+", "e");
  return Number(value.toPrecision(digits)).toString();
}

/** Seconds with an SI prefix: "30 µs". */
export function time(seconds, digits = 4) {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  const [factor, unit] =
    size < 1e-6 ? [1e9, "ns"] : size < 1e-3 ? [1e6, "µs"] : size < 1 ? [1e3, "ms"] : [1, "s"];
  return `${significant(seconds * factor, digits)} ${unit}`;
}

/** The labels of an axis of seconds: "20 ms", "40 ms". */
export const timeLabels = { formatter: (seconds) => time(seconds, 3) };

/** Numbers with an SI prefix: "4.5 M". */
export function short(value, digits = 3) {
  const size = Math.abs(value);
  for (const [factor, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]]) {
    if (size >= factor) return `${significant(value / (factor === 1e4 ? 1e3 : factor), digits)} ${unit}`;
  }
  return significant(value, digits);
}

/** `value` of a unit with an SI prefix: "4.5 kJ". */
export function quantity(value, unit, digits = 4) {
  const size = Math.abs(value);
  for (const [factor, prefix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"]]) {
    if (size >= factor) return `${significant(value / factor, digits)} ${prefix}${unit}`;
  }
  return size === 0 ? `0 ${unit}` : `${significant(value / 1e-6, digits)} µ${unit}`;
}

/** `share` in percent: "4.5 %", and never "-0.0 %". */
export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits).replace(/^-(?=0\.?0*$)/, "")} %`;
}

/** `text` for HTML, as in tooltips of charts. */
export function escaped(text) {
  return String(text).replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c],
  );
}
