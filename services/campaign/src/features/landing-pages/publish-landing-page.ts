import { actingUserId } from '@tandem/caller';
import type { landingPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import type { Arranged } from './arrange-html.ts';
import { type AddressTools, asFullPage, lockPage } from './landing-page.ts';
import { arrangePage, checkNotEmpty, checkPublishable, publishPage } from './publish-page.ts';

export const publishLandingPage = (
  tools: AddressTools & Pick<Tools, 'cleaner'>,
): Handler<typeof landingPages.publishLandingPage, Arranged & { version: number }> => ({
  async check({ params, under, tx }) {
    const row = await under('campaigns:write', () => tx.landingPage.findFirst({ where: { id: params.id } }));
    if (!row) throw fail('not_found');
    const page = asFullPage(row, tools);
    return { ...(await arrangePage(tools.cleaner, page)), version: page.version };
  },
  async run({ params, caller, tx, emit, ifMatch, found: { html, isEmpty, version } }) {
    const page = asFullPage(await lockPage(tx, params.id), tools);
    ifMatch(page);
    checkPublishable(page);
    if (page.version !== version) throw fail('page_changed');
    await checkNotEmpty(tx, page, { isEmpty });
    return publishPage({ tx, emit, tools }, page, { body: html, publishedBy: actingUserId(caller) ?? null });
  },
});
