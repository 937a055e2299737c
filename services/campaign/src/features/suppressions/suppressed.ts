import { type SuppressionReason, suppressionAdded } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Suppression as SuppressionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type Channel, digestOf, digestsOf, normalizedValue, suppressingDigests } from './address.ts';
import { asSuppression, eventOf, type SuppressionRecord } from './suppression.ts';

export type Reason = z.output<typeof SuppressionReason>;
type Sealing = Pick<Tools, 'seal'>;

/** The strongest reason first: it is the one that is reported. */
const byStrength: readonly Reason[] = ['complaint', 'unsubscribe', 'hard_bounce', 'manual'];

/**
 * The addresses that must get no message now, each with the reason: suppressed themselves or by their domain, in general or
 * for the topic of the message, or `paused`.
 * @param of.topicId the topic of the message; without it only general suppressions count
 * @param addresses as the lead has them; the keys of the result are these texts
 */
export async function suppressedAddresses(
  tools: Sealing,
  tx: Tx,
  of: { channel: Channel; topicId?: number | null | undefined },
  addresses: readonly string[],
): Promise<Map<string, Reason | 'paused'>> {
  const { channel, topicId } = of;
  const asked = new Map<string, string[]>();
  for (const address of new Set(addresses)) {
    for (const digest of suppressingDigests(tools, channel, address))
      asked.set(digest, [...(asked.get(digest) ?? []), address]);
  }
  const digests = [...asked.keys()];
  if (!digests.length) return new Map();
  const rows = await tx.sql<{ digest: string; reason: Reason }>`SELECT digest, reason FROM suppression
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND channel = ${channel}
      AND digest = ANY(${digests}::text[]) AND (topic_id IS NULL OR topic_id = ${topicId ?? null}::bigint)`;
  const pauses = await tx.sql<{ digest: string }>`SELECT digest FROM contact_pause
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND channel = ${channel}
      AND digest = ANY(${digests}::text[]) AND paused_until > now()`;
  const found = new Map<string, Reason | 'paused'>();
  for (const { digest } of pauses) for (const address of asked.get(digest) ?? []) found.set(address, 'paused');
  for (const reason of byStrength.toReversed())
    for (const row of rows.filter((one) => one.reason === reason))
      for (const address of asked.get(row.digest) ?? []) found.set(address, reason);
  return found;
}

export interface NewSuppression {
  channel: Channel;
  /** An address, or `@domain`. */
  value: string;
  reason: Reason;
  topicId?: number | null | undefined;
  note?: string | null | undefined;
  createdBy?: number | null | undefined;
}

/**
 * Suppresses an address in a transaction, and emits `suppression.added`. The same address, reason and topic is suppressed
 * once: `isNew` is false for a repetition.
 * @throws 422 naming `value` when it is not an address of the channel
 */
export async function suppress(
  tools: Sealing,
  { tx, emit }: { tx: Tx; emit: Emit<typeof suppressionAdded> },
  { channel, value, reason, topicId = null, note = null, createdBy = null }: NewSuppression,
): Promise<{ suppression: SuppressionRecord; isNew: boolean }> {
  const normalized = normalizedValue(channel, value);
  if (typeof normalized !== 'string') throw fail('validation_failed', [{ field: 'value', message: normalized.error }]);
  const fields = { channel, value: normalized, reason, topicId, note, createdBy };
  const [written] = await insertSuppressions(tools, { tx, emit }, [fields]);
  if (written) return { suppression: written, isNew: true };
  const existing = await findSuppression(tools, tx, { channel, value: normalized, reason, topicId });
  if (!existing) throw fail('conflict');
  return { suppression: asSuppression(existing), isNew: false };
}

/** Stores those suppressions that do not exist yet, and emits an event for each. The values are normalized ones. */
export async function insertSuppressions(
  tools: Sealing,
  { tx, emit }: { tx: Tx; emit: Emit<typeof suppressionAdded> },
  wanted: readonly Required<NewSuppression>[],
): Promise<SuppressionRecord[]> {
  const present = await presentUnderOldKeys(tools, tx, wanted);
  const data = wanted
    .filter((one) => !present.has(one))
    .map((one) => ({
      channel: one.channel,
      value: one.value,
      reason: one.reason,
      topicId: one.topicId ?? null,
      note: one.note ?? null,
      createdBy: one.createdBy ?? null,
      digest: digestOf(tools, one.channel, one.value),
    }));
  if (!data.length) return [];
  const rows = await tx.suppression.createManyAndReturn({ data, skipDuplicates: true });
  const records = rows.map(asSuppression);
  for (const record of records) emit(suppressionAdded, eventOf(record));
  return records;
}

/** The unique index covers digests of one key, so those of earlier keys are looked up while keys are being replaced. */
async function presentUnderOldKeys(
  tools: Sealing,
  tx: Tx,
  wanted: readonly Required<NewSuppression>[],
): Promise<Set<NewSuppression>> {
  const old = wanted.map((one) => ({ one, digests: digestsOf(tools, one.channel, one.value).slice(1) }));
  const digests = old.flatMap((entry) => entry.digests);
  if (!digests.length) return new Set();
  const rows = await tx.suppression.findMany({ where: { digest: { in: digests } } });
  const isSame = (row: SuppressionRow, one: NewSuppression) =>
    row.channel === one.channel && row.reason === one.reason && row.topicId === (one.topicId ?? null);
  const repeated = old.filter((entry) =>
    rows.some((row) => entry.digests.includes(row.digest) && isSame(row, entry.one)),
  );
  return new Set(repeated.map(({ one }) => one));
}

async function findSuppression(
  tools: Sealing,
  tx: Tx,
  { channel, value, reason, topicId }: { channel: Channel; value: string; reason: Reason; topicId: number | null },
) {
  const digest = { in: [...digestsOf(tools, channel, value)] };
  return tx.suppression.findFirst({ where: { channel, digest, reason, topicId } });
}
