import {
  leadPreferencesChanged,
  leadResubscribed,
  leadUnsubscribed,
  type preferences,
} from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { type Context, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import {
  type Contact,
  contactsOf,
  lockPerson,
  pauseContact,
  resubscribeContact,
  unsubscribeContact,
} from './contact.ts';
import { type ContactLink, readContactToken } from './contact-links.ts';
import { offeredTopics } from './offered-topics.ts';
import { readPreferences } from './preferences.ts';

type Body = Context<typeof preferences.updatePreferences, Tx>['body'];

const pauseDaysMax = 366;
const dayMs = 86_400_000;

export const updatePreferences = (
  tools: Pick<Tools, 'seal' | 'ids' | 'crm'>,
): Handler<typeof preferences.updatePreferences, Contact[]> => ({
  async check({ params, body, caller }) {
    const link = readContactToken(tools, params.token);
    checkPause(body);
    const contacts = await contactsOf(tools, link, caller);
    for (const channel of ['email', 'sms'] as const)
      if (body.channels?.[channel] !== undefined && !contacts.some((one) => one.channel === channel))
        throw failField(`channels.${channel}`, 'No address is known for this channel');
    return contacts;
  },
  run({ params, body, inTenant, found: contacts }) {
    const link = readContactToken(tools, params.token);
    const { tenantId, environment, leadId, messageId } = link;
    const topics = Object.entries(body.topics ?? {}).map(([code, isWanted]) => {
      const topicId = tools.ids.decode('topic', tenantId, code);
      if (topicId === undefined) throw unknownTopic(code);
      return { code, topicId, isWanted };
    });
    return inTenant({ tenantId, environment }, async ({ tx, emit }) => {
      await lockPerson(tx, link);
      await checkTopics(tx, link, topics);
      const wishes = [
        ...topics.flatMap(({ topicId, isWanted }) => contacts.map((contact) => ({ contact, topicId, isWanted }))),
        ...contacts.flatMap((contact) => {
          const isWanted = body.channels?.[contact.channel];
          return isWanted === undefined ? [] : [{ contact, topicId: null, isWanted }];
        }),
      ];
      for (const { contact, topicId, isWanted } of wishes) {
        if (isWanted) {
          const isAgain = await resubscribeContact(tools, { tx, emit }, contact, topicId);
          const data = { leadId, channel: contact.channel, way: 'link' as const };
          if (isAgain && topicId === null) emit(leadResubscribed, { data, record: { id: leadId } });
        } else if (await unsubscribeContact(tools, { tx, emit }, contact, topicId)) {
          const data = { leadId, channel: contact.channel, topicId, messageId, way: 'link' as const };
          emit(leadUnsubscribed, { data, record: { id: leadId } });
        }
      }
      if (body.pauseUntil !== undefined)
        for (const contact of contacts) await pauseContact(tools, tx, contact, body.pauseUntil);
      const saved = await readPreferences(tools, tx, link, contacts);
      const fields = changedFields(body);
      if (fields.length)
        emit(leadPreferencesChanged, {
          data: { leadId, fields, pauseUntil: saved.pauseUntil },
          record: { id: leadId },
        });
      return saved;
    });
  },
});

/** Fails with 422 unless the page offers the topics. */
async function checkTopics(
  tx: Tx,
  link: ContactLink,
  topics: readonly { code: string; topicId: number }[],
): Promise<void> {
  const offered = await offeredTopics(
    tx,
    link,
    topics.map(({ topicId }) => topicId),
  );
  const refused = topics.find(({ topicId }) => !offered.has(topicId));
  if (refused) throw unknownTopic(refused.code);
}

function unknownTopic(code: string) {
  return failField(`topics.${code.slice(0, 64)}`, unknownId('topic'));
}

function changedFields(body: Body) {
  return (['topics', 'channels', 'pauseUntil'] as const).filter((field) => body[field] !== undefined);
}

function checkPause({ pauseUntil }: Body): void {
  if (!pauseUntil) return;
  const aheadMs = pauseUntil.getTime() - Date.now();
  if (aheadMs <= 0) throw failField('pauseUntil', 'Must be in the future; send null to end the pause');
  if (aheadMs > pauseDaysMax * dayMs) throw failField('pauseUntil', 'Must be at most a year ahead');
}
