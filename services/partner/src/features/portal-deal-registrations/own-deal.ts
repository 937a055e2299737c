import type { Caller } from '@tandem/caller';
import type { Tx } from '../../handler.ts';
import { type DealScope, lockDeal, readDeal, type StoredDeal } from '../deal-registrations/deal-registration.ts';

/** Loads a registration of the partner of a portal session; 404 if there is none. */
export function readOwnDeal(tx: Tx, caller: Caller, id: number): Promise<StoredDeal> {
  return readDeal(tx, scopeOf(caller, id));
}

/** The same with a row lock. */
export function lockOwnDeal(tx: Tx, caller: Caller, id: number): Promise<StoredDeal> {
  return lockDeal(tx, scopeOf(caller, id));
}

/** A caller without a partner has no registrations. */
function scopeOf({ partnerId = 0 }: Caller, id: number): DealScope {
  return { id, partnerId };
}
