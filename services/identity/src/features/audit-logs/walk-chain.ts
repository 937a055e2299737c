import type { IdCodec } from '@tandem/ids';
import type { Tx } from '../../handler.ts';
import { isLinked } from './chain.ts';
import { encoderOf } from './record.ts';

/** A position of the chain with the hash of its entry. */
export interface ChainLink {
  position: number;
  hash: string;
}

/** The result of recalculating a chain. */
export interface Verdict {
  /** The entries of the log. */
  entries: number;
  /** The link before the first entry: the start, or the last entry that retention removed. */
  anchor: ChainLink;
  /** The link that the walk ended at. */
  last: ChainLink;
  broken: { firstBroken: number | null; reason: string } | undefined;
}

interface Walk extends ChainLink {
  broken?: Verdict['broken'];
}

interface ChainEnds {
  entries: number;
  head: ChainLink;
  anchor: ChainLink;
}

const pageSize = 1_000;

/**
 * Recalculates a tenant's chain from its anchor to its head at the start of the check, or to an earlier link; later
 * entries are left to the next check. Each page is a separate transaction, so a long log blocks nothing.
 * @param options.read runs a query in the scope of the tenant
 */
export async function walkChain(options: {
  tenantId: number;
  ids: IdCodec;
  read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  upTo?: ChainLink;
  onPage?: (checked: number, total: number) => Promise<void>;
}): Promise<Verdict> {
  const { tenantId, ids, read, upTo, onPage } = options;
  const encode = encoderOf(ids, tenantId);
  for (;;) {
    const ends = await read(readEnds);
    const { anchor, entries } = ends;
    const head = upTo ?? ends.head;
    let walk: Walk = anchor;
    while (!walk.broken && walk.position < head.position) {
      const from = walk;
      walk = await read((tx) => walkPage(tx, from, head.position, (previous, row) => isLinked(previous, row, encode)));
      await onPage?.(walk.position - anchor.position, head.position - anchor.position);
    }
    const broken = walk.broken ?? findEndError(walk, { ...ends, head, isWhole: !upTo });
    // Retention may have removed entries during the check, which then restarts from the new anchor.
    if (broken && (await read(readEnds)).anchor.position !== anchor.position) continue;
    return { entries, anchor, last: { position: walk.position, hash: walk.hash }, broken };
  }
}

/** A single statement, so that an entry appended between two queries is not reported as an extra entry. */
export async function readEnds(tx: Tx): Promise<ChainEnds> {
  const [row] = await tx.sql<{ entries: number; position: number; hash: string; purged: number; purgedHash: string }>`
    SELECT (SELECT count(*) FROM audit_log) AS entries, coalesce(max(entries), 0) AS position, coalesce(max(hash), '') AS hash,
      coalesce(max(purged), 0) AS purged, coalesce(max(purged_hash), '') AS "purgedHash" FROM audit_head`;
  const { entries, position, hash, purged, purgedHash } = row as NonNullable<typeof row>;
  return { entries, head: { position, hash }, anchor: { position: purged, hash: purgedHash } };
}

type Row = Awaited<ReturnType<Tx['auditLog']['findMany']>>[number];

async function walkPage(
  tx: Tx,
  { position, hash }: Walk,
  last: number,
  isCorrect: (previous: string, row: Row) => boolean,
): Promise<Walk> {
  const rows = await tx.auditLog.findMany({
    where: { position: { gt: position, lte: last } },
    orderBy: { position: 'asc' },
    take: pageSize,
  });
  const at: Walk = { position, hash };
  for (const row of rows) {
    if (row.position !== at.position + 1) return broken(at, row.id, `Entry ${at.position + 1} is missing`);
    if (!isCorrect(at.hash, row)) return broken(at, row.id, `Entry ${row.position} was modified`);
    at.position = row.position;
    at.hash = row.hash;
  }
  if (rows.length < pageSize && at.position < last)
    return broken(at, null, `The log ends at entry ${at.position} of ${last}`);
  return at;
}

function broken(at: Walk, firstBroken: number | null, reason: string): Walk {
  return { ...at, broken: { firstBroken, reason } };
}

function findEndError(walk: Walk, ends: ChainEnds & { isWhole: boolean }): Verdict['broken'] {
  const { head, anchor, entries, isWhole } = ends;
  // Retention has removed the link that the walk should end at.
  if (walk.position > head.position) return undefined;
  if (walk.hash !== head.hash)
    return { firstBroken: null, reason: 'The last entry does not match the head of the log' };
  if (!isWhole) return undefined;
  // More rows than the head counts: the head was rewritten, or rows were inserted.
  const counted = head.position - anchor.position;
  if (entries > counted)
    return { firstBroken: null, reason: `The log has ${entries} entries, but its head counts ${counted}` };
  return undefined;
}
