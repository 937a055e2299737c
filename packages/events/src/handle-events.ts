import type { TenantDb } from '@tandem/tenant-db';
import type { Consumer } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import type { EventScope } from './outbox.ts';
import type { BeginOutgoing } from './outgoing.ts';

interface Options<Client> {
  service: string;
  db: TenantDb<Client>;
  outgoing: BeginOutgoing;
  observe: (work: () => Promise<void>) => Promise<void>;
  onAfterCommitError: (error: unknown) => void;
}

/**
 * Runs a consumer's handler on events of one tenant and environment, in one transaction, or in one for each environment.
 * Events that are already in the inbox are skipped, and so are those of a removed tenant. The transaction acts as the service, on behalf of the request that
 * caused the first event.
 * @param options.observe runs the transaction in the trace of the events and measures it
 * @param options.onAfterCommitError called for work that fails after the commit: a redelivery would skip the event as
 * seen
 */
export async function handleEvents<Client>(
  consumer: Consumer,
  deliveries: readonly Delivery[],
  options: Options<Client>,
): Promise<void> {
  const first = deliveries[0]?.event;
  if (!first) return;
  const { tenantId, environment } = first;
  if (!consumer.everyEnvironment) return handleIn({ tenantId, environment }, consumer, deliveries, first, options);
  // If only the first transaction commits, the retry finds its events in the inbox of that environment.
  for (const each of ['live', 'sandbox'] as const)
    await handleIn({ tenantId, environment: each }, consumer, deliveries, first, options);
}

async function handleIn<Client>(
  scope: EventScope,
  consumer: Consumer,
  deliveries: readonly Delivery[],
  first: Delivery['event'],
  { service, db, outgoing, observe, onAfterCommitError }: Options<Client>,
): Promise<void> {
  const caller = { ...first.caller, type: 'system' as const, name: service, permissions: [], ...scope };
  const { emit, schedule, written, committed } = outgoing(caller, scope);
  const afterCommit: (() => void | Promise<void>)[] = [];
  const work = async () => {
    const unseen = await recordInInbox(db, consumer, { scope, deliveries });
    if (!unseen.length) return;
    const received = unseen.map((delivery) => delivery.received);
    await consumer.handle(received, {
      tx: db.tx,
      emit,
      schedule,
      afterCommit: (task) => void afterCommit.push(task),
    });
  };
  await observe(() => db.transaction(scope, work, written));
  committed();
  for (const task of afterCommit) {
    try {
      await task();
    } catch (error) {
      onAfterCommitError(error);
    }
  }
}

/** The inbox key has no environment, so a consumer of both has a name for each. */
function inboxName({ name, everyEnvironment }: Consumer, { environment }: EventScope): string {
  return everyEnvironment ? `${name} ${environment}` : name;
}

/**
 * Inserts the events into the inbox; resolves to the new ones, each once. Nothing is inserted for a removed tenant,
 * because the entry would be a row of that tenant.
 */
async function recordInInbox<Client>(
  db: TenantDb<Client>,
  consumer: Consumer,
  { scope, deliveries }: { scope: EventScope; deliveries: readonly Delivery[] },
): Promise<Delivery[]> {
  if (consumer.ofRemovedTenants) return [...deliveries];
  const ids = deliveries.map(({ event }) => event.id);
  const rows = await db.tx.sql<{ event_id: string }>`INSERT INTO platform.inbox (consumer, event_id)
    SELECT ${inboxName(consumer, scope)}, unnest(${ids}::uuid[])
    WHERE NOT EXISTS (SELECT FROM platform.tenant_state
      WHERE tenant_id = platform.tenant_id() AND state IN ('removing', 'removed'))
    ON CONFLICT DO NOTHING RETURNING event_id`;
  const unseen = new Set(rows.map((row) => row.event_id));
  return deliveries.filter(({ event }) => unseen.delete(event.id));
}
