import { type landingPages, landingPageUpdated } from '@tandem/campaign-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { teamChange } from '../work/owner.ts';
import { asFullPage, type CheckedPage, checkPage, slugError } from './landing-page.ts';

export const updateLandingPage = (
  tools: Pick<Tools, 'cleaner' | 'identity'>,
): Handler<typeof landingPages.updateLandingPage, CheckedPage> => ({
  check: ({ body, caller }) => checkPage(tools, body, caller),
  async run({ params, body, found: { content, owner }, tx, emit, ifMatch }) {
    const row = await tx.landingPage.lockFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const page = asFullPage(row);
    ifMatch(page);
    const { isEmpty, values, audit } = diff(page, {
      ...body,
      ...(content !== undefined && { content }),
      ...teamChange(page, owner),
    });
    if (isEmpty) return page;
    await checkCampaign(tx, values.campaignId);
    const [written] = await tx.landingPage
      .updateManyAndReturn({ where: { id: page.id }, data: { ...values, version: { increment: 1 } } })
      .catch((error: unknown) => {
        throw slugError(error);
      });
    if (!written) throw fail('not_found');
    const updated = asFullPage(written);
    // The audit log does not store the content, which can have 200,000 characters.
    const { content: _content, ...changes } = audit;
    emit(landingPageUpdated, {
      data: { landingPageId: page.id, fields: Object.keys(values) },
      record: updated,
      changes,
    });
    return updated;
  },
});
