import type { internalCampaigns } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asLandingPage } from './landing-page.ts';

export const findLandingPage: Handler<typeof internalCampaigns.findLandingPage> = async ({ params, caller, tx }) => {
  // Without a tenant nothing can be found, and the guard would report the query as our own error.
  const row = caller.tenantId === undefined ? null : await tx.landingPage.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asLandingPage(row);
};
