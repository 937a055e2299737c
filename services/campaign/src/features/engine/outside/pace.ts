import { WarmupPlan } from '@tandem/campaign-contract';
import { nextMidnight } from '@tandem/time-zones';
import type { Tools, Tx } from '../../../handler.ts';
import { allowedOn, dayOfUtc } from '../../senders/allowance.ts';
import type { Outgoing, Paced } from './channel.ts';
import type { CampaignSender } from './sender.ts';

type PaceReason = 'sender_not_verified' | 'domain_pace' | 'sender_limit' | 'daily_limit';

const minuteMs = 60_000;
// A domain that lost its verification is looked at again after this time.
const unverifiedMs = 3_600_000;
const postponedMinutesMax = 1_440;

/**
 * Those of the messages that may go now, counted: by the pace to the domain of the recipient, the limit of the sender, and the
 * daily limit of the tenant. Each limit is granted by one statement, so several processes cannot exceed it together.
 */
export async function withinPace(
  { mailer, domainPerMinuteMax }: Pick<Tools, 'mailer' | 'domainPerMinuteMax'>,
  tx: Tx,
  all: readonly Outgoing[],
): Promise<Paced> {
  const later: { one: Outgoing; until: Date; reason: PaceReason }[] = [];
  // Messages of the sandbox do not leave, so they do not count.
  if (!all.length || all[0]?.due.environment === 'sandbox') return { counted: all, later };
  const now = new Date();
  const verified = all.filter((one) => {
    const isUsable = one.sender?.isVerified ?? true;
    if (!isUsable) later.push({ one, until: new Date(now.getTime() + unverifiedMs), reason: 'sender_not_verified' });
    return isUsable;
  });
  const minute = new Date(Math.floor(now.getTime() / minuteMs) * minuteMs);
  const inPace: Outgoing[] = [];
  for (const [domain, group] of byKey(verified, ({ facts }) => domainOf(facts.lead.email))) {
    const granted = await grantDomain(tx, { domain, minute, wanted: group.length, max: domainPerMinuteMax });
    inPace.push(...group.slice(0, granted));
    const over = group.slice(granted);
    const minutes = await minutesFor(tx, { domain, minute, wanted: over.length, max: domainPerMinuteMax });
    for (const [index, one] of over.entries())
      later.push({ one, until: minutes[index] as Date, reason: 'domain_pace' });
  }
  const tomorrow = nextMidnight(now, 'UTC');
  const ofSenders: Outgoing[] = [];
  const [retries, fresh] = [inPace.filter(({ isRetry }) => isRetry), inPace.filter(({ isRetry }) => !isRetry)];
  for (const [, group] of byKey(fresh, ({ sender }) => sender?.id)) {
    const granted = await grantSender(tx, group[0]?.sender, group.length, now);
    ofSenders.push(...group.slice(0, granted));
    for (const one of group.slice(granted)) later.push({ one, until: tomorrow, reason: 'sender_limit' });
  }
  const granted = ofSenders.length ? await mailer.count(tx, ofSenders.length) : 0;
  for (const one of ofSenders.slice(granted)) later.push({ one, until: tomorrow, reason: 'daily_limit' });
  return { counted: [...retries, ...ofSenders.slice(0, granted)], later };
}

interface DomainGrant {
  domain: string;
  minute: Date;
  wanted: number;
  max: number;
}

async function grantDomain(tx: Tx, { domain, minute, wanted, max }: DomainGrant): Promise<number> {
  const [row] = await tx.sql<{ granted: number }>`
    INSERT INTO domain_pace (domain, minute, messages, granted)
    VALUES (${domain}, ${minute}, least(${wanted}::int, ${max}::int), least(${wanted}::int, ${max}::int))
    ON CONFLICT (tenant_id, environment, domain, minute) DO UPDATE
      SET granted = greatest(least(${wanted}::int, ${max}::int - domain_pace.messages), 0),
        messages = domain_pace.messages + greatest(least(${wanted}::int, ${max}::int - domain_pace.messages), 0)
    RETURNING granted`;
  return row?.granted ?? 0;
}

/**
 * A later minute for each message over the pace, after those of all messages that wait already: no more than the pace wake
 * in one minute. A message that wakes is granted in its minute like any other.
 */
async function minutesFor(tx: Tx, { domain, minute, wanted, max }: DomainGrant): Promise<Date[]> {
  if (!wanted) return [];
  const at = (minutes: number) => new Date(minute.getTime() + minutes * minuteMs);
  const [last] = await tx.sql<{ minutes: number }>`
    SELECT (extract(epoch FROM max(minute) - ${minute}::timestamptz) / 60)::int AS minutes FROM domain_pace
    WHERE domain = ${domain} AND minute > ${minute} AND postponed > 0`;
  const found: Date[] = [];
  for (let minutes = last?.minutes ?? 1; found.length < wanted; minutes++) {
    const until = at(minutes);
    const left = wanted - found.length;
    // The rest is spread again when it wakes.
    const free =
      minutes < postponedMinutesMax ? await postpone(tx, { domain, minute: until, wanted: left, max }) : left;
    found.push(...Array<Date>(free).fill(until));
  }
  return found;
}

/** How many of the messages may wait for a minute, counted by one statement. */
async function postpone(tx: Tx, { domain, minute, wanted, max }: DomainGrant): Promise<number> {
  const [row] = await tx.sql<{ granted: number }>`
    INSERT INTO domain_pace (domain, minute, messages, postponed, granted)
    VALUES (${domain}, ${minute}, 0, least(${wanted}::int, ${max}::int), least(${wanted}::int, ${max}::int))
    ON CONFLICT (tenant_id, environment, domain, minute) DO UPDATE
      SET granted = greatest(least(${wanted}::int, ${max}::int - domain_pace.postponed), 0),
        postponed = domain_pace.postponed + greatest(least(${wanted}::int, ${max}::int - domain_pace.postponed), 0)
    RETURNING granted`;
  return row?.granted ?? 0;
}

/** Counts messages of a sender; the first one begins its warm-up. */
async function grantSender(tx: Tx, sender: CampaignSender | undefined, wanted: number, now: Date): Promise<number> {
  if (!sender) return wanted;
  const day = dayOfUtc(now);
  const warmupPlan = sender.warmupPlan === null ? null : WarmupPlan.parse(sender.warmupPlan);
  if (warmupPlan && !sender.warmupFrom)
    await tx.sql`UPDATE sender SET warmup_from = ${day} WHERE id = ${sender.id} AND warmup_from IS NULL`;
  const max = allowedOn(day, { ...sender, warmupPlan }) ?? unlimited;
  const [row] = await tx.sql<{ granted: number }>`
    INSERT INTO sender_count (sender_id, day, messages, granted)
    VALUES (${sender.id}, ${day}, least(${wanted}::int, ${max}::int), least(${wanted}::int, ${max}::int))
    ON CONFLICT (tenant_id, environment, sender_id, day) DO UPDATE
      SET granted = greatest(least(${wanted}::int, ${max}::int - sender_count.messages), 0),
        messages = sender_count.messages + greatest(least(${wanted}::int, ${max}::int - sender_count.messages), 0)
    RETURNING granted`;
  return row?.granted ?? 0;
}

const unlimited = 1_000_000_000;

/** In the order of the keys, so that two processes lock rows in the same order. */
function byKey<Key extends string | number | undefined>(all: readonly Outgoing[], keyOf: (one: Outgoing) => Key) {
  return [...Map.groupBy(all, keyOf)].toSorted(([a], [b]) => String(a).localeCompare(String(b)));
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
