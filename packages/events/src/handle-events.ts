import type { TenantDb } from '@tandem/tenant-db';
import type { Consumer } from './consumer.ts';
import type { Delivery } from './delivery.ts';
import type { BeginOutgoing } from './outgoing.ts';

/**
 * Runs a consumer's handler on events of one tenant and environment, in one transaction. Events that the inbox has already
 * are skipped. The transaction acts as the service, on behalf of the request that caused the first event.
 * @param options.observe runs the transaction in the trace of the events and measures it
 * @param options.onAfterCommitError called for work that fails after the commit: repeating the event would skip it as seen
 */
export async function handleEvents<Client>(
  consumer: Consumer,
  deliveries: readonly Delivery[],
  options: {
    service: string;
    db: TenantDb<Client>;
    outgoing: BeginOutgoing;
    observe: (work: () => Promise<void>) => Promise<void>;
    onAfterCommitError: (error: unknown) => void;
  },
): Promise<void> {
  const first = deliveries[0]?.event;
  if (!first) return;
  const { service, db, onAfterCommitError } = options;
  const scope = { tenantId: first.tenantId, environment: first.environment };
  const caller = { ...first.caller, type: 'system' as const, name: service, permissions: [], ...scope };
  const { emit, schedule, written, committed } = options.outgoing(caller, scope);
  const afterCommit: (() => void | Promise<void>)[] = [];
  const work = async () => {
    const unseen = await recordInInbox(db, consumer.name, deliveries);
    if (!unseen.length) return;
    const received = unseen.map((delivery) => delivery.received);
    await consumer.handle(received, {
      tx: db.tx,
      emit,
      schedule,
      afterCommit: (task) => void afterCommit.push(task),
    });
  };
  await options.observe(() => db.transaction(scope, work, written));
  committed();
  for (const task of afterCommit) {
    try {
      await task();
    } catch (error) {
      onAfterCommitError(error);
    }
  }
}

/** Inserts the events into the inbox; resolves to those that were not in it, each once. */
async function recordInInbox<Client>(
  db: TenantDb<Client>,
  consumer: string,
  deliveries: readonly Delivery[],
): Promise<Delivery[]> {
  const ids = deliveries.map(({ event }) => event.id);
  const rows = await db.tx.sql<{ event_id: string }>`INSERT INTO platform.inbox (consumer, event_id)
    SELECT ${consumer}, unnest(${ids}::uuid[]) ON CONFLICT DO NOTHING RETURNING event_id`;
  const unseen = new Set(rows.map((row) => row.event_id));
  return deliveries.filter(({ event }) => unseen.delete(event.id));
}
