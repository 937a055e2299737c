import type { PayoutAccount } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** The current account of a partner, masked. */
export async function readAccount(tx: Tx, partnerId: number): Promise<z.output<typeof PayoutAccount>> {
  const row = await tx.payoutAccount.findFirst({ where: { partnerId, replacedAt: null } });
  return { partnerId, account: row?.masked ?? null, updatedAt: row?.createdAt ?? null };
}
