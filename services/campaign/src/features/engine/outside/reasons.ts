import type { Tx } from '../../../handler.ts';
import { suppressedAddresses } from '../../suppressions/suppressed.ts';
import type { Outgoing } from './channel.ts';
import { limitOutcomes } from './limits.ts';
import { earlierOutcome, openAt, postponed, skipped } from './message-outcomes.ts';
import type { MessageRow } from './message-rows.ts';
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
  const reasons = new Map<number, Outcome>();
  const passed = all.filter((one) => {
    const { executionId } = one.due;
    const reason = earlierOutcome(one, earlier.get(executionId)) ?? reasonOf(tools, one, suppressed);
    if (reason) reasons.set(executionId, reason);
    return !reason;
  });
  for (const [executionId, outcome] of await limitOutcomes(tx, passed)) reasons.set(executionId, outcome);
  return reasons;
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

function reasonOf(tools: SendTools, one: Outgoing, suppressed: ReadonlyMap<string, Suppressed>): Outcome | undefined {
  const { channel } = one;
  const { lead, now } = one.facts;
  const { environment } = one.due;
  const address = channel.addressOf(lead);
  if (!address) return skipped(one, 'no_address');
  if (lead.consent[channel.name]?.state === 'denied') return skipped(one, 'no_consent');
  const outcome = suppressedOutcome(one, suppressed);
  if (outcome) return outcome;
  if (!channel.isConfigured(tools) && environment === 'live') return skipped(one, channel.notConfigured);
  const open = openAt(one, now);
  return open > now ? postponed(open, 'quiet_hours') : undefined;
}
