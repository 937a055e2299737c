import type { Caller } from '@tandem/caller';
import type { suppressionAdded, suppressionRemoved } from '@tandem/campaign-contract';
import { suppressionRemoved as removed } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { fail } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { type Channel, digestOf, digestsOf, normalizedValue } from '../suppressions/address.ts';
import { suppress } from '../suppressions/suppressed.ts';
import { asSuppression, eventOf } from '../suppressions/suppression.ts';
import type { ContactLink } from './contact-links.ts';

/** An address of a person. */
export interface Contact {
  channel: Channel;
  address: string;
}

type Sealing = Pick<Tools, 'seal'>;

/** What people decide themselves; other suppressions are not theirs to remove. */
const ownReasons = ['unsubscribe', 'complaint'];

/** The addresses of the person of a link: that of the message first, then those that the lead has for other channels. */
export async function contactsOf(
  { crm }: Pick<Tools, 'crm'>,
  link: ContactLink,
  { requestId }: Pick<Caller, 'requestId'>,
): Promise<Contact[]> {
  const { tenantId, environment, leadId, channel, address } = link;
  const [lead] = await crm.readLeads({ body: { ids: [leadId] }, as: { tenantId, environment, requestId } });
  const others = [
    { channel: 'email' as const, address: lead?.email },
    { channel: 'sms' as const, address: lead?.phone },
  ].filter((one): one is Contact => one.channel !== channel && Boolean(one.address));
  return [{ channel, address }, ...others];
}

/** Locks the choices of the person until the end of the transaction: two requests at once do not mix. */
export async function lockPerson(tx: Tx, { leadId }: ContactLink): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`contact ${leadId}`},
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

/** The topics of the person's own suppressions of an address; null stands for all messages. */
export async function unsubscribedTopics(tools: Sealing, tx: Tx, contact: Contact): Promise<Set<number | null>> {
  const rows = await tx.suppression.findMany({ where: ownSuppressions(tools, contact) });
  return new Set(rows.map(({ topicId }) => topicId));
}

/** Suppresses an address of the person for a topic, or for all messages. Returns whether that was not so before. */
export async function unsubscribeContact(
  tools: Sealing,
  inside: { tx: Tx; emit: Emit<typeof suppressionAdded> },
  { channel, address }: Contact,
  topicId: number | null,
): Promise<boolean> {
  const { isNew } = await suppress(tools, inside, { channel, value: address, reason: 'unsubscribe', topicId });
  return isNew;
}

/** Removes what the person decided about an address and a topic, or about all messages. Returns whether there was something. */
export async function resubscribeContact(
  tools: Sealing,
  { tx, emit }: { tx: Tx; emit: Emit<typeof suppressionRemoved> },
  contact: Contact,
  topicId: number | null,
): Promise<boolean> {
  const rows = await tx.suppression.findMany({ where: { ...ownSuppressions(tools, contact), topicId } });
  for (const row of rows) {
    const { count } = await tx.suppression.deleteMany({ where: { id: row.id } });
    if (!count) continue;
    const { data, record } = eventOf(asSuppression(row));
    emit(removed, { data: { ...data, note: 'The person subscribed again' }, record });
  }
  return rows.length > 0;
}

/** Until when an address gets no messages; null if it is not paused. */
export async function pausedUntil(tools: Sealing, tx: Tx, { channel, address }: Contact): Promise<Date | null> {
  const digest = { in: [...digestsOf(tools, channel, normalizedAddress({ channel, address }))] };
  const where = { channel, digest, pausedUntil: { gt: new Date() } };
  const row = await tx.contactPause.findFirst({ where });
  return row?.pausedUntil ?? null;
}

/** Starts, changes or ends the pause of an address. */
export async function pauseContact(tools: Sealing, tx: Tx, contact: Contact, until: Date | null): Promise<void> {
  const { channel } = contact;
  const value = normalizedAddress(contact);
  await tx.contactPause.deleteMany({ where: { channel, digest: { in: [...digestsOf(tools, channel, value)] } } });
  if (until === null) return;
  await tx.contactPause.createMany({
    data: [{ channel, digest: digestOf(tools, channel, value), value, pausedUntil: until }],
    skipDuplicates: true,
  });
}

function ownSuppressions(tools: Sealing, contact: Contact) {
  const { channel } = contact;
  const digest = { in: [...digestsOf(tools, channel, normalizedAddress(contact))] };
  return { channel, digest, reason: { in: ownReasons } };
}

/** The normalized address. A message was sent to it, so it is a valid one. */
function normalizedAddress({ channel, address }: Contact): string {
  const value = normalizedValue(channel, address);
  if (typeof value !== 'string') throw fail('not_found');
  return value;
}
