import type { publicPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asForm } from '../forms/form.ts';
import { createRenderTokens, issueRenderToken } from '../forms/render-token.ts';
import { formMark } from '../landing-pages/arrange-html.ts';
import { type PublicTools, readPublishedPage, type Scope, scopeOf } from './published-page.ts';

export const getPublicPage = (tools: PublicTools): Handler<typeof publicPages.getPublicPage, Scope> => {
  const tokens = createRenderTokens(tools.seal);
  return {
    check: ({ params, caller }) => scopeOf(tools, params.tenant, caller),
    async run({ params, inTenant, found: scope }) {
      const page = await readPublishedPage(inTenant, tools, { scope, slug: params.slug });
      const { body, form, ...shown } = page;
      const content = body.replace(formMark, '');
      if (!form) return { ...shown, content, form: null };
      const renderToken = issueRenderToken(tokens, form.id);
      return { ...shown, content, form: { ...asForm(form, tools), renderToken } };
    },
  };
};
