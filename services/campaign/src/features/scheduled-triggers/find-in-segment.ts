import { followedMembersMax } from '@tandem/campaign-contract';
import { readLeadsMax } from '@tandem/crm-contract';
import { leadsOfSource, sourceOfSegment } from '../audiences/sources.ts';
import { asSegment } from '../segments/segment.ts';
import type { Find } from './search.ts';

/** Leads that a filter segment has now and did not have at the last run. Those of static segments start at once. */
export const findInSegment: Find = async ({ crm, ids }, tx, search) => {
  const { data, tenantId, entrance, after, seen, until, isFirst, as } = search;
  const segmentId = ids.decode('segment', tenantId, data.segmentId ?? '');
  const row = segmentId === undefined ? null : await tx.segment.findFirst({ where: { id: segmentId } });
  if (row?.type !== 'filter' || seen >= followedMembersMax) return { leads: [], seen, next: null };
  const source = sourceOfSegment(asSegment(row));
  const page = await leadsOfSource({ crm, tx, as }, source, { after, limit: readLeadsMax });
  const now = page.leads.map(({ id }) => id);
  const { id: workflowId } = entrance;
  const range = { gt: after ?? 0, ...(page.next !== null && { lte: page.next }) };
  const before = await tx.triggerMember.findMany({
    where: { workflowId, leadId: range },
    select: { leadId: true },
    take: followedMembersMax,
  });
  const known = new Set(before.map(({ leadId }) => leadId));
  const entered = now.filter((id) => !known.has(id));
  const present = new Set(now);
  const left = [...known].filter((id) => !present.has(id));
  const leads = entered.length && !isFirst ? await crm.readLeads({ body: { ids: entered }, as }) : [];
  return {
    leads: leads.map((lead) => ({ lead, event: `segment-${segmentId}-${until.getTime()}` })),
    seen: seen + now.length,
    next: page.next === null ? null : { part: 0, after: page.next },
    async remember(inside) {
      if (left.length) await inside.triggerMember.deleteMany({ where: { workflowId, leadId: { in: left } } });
      const data = entered.map((leadId) => ({ workflowId, leadId }));
      if (data.length) await inside.triggerMember.createMany({ data, skipDuplicates: true });
    },
  };
};
