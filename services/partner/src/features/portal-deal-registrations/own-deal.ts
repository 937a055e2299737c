import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { type DealScope, lockDeal, readDeal, type StoredDeal } from '../deal-registrations/deal-registration.ts';

/** Loads a registration of the partner of a portal session; 404 if there is none, 403 for marketers. */
export async function readOwnDeal(tx: Tx, caller: Caller, id: number): Promise<StoredDeal> {
  const deal = await readDeal(tx, scopeOf(caller, id));
  await checkSeller(tx, caller);
  return deal;
}

/** The same with a row lock. */
export async function lockOwnDeal(tx: Tx, caller: Caller, id: number): Promise<StoredDeal> {
  const deal = await lockDeal(tx, scopeOf(caller, id));
  await checkSeller(tx, caller);
  return deal;
}

/** @throws 403 for portal users with the role `marketer`, who see only co-marketing and training */
export async function checkSeller(tx: Tx, { partnerId = 0, portalUserId: id = 0 }: Caller): Promise<void> {
  const user = await tx.portalUser.findFirst({ where: { id, partnerId } });
  if (user?.role === 'marketer') throw fail('forbidden');
}

/** A caller without a partner has no registrations. */
function scopeOf({ partnerId = 0 }: Caller, id: number): DealScope {
  return { id, partnerId };
}
