import { actingUserId } from '@tandem/caller';
import { duplicatePairDismissed, type leadDuplicates } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler, Tx } from '../../handler.ts';
import { asPair } from './duplicate.ts';

export const dismissDuplicate: Handler<typeof leadDuplicates.dismissDuplicate> = async ({
  params: { pairId: id },
  tx,
  emit,
  ifMatch,
  caller,
}) => {
  const pair = await lockPair(tx, id);
  ifMatch(pair);
  if (pair.status !== 'open') {
    throw fail('pair_decided', [
      { field: 'status', message: `The pair is ${pair.status}; only open pairs can change` },
    ]);
  }
  const [row] = await tx.duplicatePair.updateManyAndReturn({
    where: { id },
    data: {
      status: 'dismissed',
      decidedBy: actingUserId(caller) ?? null,
      decidedAt: new Date(),
      version: { increment: 1 },
    },
  });
  if (!row) throw fail('not_found');
  const dismissed = asPair(row);
  emit(duplicatePairDismissed, {
    data: { duplicatePairId: id, leadIds: dismissed.leadIds },
    record: dismissed,
    changes: { status: { from: 'open', to: 'dismissed' } },
  });
  return dismissed;
};

/** Locks a pair whose leads the caller can both access. */
async function lockPair(tx: Tx, id: number) {
  const found = await tx.duplicatePair.findFirst({ where: { id }, select: { id: true } });
  const [locked] = found ? await tx.sql`SELECT FROM duplicate_pair WHERE id = ${id} FOR UPDATE` : [];
  const row = locked && (await tx.duplicatePair.findFirst({ where: { id } }));
  if (!row) throw fail('not_found');
  return asPair(row);
}
