import type { Caller } from '@tandem/caller';
import type { Schedule } from '@tandem/jobs';
import {
  type FacetCounts,
  type Matches,
  type QueryVector,
  rankDepth,
  type Search,
  type SearchDriver,
  type Similar,
  type Sort,
  searchWindow,
} from '../../driver/driver.ts';
import { localQuestionVector } from '../../embedding/local.ts';
import { isContact } from '../../fields.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type Arms, fuse, type Ranked, rankedAfter, rankedByKeys } from './fuse.ts';

export type Mode = 'keyword' | 'semantic' | 'hybrid';

/** A search with all of its options. */
export interface RankOptions extends Pick<Search, 'type' | 'filter' | 'owners'> {
  q: string;
  typo: 'auto' | 'off';
  mode: Mode;
  /** The weight of the semantic arm of a hybrid search. */
  semanticRatio: number;
  /** Absent for the order of relevance. */
  sort?: Sort | undefined;
  facets: string[];
  /** The vector of the question by the provider's model; absent when local vectors are compared. */
  vector: QueryVector | undefined;
  offset: number;
  limit: number;
}

export interface Ranking {
  /** The search, as its words were read. */
  search: Search;
  /** The model by whose vectors documents were compared. */
  model: string;
  hits: Ranked[];
  total: number;
  isEstimate: boolean;
  facets?: { counts: FacetCounts; isComplete: boolean };
}

export interface Context {
  tx: Tx;
  caller: Caller;
  schedule: Schedule;
}

/**
 * One page of the documents that a search finds. Both arms always contribute the same number of documents, whatever the page,
 * and their order is fused; the other documents with all words follow in the order of the keyword arm.
 */
export async function rank(tools: Tools, context: Context, options: RankOptions): Promise<Ranking> {
  const { tx } = context;
  const driver = await tools.searchedBy(tx);
  const { search, model, keyword, arms } = await readArms({ ...tools, driver }, context, options);
  const isWhole = !keyword.hasMore;
  const { later, others } = await othersOf(driver, tx, { search, arms, isWhole });
  const found = {
    search,
    model,
    total: Math.min(keyword.total + others.length, searchWindow),
    isEstimate: keyword.isEstimate,
  };
  // Matches that are all known already are not searched again for their values.
  const isKnown = keyword.keys !== undefined;
  const matched = isKnown ? withoutWords(search) : search;
  const listed = { others: [...(keyword.keys ?? []), ...others] };
  const facets = options.facets.length ? { facets: await driver.facets(tx, matched, options.facets, listed) } : {};
  const { offset, sort } = options;
  const limit = Math.max(0, Math.min(options.limit, searchWindow - offset));
  if (sort) {
    const { keys, isCut } = await driver.sorted(tx, matched, sort, { offset, limit, ...listed });
    const total = isCut ? Math.min(found.total, offset + keys.length) : found.total;
    return { ...found, ...facets, total, hits: rankedByKeys(keys, arms) };
  }
  const fused = fuse(arms);
  const page = fused.slice(offset, offset + limit);
  if (isWhole || page.length === limit) return { ...found, ...facets, hits: page };
  const place = rankDepth + Math.max(0, offset - fused.length);
  const wanting = { ...context, totals: tools.totals, offset: place, limit: limit - page.length, excluded: later };
  const rest = await driver.match(tx, search, wanting);
  // The reading of a later page knows better how many there are.
  const total = Math.max(found.total, Math.min(rest.total + later.length, searchWindow));
  return { ...found, ...facets, total, hits: [...page, ...rankedAfter(rest.hits, place, arms)] };
}

/** The first documents of each arm that the mode asks for. */
async function readArms(tools: Tools, { tx, caller, schedule }: Context, options: RankOptions) {
  const { type, q, typo, filter, owners, mode, semanticRatio } = options;
  const { totals, driver } = tools;
  const wantsKeys = options.facets.length > 0 || options.sort !== undefined;
  const wanting = { offset: 0, limit: rankDepth, caller, totals, schedule, wantsKeys };
  const index = await driver.index(tx, type);
  const asked = { index, q, typo };
  const match = (one: Search) => (mode === 'semantic' ? matchWhole(driver, tx, one) : driver.match(tx, one, wanting));
  let search: Search = { type, index, filter, owners, question: await driver.read(tx, asked) };
  let keyword = await match(search);
  if (!keyword.total && search.question.isPhone) {
    // A date looks like a phone number too, and so does the number of an order.
    search = { ...search, question: await driver.read(tx, { ...asked, isNoPhone: true }) };
    keyword = await match(search);
  }
  // All addresses of a domain are similar, and who asks for one of them wants no other.
  const isFound = isContact(q) && keyword.total > 0;
  const ratio = { keyword: 0, semantic: 1, hybrid: isFound ? 0 : semanticRatio }[mode];
  const vector = options.vector ?? localQuestionVector(search.question);
  const similar: Similar[] = ratio ? await driver.similar(tx, search, vector) : [];
  return { search, model: vector.model, keyword, arms: { keyword: keyword.hits, similar, ratio } };
}

/** Finds the documents that the whole question equals, which a search by similarity pins. */
async function matchWhole(driver: SearchDriver, tx: Tx, search: Search): Promise<Matches> {
  const hits = await driver.wholes(tx, search);
  return { hits, total: hits.length, isEstimate: false, hasMore: false, keys: hits.map(({ key }) => key) };
}

/**
 * The similar documents that are not among the first of the keyword arm: those that it lists later, which must not be listed
 * twice, and those that it does not have.
 */
async function othersOf(
  driver: SearchDriver,
  tx: Tx,
  { search, arms, isWhole }: { search: Search; arms: Arms; isWhole: boolean },
): Promise<{ later: number[]; others: number[] }> {
  const known = new Set(arms.keyword.map(({ key }) => key));
  const unknown = arms.similar.map(({ key }) => key).filter((key) => !known.has(key));
  if (isWhole) return { later: [], others: unknown };
  const matching = await driver.matching(tx, search, unknown);
  return {
    later: unknown.filter((key) => matching.has(key)),
    others: unknown.filter((key) => !matching.has(key)),
  };
}

/** The same search for none but the documents that are named to it. */
function withoutWords(search: Search): Search {
  return { ...search, question: { ...search.question, words: [], wholes: [] } };
}
