import { bucketTerm } from '../terms.ts';
import { hashOf } from './grams.ts';

// Each tree gives a vector a code: a bit for each of its planes says on which side the vector lies (random hyperplanes,
// Charikar 2002). The codes are terms, so the vectors with the same first bits are a range of terms (LSH forest, Bawa et
// al. 2005): longer beginnings have fewer vectors.
const trees = 4;
export const bucketDepthMax = 24;
const probesPerTree = 16;
/** How many ranges are read for a vector. */
export const probesMax = trees * probesPerTree;
const lastCharacter = '~';

/** A range of terms. */
export interface BucketRange {
  low: string;
  high: string;
}

/** The terms of a vector, one of each tree. */
export function bucketTerms(model: string, vector: Int8Array): string[] {
  return Array.from({ length: trees }, (_, tree) => {
    const bits = marginsOf(vector, tree).map(bitOf).join('');
    return bucketTerm(keyOf(model), `${tree}${bits}`);
  });
}

/** The beginning of all terms of a model. */
export function bucketsOf(model: string): string {
  return bucketTerm(keyOf(model), '');
}

/** All vectors of a model, each once. */
export function wholeRange(model: string): BucketRange {
  return rangeOf(model, 0, '');
}

/** The range of one tree with so many bits of the vector's own code. */
export function ownRange(model: string, vector: Int8Array, depth: number): BucketRange {
  return rangeOf(model, 0, marginsOf(vector, 0).slice(0, depth).map(bitOf).join(''));
}

/**
 * The ranges in which similar vectors probably are, the most probable first: those of the vector's own codes, and of codes
 * that differ in the bits of the planes that it is close to (multi-probe, Lv et al. 2007).
 */
export function probesOf(model: string, vector: Int8Array, depth: number): BucketRange[] {
  return Array.from({ length: trees }, (_, tree) => {
    const margins = marginsOf(vector, tree).slice(0, depth);
    return flipsOf(margins).map(({ flipped, cost }) => {
      const code = margins.map((margin, at) => bitOf(flipped.has(at) ? -margin - Number(margin === 0) : margin));
      return { cost, range: rangeOf(model, tree, code.join('')) };
    });
  })
    .flat()
    .sort((one, other) => one.cost - other.cost)
    .map(({ range }) => range);
}

function rangeOf(model: string, tree: number, code: string): BucketRange {
  const low = bucketTerm(keyOf(model), `${tree}${code}`);
  return { low, high: `${low}${lastCharacter}` };
}

function keyOf(model: string): string {
  return hashOf(model).toString(36);
}

function bitOf(margin: number): string {
  return margin >= 0 ? '1' : '0';
}

/** The sets of bits to flip with the least margins in sum, the empty one first. */
function flipsOf(margins: number[]): { flipped: Set<number>; cost: number }[] {
  const sizes = margins.map(Math.abs);
  const order = sizes.map((_, at) => at).sort((a, b) => (sizes[a] as number) - (sizes[b] as number));
  // Sets of positions in `order`. Each set follows from exactly one other: its last position moves on, or gets a successor.
  const open: number[][] = order.length ? [[0]] : [];
  const costOf = (set: number[]) => set.reduce((sum, place) => sum + (sizes[order[place] as number] as number), 0);
  const found = [{ flipped: new Set<number>(), cost: 0 }];
  while (open.length && found.length < probesPerTree) {
    open.sort((one, other) => costOf(other) - costOf(one));
    const set = open.pop() as number[];
    found.push({ flipped: new Set(set.map((place) => order[place] as number)), cost: costOf(set) });
    const next = (set.at(-1) as number) + 1;
    if (next < order.length) open.push([...set, next], [...set.slice(0, -1), next]);
  }
  return found;
}

/** How far a vector is on one side of each plane of a tree, relative to its length. */
function marginsOf(vector: Int8Array, tree: number): number[] {
  const planes = planesOf(vector.length);
  let squared = 0;
  for (const value of vector) squared += value * value;
  const length = Math.sqrt(squared) || 1;
  return Array.from({ length: bucketDepthMax }, (_, bit) => {
    const plane = planes[tree * bucketDepthMax + bit] as Int8Array;
    let sum = 0;
    for (let n = 0; n < vector.length; n++) sum += (vector[n] as number) * (plane[n] as number);
    return sum / length;
  });
}

const planesByLength = new Map<number, Int8Array[]>();

/** Planes with a component of 1 or -1 in every dimension: the same in every process, because terms are stored. */
function planesOf(dimensions: number): Int8Array[] {
  const known = planesByLength.get(dimensions);
  if (known) return known;
  const planes = Array.from({ length: trees * bucketDepthMax }, (_, plane) =>
    Int8Array.from({ length: dimensions }, (_one, n) => (hashOf(`${plane} ${n}`) & 1 ? 1 : -1)),
  );
  planesByLength.set(dimensions, planes);
  return planes;
}
