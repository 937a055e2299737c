import { type pageDomains, pageDomainUpdated } from '@tandem/campaign-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPageDomain, checkHomePage, eventOf, lockPageDomain, type PageDomainTools } from './page-domain.ts';

export const updatePageDomain =
  (tools: PageDomainTools): Handler<typeof pageDomains.updatePageDomain> =>
  async ({ params, body, tx, emit, ifMatch }) => {
    const row = await lockPageDomain(tx, params.id);
    ifMatch(row);
    const { isEmpty, values, audit } = diff(row, body);
    if (isEmpty) return asPageDomain(tools, row);
    await checkHomePage(tx, values.homePageId);
    const [written] = await tx.pageDomain.updateManyAndReturn({
      where: { id: row.id },
      data: { ...values, version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    const record = asPageDomain(tools, written);
    emit(pageDomainUpdated, { ...eventOf(record), changes: audit });
    return record;
  };
