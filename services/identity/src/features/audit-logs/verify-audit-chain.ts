import type { internalAdmin } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { hashOf } from './chain.ts';

type Verdict = z.output<typeof internalAdmin.verifyAuditChain.reply>;

interface ChainLink {
  position: number;
  hash: string;
}

interface Walk extends ChainLink {
  broken?: { firstBroken: number | null; reason: string };
}

interface ChainEnds {
  entries: number;
  head: ChainLink;
  anchor: ChainLink;
}

const pageSize = 1_000;

/**
 * Recalculates the chain from its anchor (its start, or the last entry that retention removed) to the head at the start
 * of the check; later entries are left to the next check. Each page is a separate transaction, so a long log blocks
 * nothing.
 */
export const verifyAuditChain: Handler<typeof internalAdmin.verifyAuditChain> = async ({ body, inTenant }) => {
  const inTenantScope = <T>(work: (tx: Tx) => Promise<T>) =>
    inTenant({ tenantId: body.tenantId, environment: 'live' }, ({ tx }) => work(tx));
  for (;;) {
    const ends = await inTenantScope(readEnds);
    const { head, anchor, entries } = ends;
    let walk: Walk = anchor;
    while (!walk.broken && walk.position < head.position) {
      const from = walk;
      walk = await inTenantScope((tx) => walkPage(tx, from, head.position));
    }
    const broken = walk.broken ?? findEndError(walk, ends);
    // Retention may have removed entries during the check, which then restarts from the new anchor.
    if (broken && (await inTenantScope(readEnds)).anchor.position !== anchor.position) continue;
    return {
      entries,
      purged: anchor.position,
      intact: !broken,
      firstBroken: broken?.firstBroken ?? null,
      reason: broken?.reason ?? null,
    } satisfies Verdict;
  }
};

/** A single statement, so that an entry appended between two queries is not reported as an extra entry. */
async function readEnds(tx: Tx): Promise<ChainEnds> {
  const [row] = await tx.sql<{ entries: number; position: number; hash: string; purged: number; purgedHash: string }>`
    SELECT (SELECT count(*) FROM audit_log) AS entries, coalesce(max(entries), 0) AS position, coalesce(max(hash), '') AS hash,
      coalesce(max(purged), 0) AS purged, coalesce(max(purged_hash), '') AS "purgedHash" FROM audit_head`;
  const { entries, position, hash, purged, purgedHash } = row as NonNullable<typeof row>;
  return { entries, head: { position, hash }, anchor: { position: purged, hash: purgedHash } };
}

async function walkPage(tx: Tx, { position, hash }: Walk, last: number): Promise<Walk> {
  const rows = await tx.auditLog.findMany({
    where: { position: { gt: position, lte: last } },
    orderBy: { position: 'asc' },
    take: pageSize,
  });
  const at: Walk = { position, hash };
  for (const row of rows) {
    if (row.position !== at.position + 1) return broken(at, row.id, `Entry ${at.position + 1} is missing`);
    const expected = hashOf(at.hash, row);
    if (row.hash !== expected) return broken(at, row.id, `Entry ${row.position} was modified`);
    at.position = row.position;
    at.hash = expected;
  }
  if (rows.length < pageSize && at.position < last)
    return broken(at, null, `The log ends at entry ${at.position} of ${last}`);
  return at;
}

function broken(at: Walk, firstBroken: number | null, reason: string): Walk {
  return { ...at, broken: { firstBroken, reason } };
}

function findEndError(walk: Walk, { head, anchor, entries }: ChainEnds): Walk['broken'] {
  if (walk.hash !== head.hash)
    return { firstBroken: null, reason: 'The last entry does not match the head of the log' };
  // More rows than the head counts: the head was rewritten, or rows were inserted.
  const counted = head.position - anchor.position;
  if (entries > counted)
    return { firstBroken: null, reason: `The log has ${entries} entries, but its head counts ${counted}` };
  return undefined;
}
