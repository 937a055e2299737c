import type { Match, Similar } from '../../driver/driver.ts';

/** The first documents of both arms, each best first, and how much the arms count. */
export interface Arms {
  keyword: Match[];
  similar: Similar[];
  /** The weight of the similar documents, from 0 to 1. */
  ratio: number;
}

/** A document with its place in each arm that has it. */
export interface Ranked {
  key: number;
  /** From 0 to 1; 1 for a document whose address, phone number or name is the question. */
  score: number;
  /** The sum that decides the order of documents that are not pinned. */
  fused: number;
  isPinned: boolean;
  keyword?: { rank: number; score: number };
  semantic?: { rank: number; similarity: number };
}

// Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), with the constant of that paper.
const rankConstant = 60;

/**
 * The documents of both arms in one order: by the sum of `weight / (60 + rank)`. Documents that the question equals are
 * pinned before them.
 */
export function fuse(arms: Arms): Ranked[] {
  const keys = new Set([...arms.keyword, ...arms.similar].map(({ key }) => key));
  const places = placesOf(arms);
  return [...keys].map((key) => ranked(key, places, arms)).sort(byRank);
}

/** A document wherever it is in the arms, or in none of them. */
export function rankedByKeys(keys: number[], arms: Arms): Ranked[] {
  const places = placesOf(arms);
  return keys.map((key) => ranked(key, places, arms));
}

/** The documents of the keyword arm that follow those of both arms, the first of them at a place from 0. */
export function rankedAfter(matches: Match[], place: number, arms: Arms): Ranked[] {
  const keyword = new Map(matches.map(({ key, ...match }, n) => [key, { ...match, rank: place + n + 1 }]));
  return matches.map(({ key }) => ranked(key, { keyword, semantic: new Map() }, arms));
}

interface Places {
  keyword: Map<number, { rank: number; score: number; isWhole: boolean }>;
  semantic: Map<number, { rank: number; similarity: number }>;
}

function placesOf({ keyword, similar }: Arms): Places {
  return {
    keyword: new Map(keyword.map(({ key, ...match }, n) => [key, { ...match, rank: n + 1 }])),
    semantic: new Map(similar.map(({ key, similarity }, n) => [key, { similarity, rank: n + 1 }])),
  };
}

function ranked(key: number, places: Places, { ratio }: Arms): Ranked {
  const [match, semantic] = [places.keyword.get(key), places.semantic.get(key)];
  const isPinned = match?.isWhole ?? false;
  const fused = (1 - ratio) * shareOf(match?.rank) + ratio * shareOf(semantic?.rank);
  return {
    key,
    isPinned,
    fused,
    score: isPinned ? 1 : Math.min(0.99, rounded(fused)),
    ...(match && { keyword: { rank: match.rank, score: match.score } }),
    ...(semantic && { semantic }),
  };
}

/** What a rank counts: 1 for the first, 0 for a document that the arm does not have. */
function shareOf(rank: number | undefined): number {
  return rank === undefined ? 0 : (rankConstant + 1) / (rankConstant + rank);
}

/** A score as it is shown. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function byRank(one: Ranked, other: Ranked): number {
  const placeOf = ({ keyword }: Ranked) => keyword?.rank ?? Number.MAX_SAFE_INTEGER;
  return (
    Number(other.isPinned) - Number(one.isPinned) ||
    (one.isPinned ? 0 : other.fused - one.fused) ||
    placeOf(one) - placeOf(other) ||
    other.key - one.key
  );
}
