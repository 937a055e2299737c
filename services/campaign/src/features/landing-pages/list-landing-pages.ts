import type { landingPages } from '@tandem/campaign-contract';
import type { Handler, Tx } from '../../handler.ts';
import { asLandingPage } from './landing-page.ts';

// Lists leave out the content, which is most of a page.
const select = {
  ...{ id: true, tenantId: true, campaignId: true, name: true, description: true, slug: true, status: true },
  ...{ createdBy: true, version: true, createdAt: true, updatedAt: true },
} as const;
type FindMany = NonNullable<Parameters<Tx['landingPage']['findMany']>[0]>;

export const listLandingPages: Handler<typeof landingPages.listLandingPages> = async ({ query, tx, list }) => {
  const { status, campaignId } = query;
  const page = await list({
    model: {
      findMany: (args: Omit<FindMany, 'select'>) => tx.landingPage.findMany({ ...args, select }),
      count: (args: { where: FindMany['where'] }) => tx.landingPage.count(args as { where: object }),
    },
    where: { ...(status && { status }), ...(campaignId !== undefined && { campaignId }) },
    searchIn: ['name', 'slug'],
  });
  return { ...page, items: page.items.map(asLandingPage) };
};
