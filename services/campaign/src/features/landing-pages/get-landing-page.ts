import type { landingPages } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { type AddressTools, asFullPage } from './landing-page.ts';

export const getLandingPage =
  (tools: AddressTools): Handler<typeof landingPages.getLandingPage> =>
  async ({ params, tx }) => {
    const row = await tx.landingPage.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    return asFullPage(row, tools);
  };
