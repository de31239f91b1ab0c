// Reads the cost curves that policies write into their decisions: seconds for x of N items, as text.

const number = "(-?[0-9.]+(?:e[-+]?[0-9]+)?)";
const rate = new RegExp(`^${number} items/s$`);
const logarithmic = new RegExp(`^x / \\(${number} ln x ([-+]) ${number}\\)$`);
const term = new RegExp(`^${number}( x)?(?:\\^([0-9.]+))?( ln\\(x/N\\)| e\\^\\(x/N\\))?(?: \\([a-z]+\\))?$`);

/** One term, such as "2.1e-07 x ln(x/N)" or "0.002 (latency)", as a function; null if it is none. */
function termOf(text, total) {
  const found = term.exec(text);
  if (!found) return null;
  const [, factor, hasX, power, shape] = found;
  if (power !== undefined && !hasX) return null;
  const bend = !shape
    ? () => 1
    : shape.includes("ln")
      ? (x) => Math.log(x / total)
      : (x) => Math.exp(x / total);
  return (x) => Number(factor) * (hasX ? x ** Number(power ?? 1) : 1) * bend(x);
}

/** The seconds for x items, as a function of x; null if the text is no curve. `total`: N. */
export function costCurve(text, total) {
  const speed = rate.exec(text);
  if (speed) return (x) => x / Number(speed[1]);
  const log = logarithmic.exec(text);
  if (log) {
    const [, a, sign, b] = log;
    return (x) => x / (Number(a) * Math.log(x) + Number(sign + b));
  }
  const [first, ...others] = text.split(/ ([-+]) /);
  const terms = [termOf(first, total)];
  for (let i = 0; i < others.length; i += 2) {
    const one = termOf(others[i + 1], total);
    terms.push(one && others[i] === "-" ? (x) => -one(x) : one);
  }
  return terms.every(Boolean) ? (x) => terms.reduce((sum, one) => sum + one(x), 0) : null;
}
