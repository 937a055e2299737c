import type { internalApprovalCounts } from '@tandem/agents-contract';
import type { Pepper } from '@tandem/api-keys';
import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalLeads, internalTaskCounts } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { Target } from '@tandem/outgoing';
import type { internalApplicationCounts } from '@tandem/partner-contract';
import type { LoginLimiter } from '@tandem/passwords';
import type { LinkTokens, Seal } from '@tandem/sealed';
import type { Actor, JobLink, Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { AccountLinks } from './account-links.ts';
import type { InvalidateCredentials } from './credential-invalidation.ts';
import type { StreamSlots } from './features/notifications/stream-slots.ts';
import type { ReadTxt } from './features/sso/domain.ts';
import type { SsoProviders } from './features/sso/provider.ts';
import type { FeedWakeups } from './feed-wakeups.ts';
import type { PrismaClient } from './generated/client.ts';
import type { CountOpenWork } from './open-work.ts';
import type { Tokens } from './tokens.ts';

/** Tenant-bound database client of identity. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of an identity operation; `Found` is the result of its `check`, which runs before the transaction. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Dependencies of identity's handlers other than the database. */
export interface Tools {
  pepper: Pepper;
  ids: IdCodec;
  tokens: Tokens;
  invalidateCredentials: InvalidateCredentials;
  /** Links to the files of background jobs. */
  exportLinks: LinkTokens<JobLink>;
  limiter: LoginLimiter;
  /** Encrypts stored secrets. */
  seal: Seal;
  /** Whether browsers reach the API over https only, so that they must not send cookies otherwise. */
  secureCookies: boolean;
  /** Queues messages to users. */
  mail: Mailer['queue'];
  /** Links in these messages. */
  links: AccountLinks;
  feeds: FeedWakeups;
  streamSlots: StreamSlots;
  /** One for each service that stores work of users. */
  openWork: readonly CountOpenWork[];
  crm: ServiceClient<typeof internalLeads & typeof internalTaskCounts>;
  agents: ServiceClient<typeof internalApprovalCounts>;
  partner: ServiceClient<typeof internalApplicationCounts>;
  /** The address of the gateway as clients see it, without a slash at the end. */
  publicUrl: string;
  /** The address of the console, without a slash at the end; undefined if there is none. */
  consoleUrl: string | undefined;
  sso: SsoProviders;
  /** The secret of the payment provider's events; undefined if the platform has none. */
  stripeSecret: string | undefined;
  /** The rules for addresses of identity providers. */
  ssoTarget: Target;
  readTxt: ReadTxt;
  /** Runs work without delaying the response; failures are logged. */
  inBackground(work: () => Promise<void>): void;
}

/** The event actor for a user who signs up, signs in or refreshes a session. */
export function asActor(user: { id: number; firstName: string; lastName: string }): Actor {
  return { type: 'user', userId: user.id, name: nameOf(user) };
}

/** Full name, as shown in the audit log. */
export function nameOf({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`;
}
