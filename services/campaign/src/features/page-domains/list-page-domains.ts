import type { pageDomains } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asPageDomain, type PageDomainTools } from './page-domain.ts';

export const listPageDomains =
  (tools: PageDomainTools): Handler<typeof pageDomains.listPageDomains> =>
  async ({ query: { status }, tx, list }) => {
    const where = status ? { status } : {};
    const page = await list({ model: tx.pageDomain, where, searchIn: ['host'] });
    return { ...page, items: page.items.map((row) => asPageDomain(tools, row)) };
  };
