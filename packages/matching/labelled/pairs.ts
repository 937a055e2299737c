import type { MatchKind, MatchRecord } from '../src/index.ts';

/** Two records, and whether they are the same person, company or partner. */
export interface LabelledPair {
  kind: MatchKind;
  /** How the pair was made. */
  how: string;
  isSame: boolean;
  one: MatchRecord;
  other: MatchRecord;
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What generators draw from. */
export interface Draw {
  one<Value>(values: readonly Value[]): Value;
  /** One that differs from the given value. */
  another<Value>(values: readonly Value[], than: Value): Value;
  /** A number below the bound. */
  below(bound: number): number;
  /** The text with one letter left out, doubled, or exchanged with its neighbour. */
  typo(text: string): string;
}

export function drawFrom(seed: number): Draw {
  const random = randomNumbers(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const one = <Value>(values: readonly Value[]) => values[below(values.length)] as Value;
  return {
    one,
    below,
    another: (values, than) => one(values.filter((value) => value !== than)),
    typo: (text) => {
      // Not the first letter: few people mistype it.
      const at = 1 + below(text.length - 2);
      const edits = [
        text.slice(0, at) + text.slice(at + 1),
        text.slice(0, at) + text.charAt(at) + text.slice(at),
        text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
      ];
      return one(edits.filter((edit) => edit !== text));
    },
  };
}

/** A text as part of an address. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replace(/[^a-z0-9.]+/g, '');
}
