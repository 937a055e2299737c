import { type publicPages, variantCookie } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { createRenderTokens } from '../forms/render-token.ts';
import { formMark } from '../landing-pages/arrange-html.ts';
import { cookieAttributes, type PublicTools, readPublishedPage, scopeOf, visitorOf } from './published-page.ts';
import { shownForm } from './shown-form.ts';
import type { Scope } from './visitor.ts';

export const getPublicPage = (tools: PublicTools): Handler<typeof publicPages.getPublicPage, Scope> => {
  const formTools = { ...tools, renderTokens: createRenderTokens(tools.seal) };
  return {
    check: ({ params, caller }) => scopeOf(tools, params.tenant, caller),
    async run({ params, query, caller, cookies, setCookie, inTenant, found: scope }) {
      const page = await readPublishedPage(inTenant, tools, {
        scope,
        name: { slug: params.slug },
        visitor: visitorOf(caller, cookies, query),
      });
      if (page.cookie) {
        const path = `/v1/public/pages/${params.tenant}/${params.slug}`;
        setCookie(variantCookie, page.cookie.value, cookieAttributes(path, page.cookie.maxAgeSeconds, tools));
      }
      const form = await shownForm(formTools, page, { ...scope, requestId: caller.requestId });
      return { ...page, content: page.body.replace(formMark, ''), form };
    },
  };
};
