import type { publicPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { type PublicTools, scopeOf } from './published-page.ts';
import { localeOf, pageShower } from './show-page.ts';
import type { Scope } from './visitor.ts';

export const showLandingPage = (
  tools: PublicTools,
): Handler<typeof publicPages.showLandingPage, { scope: Scope; locale: string }> => {
  const showPage = pageShower(tools);
  return {
    async check({ params, caller }) {
      const scope = await scopeOf(tools, params.tenant, caller);
      return { scope, locale: await localeOf(tools, scope, caller) };
    },
    run: ({ params: { tenant, slug }, found, ...request }) =>
      showPage(request, { ...found, page: { slug }, path: `/p/${tenant}/${slug}` }),
  };
};
