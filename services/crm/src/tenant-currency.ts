import type { Caller } from '@tandem/caller';
import { asService, fail } from '@tandem/service';
import type { Peers } from './handler.ts';

const rememberedMs = 60_000;
const tenantsMax = 10_000;

/** Asks identity for the currency of the caller's tenant and remembers it for a minute. */
export function tenantCurrency({ identity }: Pick<Peers, 'identity'>): (caller: Caller) => Promise<string> {
  const known = new Map<number | undefined, { currency: string; until: number }>();
  return async (caller) => {
    const found = known.get(caller.tenantId);
    if (found && found.until > Date.now()) return found.currency;
    const { currency } = await identity.readTenantSettings({ as: asService(caller) }).catch(() => {
      throw fail('unavailable');
    });
    if (known.size >= tenantsMax) known.clear();
    known.set(caller.tenantId, { currency, until: Date.now() + rememberedMs });
    return currency;
  };
}
