import type { Environment } from '@tandem/caller';
import type { internalMail } from '@tandem/campaign-contract';
import type { ServiceClient } from '@tandem/client/internal';
import type { Operation } from '@tandem/contract';
import type { internalUsers } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { createGuardedFetch, Target } from '@tandem/outgoing';
import type { Shares } from '@tandem/process';
import type { LinkTokens, Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { Sockets } from './connectors/calling.ts';
import type { crmOperations } from './features/sync/crm-operations.ts';
import type { PrismaClient } from './generated/client.ts';
import type { FairQueue } from './outgoing/fair-queue.ts';
import type { Schedules } from './outgoing/retry-schedule.ts';
import type { Sender } from './outgoing/send.ts';
import type { PermissionsOf } from './permissions-of.ts';
import type { OauthClient } from './providers/oauth-client.ts';

/** Tenant-scoped database client of integrations. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of an integrations operation; `Found` is the result of its `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Dependencies of handlers and jobs. */
export interface Tools {
  ids: IdCodec;
  seal: Seal;
  target: Target;
  sender: Sender;
  queue: FairQueue;
  /** Limits of test requests in flight, per tenant and in total. */
  testLimits: { tenant: Shares<number>; all: Shares<'all'> };
  schedules: Schedules;
  permissionsOf: PermissionsOf;
  oauth: OauthClient;
  /** Seals the states of authorizations, which name the tenant of the callback. */
  states: LinkTokens<{ tenantId: number; environment: Environment; nonce: string }>;
  /** Calls the systems of connections. */
  calls: { fetch: ReturnType<typeof createGuardedFetch>['fetch']; stripeUrl: string | undefined };
  /** Calls the systems of connections that have no HTTP API. */
  sockets: Sockets;
  /** Reads who a config acts for. */
  identity: ServiceClient<typeof internalUsers>;
  /** Reads and writes records in the name of a user. */
  crm: ServiceClient<typeof crmOperations>;
  /** Finds replies and bounces among the mail of connected mailboxes. */
  campaign: ServiceClient<typeof internalMail>;
  /** The address of the gateway as clients see it. */
  publicUrl: string;
  /** Origins to which browsers may be redirected after an authorization. */
  redirectOrigins: readonly string[];
  /** The wait after the first failed refresh; it doubles while refreshes fail. */
  refreshRetryMs: number;
}
