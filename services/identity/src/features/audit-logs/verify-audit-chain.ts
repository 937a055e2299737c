import type { internalAdmin } from '@tandem/identity-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { hashOf } from './chain.ts';

type Verdict = z.output<typeof internalAdmin.verifyAuditChain.reply>;

interface Place {
  position: number;
  hash: string;
}

interface Walk extends Place {
  broken?: { firstBroken: number | null; reason: string };
}

interface Ends {
  entries: number;
  head: Place;
  anchor: Place;
}

const pageSize = 1_000;

/**
 * Recalculates the chain from its anchor, which is its beginning or the last entry that was removed for its age, to where
 * its head was when the check began; rows appended meanwhile are left to the next check. Each page is a transaction of
 * its own, so that a long log holds nobody up.
 */
export const verifyAuditChain: Handler<typeof internalAdmin.verifyAuditChain> = async ({ body, inTenant }) => {
  const inLog = <T>(work: (tx: Tx) => Promise<T>) =>
    inTenant({ tenantId: body.tenantId, environment: 'live' }, ({ tx }) => work(tx));
  for (;;) {
    const ends = await inLog(readEnds);
    const { head, anchor, entries } = ends;
    let walk: Walk = anchor;
    while (!walk.broken && walk.position < head.position) {
      const from = walk;
      walk = await inLog((tx) => walkPage(tx, from, head.position));
    }
    const broken = walk.broken ?? whatIsWrongWithTheEnd(walk, ends);
    // What looks missing may have been removed for its age before the walk came there: then it begins again.
    if (broken && (await inLog(readEnds)).anchor.position !== anchor.position) continue;
    return {
      entries,
      purged: anchor.position,
      intact: !broken,
      firstBroken: broken?.firstBroken ?? null,
      reason: broken?.reason ?? null,
    } satisfies Verdict;
  }
};

/** One statement sees one moment: an entry appended between two would look like one too many. */
async function readEnds(tx: Tx): Promise<Ends> {
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

function whatIsWrongWithTheEnd(walk: Walk, { head, anchor, entries }: Ends): Walk['broken'] {
  if (walk.hash !== head.hash)
    return { firstBroken: null, reason: 'The last entry is not the one that the head of the log names' };
  // More rows than the head counts, though none was appended since: the head was set back, or rows were put in.
  const counted = head.position - anchor.position;
  if (entries > counted)
    return { firstBroken: null, reason: `${entries} entries, but the head of the log counts ${counted}` };
  return undefined;
}
