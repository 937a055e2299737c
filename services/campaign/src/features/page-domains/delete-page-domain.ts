import { pageDomainRemoved, type pageDomains } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asPageDomain, eventOf, lockPageDomain, type PageDomainTools } from './page-domain.ts';

export const deletePageDomain =
  (tools: PageDomainTools): Handler<typeof pageDomains.deletePageDomain> =>
  async ({ params, tx, emit, ifMatch }) => {
    const row = await lockPageDomain(tx, params.id);
    ifMatch(row);
    await tx.pageDomain.deleteMany({ where: { id: row.id } });
    emit(pageDomainRemoved, eventOf(asPageDomain(tools, row)));
    return { id: row.id, deleted: true };
  };
