import { type landingPages, landingPageUpdated } from '@tandem/campaign-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkCampaign } from '../campaigns/campaign.ts';
import { asWholePage, cleanContent, slugRefusal } from './landing-page.ts';

export const updateLandingPage: Handler<typeof landingPages.updateLandingPage> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const row = await tx.landingPage.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const page = asWholePage(row);
  ifMatch(page);
  const given = body.content === undefined ? body : { ...body, content: cleanContent(body.content) };
  const { isEmpty, values, audit } = diff(page, given);
  if (isEmpty) return page;
  await checkCampaign(tx, values.campaignId);
  const [written] = await tx.landingPage
    .updateManyAndReturn({ where: { id: page.id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw slugRefusal(error);
    });
  if (!written) throw fail('not_found');
  const updated = asWholePage(written);
  const { content: _, ...changes } = audit as Record<string, { from: unknown; to: unknown }>;
  emit(landingPageUpdated, {
    data: { landingPageId: page.id, fields: Object.keys(values) },
    record: updated,
    changes,
  });
  return updated;
};
