import type { landingPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { type AddressTools, asFullPage, checkTransition, lockPage } from './landing-page.ts';
import { withdrawPage } from './publish-page.ts';

export const unpublishLandingPage =
  (tools: AddressTools): Handler<typeof landingPages.unpublishLandingPage> =>
  async ({ params, tx, emit, ifMatch }) => {
    const page = asFullPage(await lockPage(tx, params.id), tools);
    ifMatch(page);
    checkTransition(page, 'draft');
    return withdrawPage({ tx, emit, tools }, page, 'draft');
  };
