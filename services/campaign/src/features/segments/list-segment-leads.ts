import type { segments } from '@tandem/campaign-contract';
import { asService, fail, reachOf } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { leadsOfSource, sourceOfSegment } from '../audiences/sources.ts';
import { asSegment } from './segment.ts';

export const listSegmentLeads =
  (tools: Pick<Tools, 'crm'>): Handler<typeof segments.listSegmentLeads> =>
  async ({ params, query, caller, tx }) => {
    const row = await tx.segment.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    const as = asService(caller, reachOf(caller, 'leads:read'));
    return leadsOfSource({ crm: tools.crm, tx, as }, sourceOfSegment(asSegment(row)), {
      after: query.after ?? null,
      limit: query.limit,
    });
  };
