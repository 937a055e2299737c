import { randomBytes } from 'node:crypto';
import type { EventDef } from '@tandem/contract';
import { consumer, type EventMessage, type Received } from '@tandem/events';
import type { IdCodec } from '@tandem/ids';
import type { Tx } from '../../handler.ts';
import { digestOfChanges, hashForm, hashOf } from './chain.ts';
import { type Encode, type Entry, encoderOf } from './record.ts';
import { redacted, storable } from './redact.ts';

const textMax = 500;
const saltBytes = 16;

/** Writes an audit log entry for every event that is not declared as telemetry. */
export const keepAuditLog = (codec: IdCodec) =>
  consumer({
    name: 'keep-audit-log',
    on: 'all',
    async handle(received: Received<EventDef>[], { tx }: { tx: Tx }) {
      const events = (received as Audited[]).filter(({ audited }) => audited !== false);
      const [first] = events;
      if (!first) return;
      const encode = encoderOf(codec, first.tenantId);
      // Locks the tenant's chain, which serializes concurrent appends from live and sandbox.
      const [head] = await tx.sql<{ entries: number; hash: string; ids: string[] }>`WITH head AS (
        INSERT INTO audit_head (entries) VALUES (0)
        ON CONFLICT (tenant_id) DO UPDATE SET entries = audit_head.entries RETURNING entries, hash)
      SELECT entries, hash, (SELECT array_agg(nextval(pg_get_serial_sequence('audit_log', 'id')))
        FROM generate_series(1, ${events.length}::int)) AS ids FROM head`;
      let { entries: position, hash, ids } = head as { entries: number; hash: string; ids: string[] };
      const rows = events.map((event, index) => {
        position += 1;
        const entry = entryOf(event, { id: Number(ids[index]), position }, encode);
        hash = hashOf(hash, entry, encode);
        return { ...entry, hash, hashForm };
      });
      // One JSON parameter for all rows: Prisma's createMany is several times slower, and every event passes through
      // here.
      await tx.sql`WITH appended AS (
        INSERT INTO audit_log (id, position, event_id, action, occurred_at, actor_type, actor_id, actor_name, on_behalf_of_id, key_id,
          target_type, target_id, changes, changed_ids, changes_salt, changes_digest, ip, user_agent, request_id, record_environment, outcome, hash,
          hash_form)
        SELECT id, position, "eventId", action, "occurredAt", "actorType", "actorId", "actorName", "onBehalfOfId", "keyId",
          "targetType", "targetId", changes, "changedIds", "changesSalt", "changesDigest", ip, "userAgent", "requestId", "recordEnvironment", outcome, hash, "hashForm"
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (id bigint, position bigint, "eventId" uuid, action text,
          "occurredAt" timestamptz, "actorType" text, "actorId" bigint, "actorName" text, "onBehalfOfId" bigint, "keyId" bigint,
          "targetType" text, "targetId" bigint, changes jsonb, "changedIds" jsonb,
          "changesSalt" text, "changesDigest" text, ip text, "userAgent" text, "requestId" text,
          "recordEnvironment" text, outcome text, hash text, "hashForm" int))
      UPDATE audit_head SET entries = ${position}, hash = ${hash}`;
    },
  });

type Audited = Received<EventDef> & Pick<EventMessage, 'changes' | 'changedIds' | 'audited' | 'outcome'>;

function entryOf(event: Audited, link: { id: number; position: number }, encode: Encode): Entry {
  const { caller, target } = event;
  return {
    ...link,
    eventId: event.id,
    action: event.action,
    occurredAt: event.occurredAt,
    actorType: caller.type,
    // A system action has no user as its actor, even if a user's request caused it.
    actorId: caller.type === 'system' ? null : (caller.userId ?? null),
    actorName: truncated(caller.name),
    onBehalfOfId: caller.onBehalfOf ?? null,
    keyId: caller.keyId ?? null,
    targetType: target.type,
    targetId: target.id,
    ...changesOf(event, encode),
    ip: truncated(caller.ip),
    userAgent: truncated(caller.userAgent),
    requestId: truncated(caller.requestId) ?? '',
    recordEnvironment: event.environment,
    outcome: event.outcome ?? 'success',
  };
}

type ChangeColumns = Pick<Entry, 'changes' | 'changedIds' | 'changesSalt' | 'changesDigest'>;

function changesOf({ changes, changedIds }: Audited, encode: Encode): ChangeColumns {
  if (!changes) return { changes: null, changedIds: null, changesSalt: null, changesDigest: null };
  const stored = {
    changes: redacted(changes) as Entry['changes'],
    changedIds: (changedIds ?? null) as unknown as Entry['changedIds'],
  };
  const changesSalt = randomBytes(saltBytes).toString('hex');
  return { ...stored, changesSalt, changesDigest: digestOfChanges(changesSalt, stored, encode) };
}

function truncated(text: string | undefined): string | null {
  return text === undefined ? null : storable(text).slice(0, textMax).toWellFormed();
}
