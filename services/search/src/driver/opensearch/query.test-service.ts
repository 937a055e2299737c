// How the loopback server reads queries. Scores are those that Lucene gives for these clauses.
import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;
type Value = string | number;
export type Properties = Record<string, { type: string; doc_values?: boolean; dimension?: number }>;

export interface Stored {
  id: string;
  routing: string;
  version: number;
  source: Json;
}

/** A query that OpenSearch answers with 400. */
export class BadQuery extends Error {}

/** The score of a document for a query; undefined when it does not match. */
export function scoreOf(query: Json, document: Stored, properties: Properties): number | undefined {
  const [name, clause] = only(query);
  const reader = clauses[name];
  if (!reader) throw new BadQuery(`unknown query [${name}]`);
  return reader(clause as Json, document, properties);
}

type Reader = (clause: Json, document: Stored, properties: Properties) => number | undefined;

const clauses: Record<string, Reader> = {
  match_none: () => undefined,
  term: (clause, document, properties) => {
    const [field, value] = only(clause);
    return valuesOf(document, field, properties).includes(value as Value) ? 1 : undefined;
  },
  terms: (clause, document, properties) => {
    const [field, values] = only(clause);
    if (!Array.isArray(values)) throw new BadQuery('[terms] query requires an array');
    if (values.length > 65_536) throw new BadQuery('too many terms');
    return valuesOf(document, field, properties).some((value) => values.includes(value)) ? 1 : undefined;
  },
  range: (clause, document, properties) => {
    const [field, bounds] = only(clause);
    const { gte, lt } = allowed(bounds as Json, ['gte', 'lt']) as { gte?: Value; lt?: Value };
    const isWithin = (value: Value) =>
      (gte === undefined || compare(value, gte) >= 0) && (lt === undefined || compare(value, lt) < 0);
    return valuesOf(document, field, properties).some(isWithin) ? 1 : undefined;
  },
  constant_score: (clause, document, properties) => {
    const { filter, boost = 1 } = allowed(clause, ['filter', 'boost']) as { filter: Json; boost?: number };
    return scoreOf(filter, document, properties) === undefined ? undefined : boost;
  },
  dis_max: (clause, document, properties) => {
    const { queries } = allowed(clause, ['queries']) as { queries: Json[] };
    const scores = queries.map((one) => scoreOf(one, document, properties)).filter((score) => score !== undefined);
    return scores.length ? Math.max(...scores) : undefined;
  },
  bool: (clause, document, properties) => {
    const { filter, must, must_not, should, minimum_should_match } = allowed(clause, [
      'filter',
      'must',
      'must_not',
      'should',
      'minimum_should_match',
    ]) as { filter?: Json[]; must?: Json[]; must_not?: Json[]; should?: Json[]; minimum_should_match?: number };
    const scores = (queries: Json[] = []) => queries.map((one) => scoreOf(one, document, properties));
    if ([...scores(filter), ...scores(must)].some((score) => score === undefined)) return undefined;
    if (scores(must_not).some((score) => score !== undefined)) return undefined;
    const optional = scores(should).filter((score) => score !== undefined);
    if (should && optional.length < (minimum_should_match ?? 0)) return undefined;
    return [...scores(must), ...optional].reduce<number>((sum, score) => sum + (score ?? 0), 0);
  },
  knn: (clause, document, properties) => {
    const [field, options] = only(clause);
    const { vector, filter } = allowed(options as Json, ['vector', 'k', 'filter']) as {
      vector: number[];
      filter: Json;
    };
    if (vector.length !== properties[field]?.dimension) throw new BadQuery('Query vector has invalid dimension');
    if (vector.every((value) => value === 0)) throw new BadQuery('zero vector is not supported');
    if (vector.some((value) => !Number.isInteger(value) || value < -128 || value > 127))
      throw new BadQuery('not a byte');
    const own = document.source[field] as number[] | undefined;
    if (!own || scoreOf(filter, document, properties) === undefined) return undefined;
    return (1 + cosine(vector, own)) / 2;
  },
};

function cosine(one: number[], other: number[]): number {
  const product = (a: number[], b: number[]) => a.reduce((sum, value, n) => sum + value * (b[n] as number), 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}

function only(object: Json): [string, unknown] {
  const [entry, ...others] = Object.entries(object);
  if (!entry || others.length) throw new BadQuery(`expected one key, found ${Object.keys(object).join(', ')}`);
  return entry;
}

function allowed(clause: Json, keys: string[]): Json {
  const unknown = Object.keys(clause).find((key) => !keys.includes(key));
  if (unknown) throw new BadQuery(`query does not support [${unknown}]`);
  return clause;
}

function valuesOf({ source }: Stored, field: string, properties: Properties): Value[] {
  if (!properties[field]) throw new BadQuery(`No mapping found for [${field}]`);
  const value = source[field];
  return value === undefined ? [] : ([value].flat() as Value[]);
}

function compare(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)));
}

export type Hit = Stored & { score: number };

/** Sorts hits by fields with values in columns, or by `_score`. */
export function sortHits(hits: Hit[], sort: Json[], properties: Properties): Hit[] {
  const orders = sort.map((one) => {
    const [field, options] = only(one);
    if (field !== '_score') inColumns(field, properties);
    const { order, missing } = allowed(options as Json, ['order', 'missing']) as { order: string; missing?: string };
    if (!['asc', 'desc'].includes(order) || ![undefined, '_last'].includes(missing))
      throw new BadQuery('unknown order');
    return { field, isDescending: order === 'desc' };
  });
  const sortedValue = (hit: Hit, field: string) =>
    field === '_score' ? hit.score : (hit.source[field] as Value | undefined);
  return hits.toSorted((a, b) => {
    for (const { field, isDescending } of orders) {
      const [one, other] = [sortedValue(a, field), sortedValue(b, field)];
      if (one === undefined || other === undefined) {
        if (one !== other) return one === undefined ? 1 : -1;
        continue;
      }
      const order = compare(one, other) * (isDescending ? -1 : 1);
      if (order) return order;
    }
    return 0;
  });
}

function inColumns(field: string, properties: Properties): void {
  const property = properties[field];
  if (!property) throw new BadQuery(`No mapping found for [${field}]`);
  if (property.doc_values === false)
    throw new BadQuery(`Can't load fielddata on [${field}] because doc_values is false`);
}

/** The result of an aggregation. */
export function aggregate(aggregation: Json, hits: Hit[], properties: Properties): Json {
  const [kind, options] = only(aggregation);
  if (kind === 'filters') {
    const { filters } = allowed(options as Json, ['filters']) as { filters: Json[] };
    return {
      buckets: filters.map((filter) => ({
        doc_count: hits.filter((hit) => scoreOf(filter, hit, properties) !== undefined).length,
      })),
    };
  }
  if (kind !== 'terms') throw new BadQuery(`Unknown aggregation type [${kind}]`);
  const { field, size, order } = allowed(options as Json, ['field', 'size', 'order']) as {
    field: string;
    size: number;
    order: Json[];
  };
  if (!isDeepStrictEqual(order, [{ _count: 'desc' }, { _key: 'asc' }])) throw new BadQuery('unknown order');
  inColumns(field, properties);
  const counts = new Map<string, number>();
  for (const hit of hits)
    for (const value of valuesOf(hit, field, properties))
      counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  const buckets = [...counts].map(([key, count]) => ({ key, doc_count: count }));
  return { buckets: buckets.sort((a, b) => b.doc_count - a.doc_count || compare(a.key, b.key)).slice(0, size) };
}
