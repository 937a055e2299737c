import type { CallerSigner } from '@tandem/caller';
import type { BeginOutgoing, DeclaredConsumer } from '@tandem/events';
import type { Health, Log, Metrics } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Scope, TenantDb } from '@tandem/tenant-db';
import type { Cursors } from './cursors.ts';

/** What the operations of a service share. */
export interface Parts {
  db: TenantDb<unknown>;
  signer: CallerSigner;
  seal: Seal;
  cursors: Cursors;
  log: Log;
  metrics: Metrics;
  health: Health;
  /** Gives a tenant what every tenant has from the start. */
  firstUse: ((scope: Scope) => Promise<void>) | undefined;
  outgoing: BeginOutgoing;
  declaredConsumers: readonly DeclaredConsumer[];
}
