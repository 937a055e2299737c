import { LandingPageVersion, type landingPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';

const columns = LandingPageVersion.pick({ sections: true, seo: true, style: true });

export const getLandingPageVersion: Handler<typeof landingPages.getLandingPageVersion> = async ({ params, tx }) => {
  const { id: landingPageId, number } = params;
  const row = await tx.landingPageVersion.findFirst({ where: { landingPageId, number: Number(number) } });
  if (!row) throw fail('not_found');
  return { ...row, ...columns.parse(row) };
};
