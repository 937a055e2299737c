import type { internalCampaigns } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { type AddressTools, asLandingPage, urlOf } from './landing-page.ts';

export const findLandingPage =
  (tools: AddressTools): Handler<typeof internalCampaigns.findLandingPage> =>
  async ({ params, caller, tx }) => {
    // Without a tenant the tenant guard would throw an internal error.
    const row = caller.tenantId === undefined ? null : await tx.landingPage.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const page = asLandingPage(row);
    return page.status === 'published' ? { ...page, url: urlOf(row, tools) } : page;
  };
