import type { EventDef } from '@tandem/contract';
import { consumer, type EventMessage, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { type Entry, hashOf } from './chain.ts';
import { redacted, storable } from './redact.ts';

const textMax = 500;

/** Writes an entry of the audit log for every event of the fleet that is not declared as telemetry. */
export const keepAuditLog = consumer({
  name: 'keep-audit-log',
  on: 'all',
  async handle(received: Received<EventDef>[], { tx }: { tx: Tx }) {
    const events = (received as Audited[]).filter(({ audited }) => audited !== false);
    if (!events.length) return;
    // Takes the lock of the tenant's chain: who appends at the same time, from live or sandbox, waits here.
    const [head] = await tx.sql<{ entries: number; hash: string; ids: string[] }>`WITH head AS (
        INSERT INTO audit_head (entries) VALUES (0)
        ON CONFLICT (tenant_id) DO UPDATE SET entries = audit_head.entries RETURNING entries, hash)
      SELECT entries, hash, (SELECT array_agg(nextval(pg_get_serial_sequence('audit_log', 'id')))
        FROM generate_series(1, ${events.length}::int)) AS ids FROM head`;
    let { entries: position, hash, ids } = head as { entries: number; hash: string; ids: string[] };
    const rows = events.map((event, index) => {
      position += 1;
      const entry = entryOf(event, { id: Number(ids[index]), position });
      hash = hashOf(hash, entry);
      return { ...entry, hash };
    });
    // One parameter however many rows: every event of the fleet passes here, and Prisma's way costs several times as much.
    await tx.sql`WITH appended AS (
        INSERT INTO audit_log (id, position, event_id, action, occurred_at, actor_type, actor_id, actor_name, on_behalf_of_id, key_id,
          target_type, target_id, changes, changed_ids, ip, user_agent, request_id, record_environment, outcome, hash)
        SELECT id, position, "eventId", action, "occurredAt", "actorType", "actorId", "actorName", "onBehalfOfId", "keyId",
          "targetType", "targetId", changes, "changedIds", ip, "userAgent", "requestId", "recordEnvironment", outcome, hash
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (id bigint, position bigint, "eventId" uuid, action text,
          "occurredAt" timestamptz, "actorType" text, "actorId" bigint, "actorName" text, "onBehalfOfId" bigint, "keyId" bigint,
          "targetType" text, "targetId" bigint, changes jsonb, "changedIds" jsonb, ip text, "userAgent" text, "requestId" text,
          "recordEnvironment" text, outcome text, hash text))
      UPDATE audit_head SET entries = ${position}, hash = ${hash}`;
  },
});

type Audited = Received<EventDef> & Pick<EventMessage, 'changes' | 'changedIds' | 'audited' | 'outcome'>;

function entryOf(event: Audited, place: { id: number; position: number }): Entry {
  const { caller, target, changes, changedIds } = event;
  return {
    ...place,
    eventId: event.id,
    action: event.action,
    occurredAt: event.occurredAt,
    actorType: caller.type,
    // What a service does by itself nobody else has done, even when a person's request led to it.
    actorId: caller.type === 'system' ? null : (caller.userId ?? null),
    actorName: short(caller.name),
    onBehalfOfId: caller.onBehalfOf ?? null,
    keyId: caller.keyId ?? null,
    targetType: target.type,
    targetId: target.id,
    changes: changes ? (redacted(changes) as Entry['changes']) : null,
    changedIds: changes && changedIds ? (changedIds as unknown as Entry['changedIds']) : null,
    ip: short(caller.ip),
    userAgent: short(caller.userAgent),
    requestId: short(caller.requestId) ?? '',
    recordEnvironment: event.environment,
    outcome: event.outcome ?? 'success',
  };
}

function short(text: string | undefined): string | null {
  return text === undefined ? null : storable(text).slice(0, textMax).toWellFormed();
}
