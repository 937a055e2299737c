import { internalMail } from '@tandem/campaign-contract';
import type { Target } from '../target.ts';

/**
 * Messages of a connected mailbox, among which campaign finds replies and bounces. Only those leave a trace in the log of a
 * run: it is nobody's business who else writes to the mailbox.
 */
export const mailTarget: Target<'mail'> = {
  kind: 'mail',
  permissions: ['campaigns:write'],
  async write({ campaign, as }, { fields }) {
    const messages = [{ header: fields.header, receivedAt: new Date(fields.receivedAt) }];
    const { results } = await campaign.receiveConnectedMail({ body: { messages }, as });
    const [result = 'unrelated'] = results;
    return result === 'unrelated' ? { action: 'unchanged' } : { action: 'updated', reason: result };
  },
  check({ fields }) {
    const { error } = internalMail.receiveConnectedMail.body.safeParse({ messages: [fields] });
    return (error?.issues ?? []).map(({ path, message }) => ({ field: path.slice(2).join('.'), message }));
  },
};
