import type { Caller } from '@tandem/caller';
import { asService, fail } from '@tandem/service';
import type { Peers } from './handler.ts';

const cacheMs = 60_000;
const tenantsMax = 10_000;

/** Gets the currency of the caller's tenant from identity and caches it for a minute. */
export function tenantCurrency({ identity }: Pick<Peers, 'identity'>): (caller: Caller) => Promise<string> {
  const cache = new Map<number | undefined, { currency: string; until: number }>();
  return async (caller) => {
    const cached = cache.get(caller.tenantId);
    if (cached && cached.until > Date.now()) return cached.currency;
    const { currency } = await identity.readTenantSettings({ as: asService(caller) }).catch(() => {
      throw fail('unavailable');
    });
    if (cache.size >= tenantsMax) cache.clear();
    cache.set(caller.tenantId, { currency, until: Date.now() + cacheMs });
    return currency;
  };
}
