import { dayOf, startOfDay } from '@tandem/time-zones';
import type { Tx } from '../../../handler.ts';
import { suppressedAddresses } from '../../suppressions/suppressed.ts';
import type { Outgoing } from './channel.ts';
import { earlierOutcome, openAt, placeOf, postponed, skipped, tomorrow } from './message-outcomes.ts';
import { countSent, findDuplicates, type MessageRow, type SentSince, sinceKey } from './message-rows.ts';
import type { Outcome } from './outcome.ts';
import type { SendTools } from './to-send.ts';

type Suppressed = Awaited<ReturnType<typeof suppressedAddresses>>;

/** Why messages are not sent now, by execution. */
export async function reasonsNotToSend(
  tools: SendTools,
  tx: Tx,
  all: readonly Outgoing[],
  earlier: ReadonlyMap<number, MessageRow>,
): Promise<Map<number, Outcome>> {
  const suppressed = await suppressedBy(tools, tx, all);
  const capped = all.filter(({ due }) => due.settings.maxPerLeadPerDay !== undefined);
  const sent = await countSent(tx, capped.map(todayOf));
  const inBatch = new Map<number, number>();
  const addressed = all.flatMap((one) => {
    const recipient = one.channel.addressOf(one.facts.lead);
    return recipient && one.due.campaignId !== null ? [{ ...placeOf(one), recipient }] : [];
  });
  const duplicates = await findDuplicates(tx, addressed);
  const keyOf = new Map(
    addressed.map(({ executionId, campaignId, nodeId, channel, recipient }) => [
      executionId,
      JSON.stringify([campaignId, nodeId, channel, recipient.toLowerCase()]),
    ]),
  );
  const passed = new Set<string>();
  const reasons = new Map<number, Outcome>();
  for (const one of all) {
    const { executionId, leadId } = one.due;
    const count = (sent.get(sinceKey(todayOf(one))) ?? 0) + (inBatch.get(leadId) ?? 0);
    const key = keyOf.get(executionId);
    const isDuplicate = duplicates.has(executionId) || (key !== undefined && passed.has(key));
    const reason =
      earlierOutcome(one, earlier.get(executionId)) ??
      reasonOf(tools, one, suppressed, count) ??
      (isDuplicate ? skipped(one, 'duplicate') : undefined);
    if (reason) {
      reasons.set(executionId, reason);
      continue;
    }
    inBatch.set(leadId, (inBatch.get(leadId) ?? 0) + 1);
    if (key !== undefined) passed.add(key);
  }
  return reasons;
}

/** The lead of a message, and when its day began. */
function todayOf({ due: { leadId }, facts: { now, timezone } }: Outgoing): SentSince {
  return { leadId, since: startOfDay(dayOf(now, timezone), timezone) };
}

/** Messages of one channel and topic have the same suppressions. */
const kindOf = ({ channel, due }: Outgoing) => `${channel.name}/${due.campaignTopicId}`;

async function suppressedBy(
  tools: SendTools,
  tx: Tx,
  all: readonly Outgoing[],
): Promise<ReadonlyMap<string, Suppressed>> {
  const found = new Map<string, Suppressed>();
  for (const [key, group] of Map.groupBy(all, kindOf)) {
    const [{ channel, due } = {}] = group;
    if (!channel || !due) continue;
    const addresses = new Set(group.flatMap(({ facts }) => channel.addressOf(facts.lead) ?? []));
    const of = { channel: channel.name, topicId: due.campaignTopicId };
    found.set(key, await suppressedAddresses(tools, tx, of, [...addresses]));
  }
  return found;
}

/** The outcomes of those messages whose recipients are suppressed. */
export async function suppressedOutcomes(
  tools: SendTools,
  tx: Tx,
  all: readonly Outgoing[],
): Promise<Map<number, Outcome>> {
  const suppressed = await suppressedBy(tools, tx, all);
  return new Map(
    all.flatMap((one): [number, Outcome][] => {
      const outcome = suppressedOutcome(one, suppressed);
      return outcome ? [[one.due.executionId, outcome]] : [];
    }),
  );
}

function suppressedOutcome(one: Outgoing, suppressed: ReadonlyMap<string, Suppressed>): Outcome | undefined {
  const reason = suppressed.get(kindOf(one))?.get(one.channel.addressOf(one.facts.lead) ?? '');
  if (reason === undefined) return undefined;
  return skipped(one, reason === 'paused' ? 'paused_by_lead' : 'suppressed', { reason });
}

function reasonOf(
  tools: SendTools,
  one: Outgoing,
  suppressed: ReadonlyMap<string, Suppressed>,
  sentToday: number,
): Outcome | undefined {
  const { channel } = one;
  const { lead, now } = one.facts;
  const { settings, environment } = one.due;
  const address = channel.addressOf(lead);
  if (!address) return skipped(one, 'no_address');
  if (lead.consent[channel.name]?.state === 'denied') return skipped(one, 'no_consent');
  const outcome = suppressedOutcome(one, suppressed);
  if (outcome) return outcome;
  if (!channel.isConfigured(tools) && environment === 'live') return skipped(one, channel.notConfigured);
  const open = openAt(one, now);
  if (open > now) return postponed(open, 'quiet_hours');
  const { maxPerLeadPerDay: max } = settings;
  if (max !== undefined && sentToday >= max) return tomorrow(one, 'max_per_lead_per_day');
  return undefined;
}
