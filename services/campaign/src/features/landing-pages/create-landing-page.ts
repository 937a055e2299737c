import { landingPageCreated, type landingPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { ownerColumns } from '../work/owner.ts';
import {
  asFullPage,
  type CheckedPage,
  checkForm,
  checkPage,
  checkPlan,
  type PageTools,
  slugError,
} from './landing-page.ts';
import { publishPageJob } from './publish-page.job.ts';

export const createLandingPage = (tools: PageTools): Handler<typeof landingPages.createLandingPage, CheckedPage> => ({
  check: ({ body, caller }) => checkPage(tools, body, caller),
  async run({ body, found: { content = '', owner }, caller, tx, emit, schedule }) {
    await checkCampaign(tx, body.campaignId);
    await checkForm(tx, body.formId);
    checkPlan({ content, formId: body.formId ?? null }, body.publishAt);
    const data = { ...body, content, ...ownerColumns(caller, body.ownerId, owner) };
    const row = await tx.landingPage.create({ data }).catch((error: unknown) => {
      throw slugError(error);
    });
    const page = asFullPage(row, tools);
    const { id: landingPageId, campaignId, slug, publishAt } = page;
    if (publishAt) await schedule(publishPageJob, [{ landingPageId, publishAt }], publishAt);
    emit(landingPageCreated, { data: { landingPageId, campaignId, slug }, record: page });
    return page;
  },
});
