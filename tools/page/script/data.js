// What a page contains: JSON in script elements, and the columns of runs, which are packed.

/** All documents of a kind, each with the article that contains it. */
export function documents(kind) {
  return [...document.querySelectorAll(`script[type="application/json"][data-kind="${kind}"]`)].map(
    (element) => ({
      content: JSON.parse(element.textContent),
      place: (name) =>
        (element.closest("article") ?? document).querySelector(`[data-charts="${name}"]`),
    }),
  );
}

/** Colours of activities, by their names, and of the bound: each `light` and `dark`. Pictures have the
 * same. */
export const colours = documents("colours")[0].content;

/** Unpacks base64 of deflated bytes. */
async function inflated(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads (count) unsigned numbers of 7 bits a byte, the lowest first. */
function unsignedColumn(bytes, count) {
  const values = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) break;
      factor *= 128;
    }
    values[i] = value;
  }
  return values;
}

/** The same of numbers with a sign, which is the lowest bit. */
function signedColumn(bytes, count) {
  const values = unsignedColumn(bytes, count);
  for (let i = 0; i < count; ++i) {
    values[i] = values[i] % 2 === 0 ? values[i] / 2 : -(values[i] + 1) / 2;
  }
  return values;
}

const tags = ["run", "train", "gap", "tail"];

/**
 * The blocks of a run in seconds, sorted by unit and begin, as typed arrays. Those of unit u are at
 * first[u] to first[u + 1]. `free`: when the unit had ended its blocks before; `told`: until when it
 * waited for other units or a timer; from then to `begin` for the controller.
 */
async function blocksOf(run) {
  const count = run.blocks;
  const column = async (name, read) => read(await inflated(run.columns[name]), count);
  const [id, items, start, held, setup, inWait, into, computeWait, compute, outWait, out] =
    await Promise.all([
      column("block", signedColumn),
      column("items", signedColumn),
      column("start", signedColumn),
      column("held", unsignedColumn),
      column("setup", unsignedColumn),
      column("in_wait", unsignedColumn),
      column("in", unsignedColumn),
      column("compute_wait", unsignedColumn),
      column("compute", unsignedColumn),
      column("out_wait", unsignedColumn),
      column("out", unsignedColumn),
    ]);
  const tag = await inflated(run.columns.tag);
  const array = () => new Float64Array(count);
  const b = {
    count,
    id,
    items,
    tag,
    first: [0],
    free: array(),
    told: array(),
    begin: array(),
    setupEnd: array(),
    inAt: array(),
    inEnd: array(),
    computeAt: array(),
    computeEnd: array(),
    outAt: array(),
    end: array(),
    overlaps: [],
    longest: [],
    tagOf: (i) => tags[tag[i]],
  };
  const q = run.quantum_s;
  let i = 0;
  for (const of of run.blocks_by_unit) {
    let before = 0;
    let lastId = 0;
    let lastItems = 0;
    let overlaps = false;
    let longest = 0;
    for (const stop = i + of; i < stop; ++i) {
      lastId = id[i] += lastId;
      lastItems = items[i] += lastItems;
      let at = before + start[i];
      overlaps ||= at < before;
      b.free[i] = before * q;
      b.told[i] = (before + held[i]) * q;
      b.begin[i] = at * q;
      b.setupEnd[i] = (at += setup[i]) * q;
      b.inAt[i] = (at += inWait[i]) * q;
      b.inEnd[i] = (at += into[i]) * q;
      b.computeAt[i] = (at += computeWait[i]) * q;
      b.computeEnd[i] = (at += compute[i]) * q;
      b.outAt[i] = (at += outWait[i]) * q;
      b.end[i] = (at += out[i]) * q;
      longest = Math.max(longest, b.end[i] - b.begin[i]);
      before = Math.max(before, at);
    }
    b.first.push(i);
    b.overlaps.push(overlaps);
    b.longest.push(longest);
  }
  return b;
}

/** The number of the first of sorted[from .. to) that is not below `value`. */
export function lowerBound(sorted, value, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

const unpacked = new Map();

/** The run with its blocks (`b`), or its shares of time by pixel where the page has no blocks. */
export function withBlocks(run) {
  if (!unpacked.has(run)) {
    unpacked.set(
      run,
      (async () => {
        if (run.columns) return { ...run, b: await blocksOf(run) };
        return { ...run, shares: await inflated(run.shares) };
      })(),
    );
  }
  return unpacked.get(run);
}

/** Units that have a colour together, in the order of their first one: those of one kind and model.
 * Of units of which neither is known, those whose names differ in the last number alone.
 * `units`: [{ id, kind, model }]; returns [{ name, ids }], with different names. */
export function groupsOfModels(units) {
  const groups = new Map();
  for (const { id, kind, model } of units) {
    const stem = id.replace(/\d+$/, "") || id;
    const key = kind ? `${kind} ${model || stem}` : stem;
    if (!groups.has(key)) groups.set(key, { model, ids: [] });
    groups.get(key).ids.push(id);
  }
  return [...groups.values()].map(({ model, ids }) => ({
    name: model ? `${model} (${foldedNames(ids)})` : foldedNames(ids),
    ids,
  }));
}

/** "cpu0 to cpu19" of names that belong together. */
export function foldedNames(names) {
  return names.length < 3 ? names.join(", ") : `${names[0]} to ${names[names.length - 1]}`;
}
