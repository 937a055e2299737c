import { Message } from '@tandem/campaign-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asMessage } from '../messages/message.ts';

const batchMax = 1_000;

/**
 * Messages to a person, and what the person did with them: they stay as numbers, without address, subject and the
 * addresses of links, which can name the person.
 */
export const messageData: PersonalData<Tx> = {
  async erase({ tx, person: { leadIds } }) {
    const messages = await tx.sql`
      UPDATE message SET recipient = NULL, subject = NULL, error = NULL, updated_at = now()
      WHERE id IN (SELECT id FROM message WHERE lead_id = ANY(${leadIds}::bigint[])
        AND (recipient IS NOT NULL OR subject IS NOT NULL OR error IS NOT NULL) LIMIT ${batchMax}::int)
      RETURNING id`;
    const engagement = await tx.sql`
      UPDATE engagement SET lead_id = NULL, merged_from_lead_id = NULL, url = NULL
      WHERE id IN (SELECT id FROM engagement WHERE lead_id = ANY(${leadIds}::bigint[]) LIMIT ${batchMax}::int)
      RETURNING id`;
    return { messages: messages.length, engagement: engagement.length };
  },
  async read({ tx, person: { leadIds } }) {
    const where = { leadId: { in: leadIds } };
    return [
      await exportSection('messages', Message, {
        count: () => tx.message.count({ where }),
        find: async (take) => (await tx.message.findMany({ where, orderBy: { id: 'desc' }, take })).map(asMessage),
      }),
    ];
  },
};
