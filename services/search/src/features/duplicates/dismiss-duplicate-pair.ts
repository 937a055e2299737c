import { actingUserId, type Caller } from '@tandem/caller';
import { duplicateDismissed, type duplicates } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import type { DuplicatePair as PairRow } from '../../generated/client.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { asPairs } from './record-pair.ts';
import { visiblePairs, writablePairs } from './visible-pairs.ts';

export const dismissDuplicatePair =
  (tools: Tools): Handler<typeof duplicates.dismissDuplicatePair> =>
  async ({ params: { pairId: id }, tx, emit, ifMatch, caller }) => {
    const pair = await lockPair(tools, { tx, caller }, id);
    ifMatch(pair);
    if (pair.status !== 'open') {
      throw fail('pair_decided', [
        { field: 'status', message: `The pair is ${pair.status}; only open pairs can change` },
      ]);
    }
    const now = new Date();
    const decision = { status: 'dismissed', dismissedBy: actingUserId(caller) ?? null, dismissedAt: now };
    const [row] = await tx.duplicatePair.updateManyAndReturn({
      where: { id },
      data: { ...decision, updatedAt: now, version: { increment: 1 } },
    });
    const [dismissed] = row ? await asPairs(tools, tx, [row]) : [];
    if (!row || !dismissed) throw fail('not_found');
    const { type, score, status, dismissedBy, dismissedAt, version } = dismissed;
    emit(duplicateDismissed, {
      data: { duplicateId: id, type, recordIds: [row.firstId, row.secondId], leadIds: leadIdsOf(tools, caller, row) },
      record: { id, score, status, dismissedBy, dismissedAt, version },
      changes: { status: { from: 'open', to: 'dismissed' } },
    });
    return dismissed;
  };

/** Locks a pair whose records the caller can both read and write. */
async function lockPair(tools: Tools, { tx, caller }: { tx: Tx; caller: Caller }, id: number): Promise<PairRow> {
  const readable = { AND: [{ id }, visiblePairs(tools, caller)] };
  const writable = writablePairs(tools, caller);
  if (!writable) throw fail('forbidden');
  const where = { AND: [readable, writable] };
  const found = await tx.duplicatePair.findFirst({ where, select: { id: true } });
  const [locked] = found ? await tx.sql`SELECT FROM duplicate_pair WHERE id = ${id} FOR UPDATE` : [];
  const row = locked && (await tx.duplicatePair.findFirst({ where }));
  if (!row) throw fail('not_found');
  return row;
}

/** The leads of a pair in crm; null for other types, and for documents of clients. */
function leadIdsOf({ ids }: Tools, { tenantId }: Caller, { type, firstId, secondId }: PairRow): number[] | null {
  const leadIds = [firstId, secondId].flatMap((id) => ids.decode('lead', tenantId, id) ?? []);
  return type === 'lead' && leadIds.length === 2 ? leadIds : null;
}
