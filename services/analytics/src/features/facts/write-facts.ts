import type { Tx } from '../../handler.ts';
import { type Count, type Counting, countingIn, negated } from '../counting/index.ts';
import type { FactKind, FactRow } from './fact.ts';

/** A version of a record. */
export interface Version<Fact> {
  id: number;
  version: number;
  isDeleted: boolean;
  fact: Fact;
}

/**
 * Stores the given versions of records that are newer than the stored ones, and resolves to what the sums change by, which the
 * caller adds with `addCounts`. Locks the facts in the order of their ids.
 * @param options.counting the counting of the tenant, which the transaction holds
 * @param options.sameVersion whether a version replaces itself too, as in a rebuild
 */
export async function writeFacts<Fact extends object>(
  tx: Tx,
  kind: FactKind<Fact>,
  versions: readonly Version<Fact>[],
  { counting, sameVersion = false }: { counting: Counting; sameVersion?: boolean },
): Promise<Count[]> {
  const newest = newestOf(versions);
  if (!newest.size) return [];
  const stored = await lockFacts(tx, kind, { ids: [...newest.keys()], counting });
  const changed = [...newest.values()].filter(({ id, version }) => {
    const known = stored.get(id)?.version ?? -1;
    return version > known || (sameVersion && version === known);
  });
  await storeFacts(
    tx,
    kind,
    changed.map((version) => ({ ...version, timezone: counting.timezone })),
  );
  return changed.flatMap(({ id, isDeleted, fact }) => [
    ...negated(countsOf(kind, stored.get(id))),
    ...(isDeleted ? [] : kind.counts(fact, counting)),
  ]);
}

/** Counts facts by the days of the counting that were counted by those of another time zone. */
export async function recountFacts<Fact extends object>(
  tx: Tx,
  kind: FactKind<Fact>,
  { ids, counting }: { ids: number[]; counting: Counting },
): Promise<Count[]> {
  const stored = await lockFacts(tx, kind, { ids, counting });
  const moved = [...stored.values()].filter(({ timezone }) => timezone !== counting.timezone);
  if (!moved.length) return [];
  await tx.sql`UPDATE ${kind.table} SET timezone = ${counting.timezone} WHERE id = ANY(${moved.map(({ id }) => id)}::bigint[])`;
  return moved.flatMap((fact) => [
    ...negated(countsOf(kind, fact)),
    ...countsOf(kind, { ...fact, timezone: counting.timezone }),
  ]);
}

/** Removes facts whose records no longer exist. */
export async function removeFacts<Fact extends object>(
  tx: Tx,
  kind: FactKind<Fact>,
  { ids, counting }: { ids: number[]; counting: Counting },
): Promise<Count[]> {
  if (!ids.length) return [];
  const stored = await lockFacts(tx, kind, { ids, counting });
  await tx.sql`DELETE FROM ${kind.table} WHERE id = ANY(${ids}::bigint[])`;
  return [...stored.values()].flatMap((fact) => negated(countsOf(kind, fact)));
}

function newestOf<Fact>(versions: readonly Version<Fact>[]): Map<number, Version<Fact>> {
  const newest = new Map<number, Version<Fact>>();
  for (const one of [...versions].sort((a, b) => a.id - b.id)) {
    const known = newest.get(one.id);
    if (!known || one.version >= known.version) newest.set(one.id, one);
  }
  return newest;
}

/** What a stored fact counts for now. */
function countsOf<Fact extends object>(kind: FactKind<Fact>, fact: (Fact & FactRow) | undefined): Count[] {
  if (!fact || fact.version < 0 || fact.isDeleted) return [];
  return kind.counts(fact, countingIn(fact.timezone));
}

async function lockFacts<Fact extends object>(
  tx: Tx,
  { table, find }: FactKind<Fact>,
  { ids, counting }: { ids: number[]; counting: Counting },
): Promise<Map<number, Fact & FactRow>> {
  await tx.sql`INSERT INTO ${table} (id, version, is_deleted, timezone)
    SELECT id, -1, false, ${counting.timezone} FROM unnest(${ids}::bigint[]) AS id ORDER BY id ON CONFLICT DO NOTHING`;
  await tx.sql`SELECT id FROM ${table} WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`;
  const rows = await find(tx, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

async function storeFacts<Fact extends object>(
  tx: Tx,
  { table, assign }: FactKind<Fact>,
  versions: readonly (Version<Fact> & { timezone: string })[],
): Promise<void> {
  if (!versions.length) return;
  const rows = versions.map(({ id, version, isDeleted, timezone, fact }) =>
    asColumns({ id, version, isDeleted, timezone, ...fact }),
  );
  await tx.sql`UPDATE ${table} AS fact
    SET version = given.version, is_deleted = given.is_deleted, timezone = given.timezone, ${assign}
    FROM jsonb_populate_recordset(NULL::${table}, ${JSON.stringify(rows)}::jsonb) AS given WHERE fact.id = given.id`;
}

/** The fields of a fact by the names of their columns. */
function asColumns(fact: object): object {
  const columns = Object.entries(fact).map(([field, value]) => {
    return [field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value];
  });
  return Object.fromEntries(columns);
}
