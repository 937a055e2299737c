import type { sendingDomains } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asSendingDomain } from './sending-domain.ts';

export const listSendingDomains =
  (tools: Pick<Tools, 'spf'>): Handler<typeof sendingDomains.listSendingDomains> =>
  async ({ query: { status }, tx, list }) => {
    const where = status ? { status } : {};
    const page = await list({ model: tx.sendingDomain, where, searchIn: ['domain'] });
    return { ...page, items: page.items.map((row) => asSendingDomain(tools, row)) };
  };
