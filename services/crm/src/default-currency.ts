import { actingUserId, type Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { asService } from '@tandem/service';
import type { Peers } from './handler.ts';

/** The currency that the acting user chose for new records, else that of the tenant. */
export async function defaultCurrency(peers: Pick<Peers, 'identity' | 'currencyOf'>, caller: Caller): Promise<string> {
  const id = actingUserId(caller);
  const user =
    id === undefined ? undefined : await orAbsent(peers.identity.findUser({ params: { id }, as: asService(caller) }));
  return user?.defaultCurrency ?? peers.currencyOf(caller);
}
