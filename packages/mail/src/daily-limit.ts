import type { Sql } from '@tandem/tenant-db';
import type { MailKind } from './message.ts';

interface More {
  kind: MailKind;
  messages: number;
}

/**
 * Counts messages of the current tenant for its daily limit, in the transaction that queues them. The rows of the
 * counters stay locked until it ends, so concurrent transactions of a tenant cannot exceed the limit together.
 * @returns the kind that would exceed its limit, in which case nothing is counted; undefined if all are within it
 */
export async function countMessages(sql: Sql, more: readonly More[], max: number): Promise<More | undefined> {
  const counted: More[] = [];
  // In the same order everywhere, so that two transactions cannot wait for each other.
  for (const one of more.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
    if (await add(sql, one, max)) {
      counted.push(one);
      continue;
    }
    for (const { kind, messages } of counted) await add(sql, { kind, messages: -messages }, max);
    return one;
  }
  return undefined;
}

/**
 * Counts as many messages of one kind as the limit allows.
 * @returns how many of them
 */
export async function grantMessages(sql: Sql, { kind, messages }: More, max: number): Promise<number> {
  const [row] = await sql<{ granted: number }>`
    INSERT INTO platform.mail_count (kind, messages, granted)
    VALUES (${kind}, least(${messages}::int, ${max}::int), least(${messages}::int, ${max}::int))
    ON CONFLICT (tenant_id, environment, kind, day) DO UPDATE
      SET granted = greatest(least(${messages}::int, ${max}::int - mail_count.messages), 0),
        messages = mail_count.messages + greatest(least(${messages}::int, ${max}::int - mail_count.messages), 0)
    RETURNING granted`;
  return row?.granted ?? 0;
}

async function add(sql: Sql, { kind, messages }: More, max: number): Promise<boolean> {
  const changed = await sql`INSERT INTO platform.mail_count (kind, messages)
    SELECT ${kind}, ${messages}::int WHERE ${messages}::int <= ${max}::int
    ON CONFLICT (tenant_id, environment, kind, day) DO UPDATE SET messages = mail_count.messages + excluded.messages
      WHERE mail_count.messages + excluded.messages <= ${max}::int
    RETURNING kind`;
  return changed.length > 0;
}
