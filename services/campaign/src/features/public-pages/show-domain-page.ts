import type { publicPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { domainOfHost, type OfDomain } from './domain-of-host.ts';
import type { PublicTools } from './published-page.ts';
import { pageShower } from './show-page.ts';

export const showDomainPage = (tools: PublicTools): Handler<typeof publicPages.showDomainPage, OfDomain> => {
  const showPage = pageShower(tools);
  return {
    check: ({ caller, tx }) => domainOfHost(tools, tx, caller),
    run: ({ params: { slug }, found, ...request }) => showPage(request, { ...found, page: { slug }, path: `/${slug}` }),
  };
};
