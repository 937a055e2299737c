import type { TenantRequest } from '@tandem/client/per-tenant';
import type { KnownSettings } from '@tandem/identity-contract';
import { fail } from '@tandem/service';

/** Gets the currency of the tenant of a request. */
export function tenantCurrency(
  settingsOf: (request: TenantRequest) => Promise<KnownSettings>,
): (request: TenantRequest) => Promise<string> {
  return async (request) => {
    const settings = await settingsOf(request);
    if (!settings) throw fail('unavailable');
    return settings.currency;
  };
}

/** Gets the time zone of the tenant of a request. */
export function tenantTimezone(
  settingsOf: (request: TenantRequest) => Promise<KnownSettings>,
): (request: TenantRequest) => Promise<string> {
  return async (request) => {
    const settings = await settingsOf(request);
    if (!settings) throw fail('unavailable');
    return settings.timezone;
  };
}

/** Gets the language of the tenant of a request. */
export function tenantLocale(
  settingsOf: (request: TenantRequest) => Promise<KnownSettings>,
): (request: TenantRequest) => Promise<string> {
  return async (request) => {
    const settings = await settingsOf(request);
    if (!settings) throw fail('unavailable');
    return settings.locale;
  };
}
