import { type publicPages, variantCookie } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { createRenderTokens } from '../forms/render-token.ts';
import {
  cookieAttributes,
  type PublicTools,
  readPublishedPage,
  type Scope,
  scopeOf,
  visitorOf,
} from './published-page.ts';
import { renderPage } from './render-page.ts';
import { shownForm } from './shown-form.ts';

export const showLandingPage = (
  tools: PublicTools,
): Handler<typeof publicPages.showLandingPage, Scope & { locale: string }> => {
  const formTools = { ...tools, renderTokens: createRenderTokens(tools.seal) };
  return {
    async check({ params, caller }) {
      const scope = await scopeOf(tools, params.tenant, caller);
      const settings = await tools.settingsOf({ ...scope, requestId: caller.requestId });
      return { ...scope, locale: settings?.locale ?? 'en' };
    },
    async run({ params, query, caller, cookies, setCookie, inTenant, found: { locale, ...scope } }) {
      const page = await readPublishedPage(inTenant, tools, {
        scope,
        slug: params.slug,
        visitor: visitorOf(caller, cookies, query),
      });
      if (page.cookie) {
        const path = `/p/${params.tenant}/${params.slug}`;
        setCookie(variantCookie, page.cookie.value, cookieAttributes(path, page.cookie.maxAgeSeconds, tools));
      }
      const form = await shownForm(formTools, page, { ...scope, requestId: caller.requestId });
      return renderPage({ ...page, form, locale, isListed: scope.environment === 'live' });
    },
  };
};
