import type { publicPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm } from '../forms/form.ts';
import { createRenderTokens, issueRenderToken } from '../forms/render-token.ts';
import { type PublicTools, readPublishedPage, type Scope, scopeOf } from './published-page.ts';
import { renderPage } from './render-page.ts';

export const showLandingPage = (
  tools: PublicTools,
): Handler<typeof publicPages.showLandingPage, Scope & { locale: string }> => {
  const tokens = createRenderTokens(tools.seal);
  return {
    async check({ params, caller }) {
      const scope = await scopeOf(tools, params.tenant, caller);
      const settings = await tools.settingsOf({ ...scope, requestId: caller.requestId });
      return { ...scope, locale: settings?.locale ?? 'en' };
    },
    async run({ params, inTenant, found: { locale, ...scope } }) {
      const page = await readPublishedPage(inTenant, tools, { scope, slug: params.slug });
      const form = page.form && {
        ...asForm(page.form, tools),
        renderToken: issueRenderToken(tokens, page.form.id),
      };
      return renderPage({ ...page, form, locale, isListed: scope.environment === 'live' });
    },
  };
};
