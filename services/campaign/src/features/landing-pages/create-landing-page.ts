import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { landingPageCreated, type landingPages } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { asFullPage, cleanContent, slugError } from './landing-page.ts';

type Content = string;

export const createLandingPage = ({
  cleaner,
}: Pick<Tools, 'cleaner'>): Handler<typeof landingPages.createLandingPage, Content> => ({
  check: ({ body, caller }) => cleanContent(cleaner, body.content ?? '', caller.tenantId),
  async run({ body, found: content, caller, tx, emit }) {
    await checkCampaign(tx, body.campaignId);
    const data = { ...body, content, createdBy: actingUserId(caller) ?? null, teamId: onlyTeamOf(caller) };
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
