import type { TenantRequest } from '@tandem/client/per-tenant';
import type { KnownSettings } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { Log } from '@tandem/process';
import type { LinkTokens } from '@tandem/sealed';
import { fail } from '@tandem/service';
import type { Peers } from '../../handler.ts';

/** The invitation that a link answers. */
export interface Invited {
  tenantId: number;
  environment: 'live' | 'sandbox';
  attendeeId: number;
}

/** Dependencies of the calendar's handlers other than the database. */
export interface CalendarTools extends Peers {
  settingsOf(request: TenantRequest): Promise<KnownSettings>;
  /** Queues messages to people. */
  mail: Mailer['queue'];
  /** The sender of messages: `Tandem <no-reply@example.com>`. */
  mailFrom: string;
  links: LinkTokens<Invited>;
  ids: IdCodec;
  log: Log;
  /** The address of the gateway as clients see it, without a slash at the end. */
  publicUrl: string;
}

/** Time zone and language of the tenant of a request. */
export async function settingsFor(
  { settingsOf }: Pick<CalendarTools, 'settingsOf'>,
  request: TenantRequest,
): Promise<NonNullable<KnownSettings>> {
  const settings = await settingsOf(request);
  if (!settings) throw fail('unavailable');
  return settings;
}
