import { compare, keysOf, likelyScore, matchKinds, misspeltMailboxes } from '../src/index.ts';
import { addressPairs } from './addresses.ts';
import { companyPairs } from './companies.ts';
import { hardPairs } from './hard-pairs.ts';
import { leadPairs } from './leads.ts';
import { drawFrom, type LabelledPair } from './pairs.ts';

const seed = 1815;

/** The whole labelled set, the same in every run. */
export function labelledPairs(): LabelledPair[] {
  const draw = drawFrom(seed);
  return [...leadPairs(draw), ...companyPairs(draw), ...hardPairs, ...addressPairs(draw)];
}

export interface Measured {
  pairs: number;
  duplicates: number;
  precision: number;
  recall: number;
}

/** The score of a pair as it is found in practice: a pair without an equal or a misspelt key is never compared. */
export function foundScore({ kind, one, other }: LabelledPair): number {
  const [keys, others] = [keysOf(kind, one), keysOf(kind, other)];
  const areCandidates = Object.entries(keys).some(([key, value]) => value !== null && others[key] === value);
  const mailbox = others['mailbox'];
  const isMisspelt = mailbox !== null && mailbox !== undefined && misspeltMailboxes(kind, one).includes(mailbox);
  return areCandidates || isMisspelt ? compare(kind, one, other).score : 0;
}

/** Precision and recall at a threshold, for each kind and over all. */
export function measure(pairs = labelledPairs(), threshold = likelyScore): Map<string, Measured> {
  const scored = pairs.map((pair) => ({ ...pair, isFound: foundScore(pair) >= threshold }));
  const rows = matchKinds.map((kind) => [kind, measured(scored.filter((pair) => pair.kind === kind))] as const);
  return new Map([...rows, ['all', measured(scored)]]);
}

function measured(pairs: (LabelledPair & { isFound: boolean })[]): Measured {
  const duplicates = pairs.filter(({ isSame }) => isSame).length;
  const found = pairs.filter(({ isFound }) => isFound);
  const right = found.filter(({ isSame }) => isSame).length;
  return { pairs: pairs.length, duplicates, precision: right / found.length, recall: right / duplicates };
}

/** The table of the README. */
export function tableOf(rows: Map<string, Measured>): string {
  const lines = [...rows].map(
    ([kind, { pairs, duplicates, precision, recall }]) =>
      `| ${kind} | ${pairs} | ${duplicates} | ${precision.toFixed(3)} | ${recall.toFixed(3)} |`,
  );
  return ['| kind | pairs | duplicates | precision | recall |', '|---|---|---|---|---|', ...lines].join('\n');
}
