import type { internalAdmin } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { hashOf } from './chain.ts';

type Verdict = z.output<typeof internalAdmin.verifyAuditChain.reply>;
type Scope = { tenantId: number; environment: 'live' };

interface Walk {
  position: number;
  hash: string;
  broken?: { firstBroken: number | null; reason: string };
}

const pageSize = 1_000;

/**
 * Recalculates the chain from its first row to where its head was when the check began; rows appended meanwhile are
 * left to the next check. Each page is a transaction of its own, so that a long log holds nobody up.
 */
export const verifyAuditChain: Handler<typeof internalAdmin.verifyAuditChain> = async ({ body, inTenant }) => {
  const scope: Scope = { tenantId: body.tenantId, environment: 'live' };
  // One statement sees one moment: an entry appended between two would look like one too many.
  const { entries, ...end } = await inTenant(scope, async ({ tx }) => {
    const [row] = await tx.sql<{
      entries: number;
      count: number;
      hash: string;
    }>`SELECT (SELECT count(*) FROM audit_log) AS entries,
      coalesce((SELECT entries FROM audit_head), 0) AS count, coalesce((SELECT hash FROM audit_head), '') AS hash`;
    return row as { entries: number; count: number; hash: string };
  });
  let walk: Walk = { position: 0, hash: '' };
  while (!walk.broken && walk.position < end.count) {
    const from = walk;
    walk = await inTenant(scope, ({ tx }) => walkPage(tx, from, end.count));
  }
  const broken = walk.broken ?? whatIsWrongWithTheEnd(walk, end, entries);
  return {
    entries,
    intact: !broken,
    firstBroken: broken?.firstBroken ?? null,
    reason: broken?.reason ?? null,
  } satisfies Verdict;
};

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
    if (row.hash !== expected) return broken(at, row.id, `Entry ${row.position} is not what was written`);
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

function whatIsWrongWithTheEnd(walk: Walk, end: { count: number; hash: string }, entries: number): Walk['broken'] {
  if (walk.hash !== end.hash)
    return { firstBroken: null, reason: 'The last entry is not the one that the head of the log names' };
  // More rows than the head counts, though none was appended since: the head was set back, or rows were put in.
  if (entries > end.count)
    return { firstBroken: null, reason: `${entries} entries, but the head of the log counts ${end.count}` };
  return undefined;
}
