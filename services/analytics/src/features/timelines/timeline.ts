/**
 * The format in which PostgreSQL packs entries of leads: rows of `rowBytes`, each with a lead, a time as PostgreSQL sends it and a number
 * whose bits or value the query gives a meaning. All are big-endian.
 */
export const rowBytes = 20;

/** What happened to each lead, in order of time. The entries of a lead are those from `starts[n]` to `starts[n + 1]`. */
export interface Timelines {
  leads: Float64Array;
  starts: Uint32Array;
  times: Float64Array;
  values: Uint32Array;
}

/** Groups packed rows, which may have any order, by lead; entries of the same time are in the order of their values. */
export function timelinesOf(rows: Uint8Array): Timelines {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  const count = rows.byteLength / rowBytes;
  const places = new Uint32Array(count);
  const indexOf = new Map<number, number>();
  const sizes: number[] = [];
  for (let row = 0; row < count; row++) {
    const lead = readInteger(view, row * rowBytes);
    let index = indexOf.get(lead);
    if (index === undefined) {
      index = sizes.length;
      indexOf.set(lead, index);
      sizes.push(0);
    }
    places[row] = index;
    sizes[index] = (sizes[index] as number) + 1;
  }
  const starts = new Uint32Array(sizes.length + 1);
  sizes.forEach((size, index) => {
    starts[index + 1] = (starts[index] as number) + size;
  });
  const next = starts.slice();
  const times = new Float64Array(count);
  const values = new Uint32Array(count);
  for (let row = 0; row < count; row++) {
    const index = places[row] as number;
    const place = next[index] as number;
    next[index] = place + 1;
    times[place] = readTime(view, row * rowBytes + 8);
    values[place] = view.getUint32(row * rowBytes + 16);
  }
  for (let lead = 0; lead < sizes.length; lead++)
    sortRange(times, values, starts[lead] as number, starts[lead + 1] as number);
  return { leads: Float64Array.from(indexOf.keys()), starts, times, values };
}

/** An integer of eight bytes, which is below 2^53. */
export function readInteger(view: DataView, offset: number): number {
  return view.getInt32(offset) * 2 ** 32 + view.getUint32(offset + 4);
}

// PostgreSQL counts microseconds from here.
const timesFrom = Date.UTC(2000, 0, 1);

/** A time in milliseconds since 1970, of one that PostgreSQL sends in microseconds. */
export function readTime(view: DataView, offset: number): number {
  return timesFrom + readInteger(view, offset) / 1_000;
}

// Longer ranges are sorted by an index: insertion takes time in proportion to the square of the length.
const insertionMax = 32;

function sortRange(times: Float64Array, values: Uint32Array, from: number, to: number): void {
  if (to - from > insertionMax) {
    sortByIndex(times, values, from, to);
    return;
  }
  for (let place = from + 1; place < to; place++) {
    const [time, value] = [times[place] as number, values[place] as number];
    let at = place;
    while (at > from && isAfter(times[at - 1] as number, values[at - 1] as number, time, value)) {
      times[at] = times[at - 1] as number;
      values[at] = values[at - 1] as number;
      at--;
    }
    times[at] = time;
    values[at] = value;
  }
}

function sortByIndex(times: Float64Array, values: Uint32Array, from: number, to: number): void {
  const [ofLead, valuesOfLead] = [times.slice(from, to), values.slice(from, to)];
  const order = Array.from(ofLead.keys()).sort(
    (a, b) =>
      (ofLead[a] as number) - (ofLead[b] as number) || (valuesOfLead[a] as number) - (valuesOfLead[b] as number),
  );
  order.forEach((old, index) => {
    times[from + index] = ofLead[old] as number;
    values[from + index] = valuesOfLead[old] as number;
  });
}

function isAfter(time: number, value: number, otherTime: number, otherValue: number): boolean {
  return time > otherTime || (time === otherTime && value > otherValue);
}
