import type { Caller, CallerSigner } from '@tandem/caller';
import type { PortalRoleName } from '@tandem/contract';
import type { BeginOutgoing, DeclaredConsumer } from '@tandem/events';
import type { Health, Log, Metrics, RequestRate } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Scope, TenantDb } from '@tandem/tenant-db';
import type { Cursors } from './cursors.ts';
import type { Totals } from './totals.ts';

/** Dependencies that the operations of a service share. */
export interface Parts {
  db: TenantDb<unknown>;
  signer: CallerSigner;
  seal: Seal;
  cursors: Cursors;
  totals: Totals;
  log: Log;
  metrics: Metrics;
  health: Health;
  /** The requests of clients; background jobs rest while there are many. */
  requests: RequestRate;
  /** Creates the default records of a tenant. */
  firstUse: ((scope: Scope) => Promise<void>) | undefined;
  /** The role of the portal user who calls. */
  portalRole: ((tx: never, caller: Caller) => Promise<PortalRoleName | undefined>) | undefined;
  outgoing: BeginOutgoing;
  declaredConsumers: readonly DeclaredConsumer[];
}
