import type { Sql } from '@tandem/tenant-db';
import type { Attempt } from './retry.ts';

/** A message to send. */
export interface MailRow {
  id: number;
  ref: string;
  tenantId: number;
  environment: 'live' | 'sandbox';
  sender: string;
  recipient: string;
  content: string;
  attempts: number;
  notAfter: Date;
  createdAt: Date;
}

/** The state of a message after an attempt. */
export interface Ended {
  id: number;
  state: 'queued' | 'sent' | 'failed';
  error: string | null;
}

/** The context that binds the encrypted content to its row. */
export function contextOf(ref?: string): string {
  return ref === undefined ? 'mail' : `mail ${ref}`;
}

/** Reads the messages that are still to be sent. */
export async function readQueued(sql: Sql, ids: readonly number[]): Promise<MailRow[]> {
  return sql<MailRow>`SELECT id, ref, tenant_id AS "tenantId", environment, sender, recipient, content, attempts, not_after AS "notAfter", created_at AS "createdAt"
    FROM platform.mail WHERE id = ANY(${ids}::bigint[]) AND state = 'queued'`;
}

/** Records the attempts. The content of a message that ended is removed. */
export async function writeAttempts(sql: Sql, ended: readonly Ended[]): Promise<void> {
  if (!ended.length) return;
  await sql`UPDATE platform.mail SET state = given.state, error = given.error, attempts = attempts + 1,
      content = CASE WHEN given.state = 'queued' THEN content END,
      ended_at = CASE WHEN given.state <> 'queued' THEN now() END
    FROM unnest(${ended.map(({ id }) => id)}::bigint[], ${ended.map(({ state }) => state)}::text[],
      ${ended.map(({ error }) => error)}::text[]) AS given (id, state, error)
    WHERE mail.id = given.id AND mail.state = 'queued'`;
}

/** The state of a message after an attempt. */
export function stateAfter(attempt: Attempt, again: Date | undefined): Ended['state'] {
  if (attempt.outcome === 'sent') return 'sent';
  return attempt.outcome === 'postponed' && again ? 'queued' : 'failed';
}
