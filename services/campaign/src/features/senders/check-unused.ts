import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type Reader, usersOf } from '../work/users-of.ts';

/** Fails with 409 while a campaign sends with the sender. */
export async function checkUnused({ tx, ...reader }: Reader & { tx: Tx }, senderId: number): Promise<void> {
  const where = { senderId };
  if (!(await tx.campaign.findFirst({ where, select: { id: true } }))) return;
  const campaigns = { type: 'campaign', permission: 'campaigns:read' } as const;
  throw fail('sender_in_use', await usersOf(reader, campaigns, (only) => tx.campaign.findMany({ where, ...only })));
}
