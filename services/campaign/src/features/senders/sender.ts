import { type Sender, WarmupPlan } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Sender as SenderRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { allowedOn, dayOfUtc } from './allowance.ts';

export type SenderRecord = z.output<typeof Sender>;

/** Adds to senders what their domains and counts say. */
export async function asSenders(tx: Tx, rows: readonly SenderRow[]): Promise<SenderRecord[]> {
  if (!rows.length) return [];
  const today = dayOfUtc(new Date());
  const ids = rows.map(({ id }) => id);
  const domains = await tx.sendingDomain.findMany({
    where: { id: { in: [...new Set(rows.map(({ domainId }) => domainId))] } },
    select: { id: true, status: true },
  });
  const counts = await tx.senderCount.findMany({ where: { senderId: { in: ids }, day: today } });
  const verified = new Set(domains.flatMap(({ id, status }) => (status === 'verified' ? [id] : [])));
  const sent = new Map(counts.map(({ senderId, messages }) => [senderId, messages]));
  return rows.map((row) => {
    const warmupPlan = row.warmupPlan === null ? null : WarmupPlan.parse(row.warmupPlan);
    return {
      ...row,
      warmupPlan,
      isVerified: verified.has(row.domainId),
      allowedToday: allowedOn(today, { ...row, warmupPlan }),
      sentToday: sent.get(row.id) ?? 0,
    };
  });
}

/** Adds to a sender what its domain and counts say. */
export async function asSender(tx: Tx, row: SenderRow): Promise<SenderRecord> {
  const [record] = await asSenders(tx, [row]);
  return record as SenderRecord;
}

/** The content of the events of a sender. */
export function eventOf(record: SenderRecord) {
  return { data: { senderId: record.id, name: record.name, fromEmail: record.fromEmail }, record };
}

/**
 * The domain of an address, which is locked against removal until the end of the transaction.
 * @throws 422 naming `fromEmail` if the tenant has not added it
 */
export async function domainOf(tx: Tx, fromEmail: string): Promise<number> {
  const name = fromEmail.slice(fromEmail.lastIndexOf('@') + 1);
  const [domain] = await tx.sql<{ id: number }>`SELECT id FROM sending_domain
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND domain = ${name} FOR KEY SHARE`;
  if (!domain) throw failField('fromEmail', `Must be of a sending domain: add ${name} first`);
  return domain.id;
}

/** Fails with 422 when a warm-up has no number at which it ends. */
export function checkWarmup({ warmupPlan, dailyCap }: { warmupPlan?: unknown; dailyCap?: number | null }): void {
  if (warmupPlan && !dailyCap) throw failField('dailyCap', 'Is required with a warmupPlan, which ends at this number');
}

/** Converts a unique violation of the address to a 409. */
export function emailError(error: unknown): unknown {
  if (!isTaken(error)) return error;
  return fail('email_taken', [{ field: 'fromEmail', message: 'Must be unique; another sender has this address' }]);
}

/** Locks a sender, so that checks on it still hold when it is written. */
export async function lockSender(tx: Tx, id: number): Promise<SenderRow> {
  const row = await tx.sender.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/**
 * Why a campaign cannot send with a sender, for its activation; the sender is locked against deletion until the end of the
 * transaction. No gap without a sender: the messages then come from the platform.
 */
export async function senderGaps(tx: Tx, senderId: number | null | undefined): Promise<FieldError[]> {
  if (senderId === null || senderId === undefined) return [];
  const [sender] = await tx.sql<{ fromEmail: string; status: string }>`
    SELECT sender.from_email AS "fromEmail", sending_domain.status FROM sender
    JOIN sending_domain ON sending_domain.id = sender.domain_id
    WHERE sender.id = ${senderId} FOR KEY SHARE OF sender`;
  if (!sender) return [{ field: 'senderId', message: 'There is no such sender' }];
  if (sender.status === 'verified') return [];
  return [{ field: 'senderId', message: `The domain of ${sender.fromEmail} is not verified; verify it first` }];
}
