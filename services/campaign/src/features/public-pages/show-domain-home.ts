import type { publicPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { domainOfHost, type OfDomain } from './domain-of-host.ts';
import type { PublicTools } from './published-page.ts';
import { pageShower } from './show-page.ts';

export const showDomainHome = (tools: PublicTools): Handler<typeof publicPages.showDomainHome, OfDomain> => {
  const showPage = pageShower(tools);
  return {
    check: ({ caller, tx }) => domainOfHost(tools, tx, caller),
    async run({ found: { homePageId, ...found }, ...request }) {
      if (homePageId === null) throw fail('not_found');
      return showPage(request, { ...found, page: { id: homePageId }, path: '/' });
    },
  };
};
