import type { pageDomains } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPageDomain, type PageDomainTools } from './page-domain.ts';

export const getPageDomain =
  (tools: PageDomainTools): Handler<typeof pageDomains.getPageDomain> =>
  async ({ params, tx }) => {
    const row = await tx.pageDomain.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asPageDomain(tools, row);
  };
