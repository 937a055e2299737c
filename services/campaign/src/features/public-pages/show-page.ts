import type { Caller } from '@tandem/caller';
import { type pageVisited, variantCookie } from '@tandem/campaign-contract';
import type { CookieAttributes } from '@tandem/contract';
import type { InTenant } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createRenderTokens } from '../forms/render-token.ts';
import { cookieAttributes, type PageName, type PublicTools, readPublishedPage, visitorOf } from './published-page.ts';
import { renderPage } from './render-page.ts';
import { shownForm } from './shown-form.ts';
import type { Scope } from './visitor.ts';

/** The parts of a request for a page that its handlers pass on. */
interface PageRequest {
  query: { visit?: string };
  caller: Caller;
  cookies: { [variantCookie]?: string };
  setCookie(name: typeof variantCookie, value: string, attributes: CookieAttributes): void;
  inTenant: InTenant<Tx, typeof pageVisited>;
}

/** A page that a request asks for, and the language of its tenant. */
interface Requested {
  scope: Scope;
  locale: string;
  page: PageName;
  /** The path by which the visitor requested the page. */
  path: string;
}

/** Finds the language of the pages of a tenant. */
export async function localeOf(
  { settingsOf }: Pick<PublicTools, 'settingsOf'>,
  scope: Scope,
  { requestId }: Pick<Caller, 'requestId'>,
): Promise<string> {
  const settings = await settingsOf({ ...scope, requestId });
  return settings?.locale ?? 'en';
}

/** Returns a function that shows a page as HTML, on the platform's own host and on domains of tenants. */
export function pageShower(tools: PublicTools) {
  const formTools = { ...tools, renderTokens: createRenderTokens(tools.seal) };
  return async (request: PageRequest, { scope, locale, page: name, path }: Requested) => {
    const { query, caller, cookies, setCookie, inTenant } = request;
    const page = await readPublishedPage(inTenant, tools, { scope, name, visitor: visitorOf(caller, cookies, query) });
    if (page.cookie)
      setCookie(variantCookie, page.cookie.value, cookieAttributes(path, page.cookie.maxAgeSeconds, tools));
    const form = await shownForm(formTools, page, { ...scope, requestId: caller.requestId });
    return renderPage({ ...page, form, locale, isListed: scope.environment === 'live' });
  };
}
