import { type audiences, campaignUpdated } from '@tandem/campaign-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { asCampaign, findCampaignRow, lockCampaign } from '../campaigns/campaign.ts';
import { checkLeads, placed } from '../segments/check-leads.ts';
import { checkConditions } from '../segments/segment.ts';
import { holdSegments, type Part, writeParts } from './audience.ts';

type Body = z.output<typeof audiences.setAudience.body>;
type Parts = Record<'include' | 'exclude', Part[]>;

export const setAudience = (tools: Pick<Tools, 'crm'>): Handler<typeof audiences.setAudience, Parts> => ({
  async check({ body, caller, params, tx }) {
    await findCampaignRow(tx, params.id);
    const parts = { include: checkParts(body, 'include'), exclude: checkParts(body, 'exclude') };
    const named = Object.entries(parts).flatMap(([side, list]) =>
      list.flatMap(({ leadIds }, index) => placed(`${side}.${index}.leadIds`, leadIds)),
    );
    if (named.length) await checkLeads(tools, caller, named);
    return parts;
  },
  async run({ params, found: parts, tx, emit, ifMatch }) {
    const row = await lockCampaign(tx, params.id);
    ifMatch(row);
    await holdSegments(tx, parts);
    if (row.status === 'active') throw fail('campaign_active');
    if (row.status === 'completed') throw fail('campaign_completed');
    await writeParts(tx, row.id, parts);
    const [written] = await tx.campaign.updateManyAndReturn({
      where: { id: row.id },
      data: { version: { increment: 1 } },
    });
    if (!written) throw fail('not_found');
    emit(campaignUpdated, { data: { campaignId: row.id, fields: ['audience'] }, record: asCampaign(written) });
    return { campaignId: row.id, ...parts, version: written.version };
  },
});

function checkParts(body: Body, side: keyof Parts): Part[] {
  return body[side].map(({ segmentId, leadIds, conditions }, index): Part => {
    const place = `${side}.${index}`;
    if ([segmentId, leadIds, conditions].filter((one) => one !== undefined).length !== 1)
      throw failField(place, 'Must have exactly one of segmentId, leadIds and conditions');
    if (segmentId !== undefined) return { segmentId };
    if (conditions) return { conditions: checkConditions(conditions, `${place}.conditions`) };
    return { leadIds: [...new Set(leadIds)] };
  });
}
