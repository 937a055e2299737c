import { leadUnsubscribed, type preferences } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockPerson, unsubscribeContact } from './contact.ts';
import { readContactToken } from './contact-links.ts';
import { offeredTopics } from './offered-topics.ts';
import { unsubscribeState } from './unsubscribe-state.ts';

export const unsubscribe =
  (tools: Pick<Tools, 'seal'>): Handler<typeof preferences.unsubscribe> =>
  ({ params, body, inTenant }) => {
    const link = readContactToken(tools, params.token);
    const { tenantId, environment, leadId, messageId, channel } = link;
    return inTenant({ tenantId, environment }, async ({ tx, emit }) => {
      await lockPerson(tx, link);
      if (body.topicId !== undefined && !(await offeredTopics(tx, link, [body.topicId])).has(body.topicId))
        throw failField('topicId', unknownId('topic'));
      // The topic of an old message may be deleted by now. Then the person wants no more messages at all.
      const { topic } = await unsubscribeState(tools, tx, link);
      const topicId = body.all ? null : (body.topicId ?? topic?.id ?? null);
      if (await unsubscribeContact(tools, { tx, emit }, link, topicId))
        emit(leadUnsubscribed, { data: { leadId, channel, topicId, messageId, way: 'link' }, record: { id: leadId } });
      return unsubscribeState(tools, tx, link);
    });
  };
