import { Environment } from '@tandem/contract';
import { backgroundJobs } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Entry } from './record.ts';

/** Background jobs of identity. */
export const identityJobs = backgroundJobs('identity');
export const auditExportKind = 'audit_export';
/** Days in which an export can be downloaded. */
export const exportDays = 7;

const Link = z.object({ position: z.int(), hash: z.string() });

/** Filters with internal ids, as the job stores them. */
const Filters = z.object({
  actorId: z.int().optional(),
  onBehalfOfId: z.int().optional(),
  keyId: z.int().optional(),
  action: z.string().optional(),
  targetType: z.string().optional(),
  targetId: z.int().optional(),
  environment: Environment.optional(),
  outcome: z.string().optional(),
  from: z.coerce.date().optional(),
  to: z.coerce.date().optional(),
});
export type ExportFilters = z.output<typeof Filters>;

/** The content of an export: the entries between two links of the chain that match the filters. It never changes. */
export const ExportInput = z.object({
  format: z.enum(['csv', 'json']),
  filters: Filters,
  shownFilters: z.record(z.string(), z.unknown()),
  after: Link,
  last: Link,
});

/** Whether an export can be read in an environment: the sandbox shows no live entries, which earlier exports there had. */
export function isReadableIn(environment: 'live' | 'sandbox', input: unknown): boolean {
  return environment === 'live' || ExportInput.parse(input).filters.environment === 'sandbox';
}

export type ExportedRow = Entry & { hash: string; hashForm: number | null; previousHash: string };

/**
 * The matching entries among the positions after `from` up to `to`, oldest first. A caller reads a bounded number of
 * positions at a time, whatever matches.
 */
export function readExported(
  tx: Tx,
  { filters, after }: Pick<z.output<typeof ExportInput>, 'filters' | 'after'>,
  { from, to }: { from: number; to: number },
): Promise<ExportedRow[]> {
  const { actorId, onBehalfOfId, keyId, action, targetType, targetId, environment, outcome } = filters;
  const orNull = <T>(value: T | undefined) => value ?? null;
  return tx.sql<ExportedRow>`
    SELECT id, position, event_id AS "eventId", action, occurred_at AS "occurredAt", actor_type AS "actorType",
      actor_id AS "actorId", actor_name AS "actorName", on_behalf_of_id AS "onBehalfOfId", key_id AS "keyId",
      target_type AS "targetType", target_id AS "targetId", changes, changed_ids AS "changedIds", changes_salt AS "changesSalt",
      changes_digest AS "changesDigest", ip,
      user_agent AS "userAgent", request_id AS "requestId", record_environment AS "recordEnvironment", outcome, hash,
      hash_form AS "hashForm", CASE WHEN position = ${after.position}::bigint + 1 THEN ${after.hash}::text ELSE
        (SELECT hash FROM audit_log AS previous WHERE previous.tenant_id = platform.tenant_id()
          AND previous.position = entry.position - 1) END AS "previousHash"
    FROM audit_log AS entry
    WHERE tenant_id = platform.tenant_id() AND position > ${from}::bigint AND position <= ${to}::bigint
      AND (${orNull(actorId)}::bigint IS NULL OR actor_id = ${orNull(actorId)}::bigint)
      AND (${orNull(onBehalfOfId)}::bigint IS NULL OR on_behalf_of_id = ${orNull(onBehalfOfId)}::bigint)
      AND (${orNull(keyId)}::bigint IS NULL OR key_id = ${orNull(keyId)}::bigint)
      AND (${orNull(action)}::text IS NULL OR action = ${orNull(action)}::text)
      AND (${orNull(targetType)}::text IS NULL OR target_type = ${orNull(targetType)}::text)
      AND (${orNull(targetId)}::bigint IS NULL OR target_id = ${orNull(targetId)}::bigint)
      AND (${orNull(environment)}::text IS NULL OR record_environment = ${orNull(environment)}::text)
      AND (${orNull(outcome)}::text IS NULL OR outcome = ${orNull(outcome)}::text)
      AND (${orNull(filters.from)}::timestamptz IS NULL OR occurred_at >= ${orNull(filters.from)}::timestamptz)
      AND (${orNull(filters.to)}::timestamptz IS NULL OR occurred_at <= ${orNull(filters.to)}::timestamptz)
    ORDER BY position`;
}
