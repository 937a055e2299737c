import { actingUserId } from '@tandem/caller';
import { landingPageCreated, type landingPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { asWholePage, cleanContent, slugRefusal } from './landing-page.ts';

export const createLandingPage: Handler<typeof landingPages.createLandingPage> = async ({ body, caller, tx, emit }) => {
  await checkCampaign(tx, body.campaignId);
  const data = { ...body, content: cleanContent(body.content ?? ''), createdBy: actingUserId(caller) ?? null };
  const row = await tx.landingPage.create({ data }).catch((error: unknown) => {
    throw slugRefusal(error);
  });
  const page = asWholePage(row);
  emit(landingPageCreated, {
    data: { landingPageId: page.id, campaignId: page.campaignId, slug: page.slug },
    record: page,
  });
  return page;
};
