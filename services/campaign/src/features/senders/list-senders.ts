import type { senders } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asSenders } from './sender.ts';

export const listSenders: Handler<typeof senders.listSenders> = async ({ query: { domainId }, tx, list }) => {
  const where = domainId === undefined ? {} : { domainId };
  const page = await list({ model: tx.sender, where, searchIn: ['name', 'fromEmail'] });
  return { ...page, items: await asSenders(tx, page.items) };
};
