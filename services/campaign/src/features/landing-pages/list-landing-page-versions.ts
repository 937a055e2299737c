import { LandingPageVersion, type landingPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

const columns = LandingPageVersion.pick({ seo: true, style: true });

// Lists omit the content in both forms, which are the largest columns.
const select = {
  id: true,
  number: true,
  name: true,
  seo: true,
  style: true,
  formId: true,
  campaignId: true,
  publishedBy: true,
  createdAt: true,
} as const;

export const listLandingPageVersions: Handler<typeof landingPages.listLandingPageVersions> = async ({
  params,
  tx,
  list,
}) => {
  if (!(await tx.landingPage.count({ where: { id: params.id } }))) throw fail('not_found');
  const page = await list({ model: tx.landingPageVersion, select, where: { landingPageId: params.id } });
  return { ...page, items: page.items.map((row) => ({ ...row, ...columns.parse(row) })) };
};
