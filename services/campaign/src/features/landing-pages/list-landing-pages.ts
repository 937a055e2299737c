import type { landingPages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { type AddressTools, asLandingPage, urlOf } from './landing-page.ts';

// Lists omit sections and content, which are the largest columns.
const select = {
  id: true,
  tenantId: true,
  environment: true,
  campaignId: true,
  name: true,
  description: true,
  slug: true,
  status: true,
  formId: true,
  publishAt: true,
  publishedAt: true,
  publishedVersion: true,
  hasUnpublishedChanges: true,
  createdBy: true,
  ownerId: true,
  teamId: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

export const listLandingPages =
  (tools: AddressTools): Handler<typeof landingPages.listLandingPages> =>
  async ({ query, tx, list }) => {
    const { status, campaignId, ownerId, teamId } = query;
    const page = await list({
      model: tx.landingPage,
      select,
      where: {
        ...(status && { status }),
        ...(campaignId !== undefined && { campaignId }),
        ...(ownerId !== undefined && { ownerId }),
        ...(teamId !== undefined && { teamId }),
      },
      searchIn: ['name', 'slug'],
    });
    return { ...page, items: page.items.map((row) => ({ ...asLandingPage(row), url: urlOf(row, tools) })) };
  };
