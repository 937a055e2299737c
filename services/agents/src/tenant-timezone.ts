import type { TenantRequest } from '@tandem/client/per-tenant';
import { fail } from '@tandem/service';
import type { Tools } from './handler.ts';

/** The time zone of the tenant of a request. Not in a transaction, because it may ask identity. */
export async function timezoneOf({ settingsOf }: Pick<Tools, 'settingsOf'>, request: TenantRequest): Promise<string> {
  const settings = await settingsOf(request);
  if (!settings) throw fail('unavailable');
  return settings.timezone;
}
