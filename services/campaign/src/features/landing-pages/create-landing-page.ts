import { landingPageCreated, type landingPages } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { ownerColumns } from '../work/owner.ts';
import { asFullPage, type CheckedPage, checkPage, slugError } from './landing-page.ts';

export const createLandingPage = (
  tools: Pick<Tools, 'cleaner' | 'identity'>,
): Handler<typeof landingPages.createLandingPage, CheckedPage> => ({
  check: ({ body, caller }) => checkPage(tools, body, caller),
  async run({ body, found: { content = '', owner }, caller, tx, emit }) {
    await checkCampaign(tx, body.campaignId);
    const data = { ...body, content, ...ownerColumns(caller, body.ownerId, owner) };
    const row = await tx.landingPage.create({ data }).catch((error: unknown) => {
      throw slugError(error);
    });
    const page = asFullPage(row);
    emit(landingPageCreated, {
      data: { landingPageId: page.id, campaignId: page.campaignId, slug: page.slug },
      record: page,
    });
    return page;
  },
});
