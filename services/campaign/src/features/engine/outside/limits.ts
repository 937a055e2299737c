import { dayOf, startOfDay } from '@tandem/time-zones';
import type { Tx } from '../../../handler.ts';
import type { Outgoing } from './channel.ts';
import { placeOf, skipped, tomorrow } from './message-outcomes.ts';
import type { Claim } from './message-rows.ts';
import type { Outcome } from './outcome.ts';

/** Whether other messages decide if this one is sent: its workflow limits the messages of a lead, or it is of a campaign. */
export function isLimited({ due: { settings, campaignId } }: Outgoing): boolean {
  return settings.maxPerLeadPerDay !== undefined || campaignId !== null;
}

/**
 * Locks the leads and addresses that `limitOutcomes` counts until the end of the transaction, in one order, so that two
 * batches neither exceed a limit together nor wait for each other.
 */
export async function lockLimits(tx: Tx, all: readonly Outgoing[]): Promise<void> {
  const keys = all.flatMap((one) => {
    const { settings, leadId } = one.due;
    const shared = sharedKey(one);
    return [
      ...(settings.maxPerLeadPerDay === undefined ? [] : [`messages of lead ${leadId}`]),
      ...(shared === undefined ? [] : [`message ${shared}`]),
    ];
  });
  if (!keys.length) return;
  await tx.sql`SELECT pg_advisory_xact_lock(hash) FROM (
    SELECT DISTINCT hashtextextended(key, platform.tenant_id() * 2 + (platform.environment() = 'live')::int) AS hash
    FROM unnest(${keys}::text[]) AS key ORDER BY hash) AS hashes`;
}

/**
 * The outcomes of those messages that are not sent because of others, of the same batch too: the lead got as many today as
 * the workflow permits, or another lead of the campaign with the same address gets this one.
 */
export async function limitOutcomes(tx: Tx, all: readonly Outgoing[]): Promise<Map<number, Outcome>> {
  const capped = all.filter(({ due }) => due.settings.maxPerLeadPerDay !== undefined);
  const sent = await countSent(tx, capped.map(todayOf));
  const duplicates = await findDuplicates(tx, all.flatMap(sharedOf));
  const inBatch = new Map<number, number>();
  const passed = new Set<string>();
  const outcomes = new Map<number, Outcome>();
  for (const one of all) {
    const { executionId, leadId, settings } = one.due;
    const { maxPerLeadPerDay: max } = settings;
    const key = sharedKey(one);
    const earlier = inBatch.get(leadId) ?? 0;
    if (max !== undefined && (sent.get(sinceKey(todayOf(one))) ?? 0) + earlier >= max) {
      outcomes.set(executionId, tomorrow(one, 'max_per_lead_per_day'));
      continue;
    }
    if (duplicates.has(executionId) || (key !== undefined && passed.has(key))) {
      outcomes.set(executionId, skipped(one, 'duplicate'));
      continue;
    }
    inBatch.set(leadId, earlier + 1);
    if (key !== undefined) passed.add(key);
  }
  return outcomes;
}

type Shared = Pick<Claim, 'executionId' | 'campaignId' | 'nodeId' | 'leadId' | 'channel'> & { recipient: string };

/** A message of a campaign, which an address gets once. */
function sharedOf(one: Outgoing): Shared[] {
  const recipient = one.channel.addressOf(one.facts.lead);
  return recipient && one.due.campaignId !== null ? [{ ...placeOf(one), recipient }] : [];
}

function sharedKey(one: Outgoing): string | undefined {
  const [shared] = sharedOf(one);
  if (!shared) return undefined;
  const { campaignId, nodeId, channel, recipient } = shared;
  return JSON.stringify([campaignId, nodeId, channel, recipient.toLowerCase()]);
}

/** The lead of a message, and when its day began. */
function todayOf({ due: { leadId }, facts: { now, timezone } }: Outgoing): SentSince {
  return { leadId, since: startOfDay(dayOf(now, timezone), timezone) };
}

/**
 * How many messages leads got since a time, by lead and time, with those that are being sent. A lead in two time zones has
 * two times.
 */
async function countSent(tx: Tx, of: readonly SentSince[]): Promise<Map<string, number>> {
  const places = [...new Map(of.map((one) => [sinceKey(one), one])).values()];
  if (!places.length) return new Map();
  const rows = await tx.sql<SentSince & { sent: number }>`
    SELECT given."leadId", given.since, count(*)::int AS sent
    FROM jsonb_to_recordset(${JSON.stringify(places)}::jsonb) AS given ("leadId" bigint, since timestamptz)
    JOIN message ON message.lead_id = given."leadId"
      AND (message.sent_at >= given.since OR (message.status = 'sending' AND message.claimed_at >= given.since))
    GROUP BY 1, 2`;
  return new Map(rows.map((row) => [sinceKey(row), row.sent]));
}

interface SentSince {
  leadId: number;
  since: Date;
}

/** The key of `countSent`. */
function sinceKey({ leadId, since }: SentSince): string {
  return `${leadId}/${since.toISOString()}`;
}

/** The executions whose recipient got the same message of the campaign as another lead, or is about to. */
async function findDuplicates(tx: Tx, of: readonly Shared[]): Promise<Set<number>> {
  if (!of.length) return new Set();
  const rows = await tx.sql<{ executionId: number }>`
    SELECT given."executionId"
    FROM jsonb_to_recordset(${JSON.stringify(of)}::jsonb) AS given ("executionId" bigint, "campaignId" bigint,
      "nodeId" text, "leadId" bigint, channel text, recipient text)
    WHERE EXISTS (SELECT FROM message WHERE message.tenant_id = platform.tenant_id()
      AND message.environment = platform.environment() AND message.campaign_id = given."campaignId"
      AND message.node_id = given."nodeId" AND lower(message.recipient) = lower(given.recipient)
      AND message.channel = given.channel AND message.lead_id <> given."leadId"
      AND message.status NOT IN ('skipped', 'failed'))`;
  return new Set(rows.map(({ executionId }) => executionId));
}
