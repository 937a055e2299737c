import type { abTests } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { abTestColumns, asAbTest, checkCampaignOfPath } from './ab-test.ts';

export const listAbTests: Handler<typeof abTests.listAbTests> = async ({ params, query: { status }, tx, list }) => {
  await checkCampaignOfPath(tx, params.id);
  const page = await list({
    model: tx.abTest,
    select: abTestColumns,
    where: { campaignId: params.id, ...(status && { status }) },
  });
  return { ...page, items: page.items.map(asAbTest) };
};
