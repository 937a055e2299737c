import type { internalLeads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const findDismissedDuplicates: Handler<typeof internalLeads.findDismissedDuplicates> = async ({
  body: { leadIds },
  caller,
  tx,
}) => {
  if (caller.tenantId === undefined || !leadIds.length) return [];
  const [leads, pairs] = await Promise.all([
    tx.lead.findMany({ where: { id: { in: leadIds }, deletedAt: null }, select: { id: true } }),
    tx.duplicatePair.findMany({
      where: { firstLeadId: { in: leadIds }, secondLeadId: { in: leadIds }, status: 'dismissed' },
    }),
  ]);
  const byFirst = Map.groupBy(pairs, ({ firstLeadId }) => firstLeadId);
  return leads.map(({ id: leadId }) => ({
    leadId,
    dismissed: (byFirst.get(leadId) ?? []).map(({ secondLeadId: otherId, confidence, decidedBy, decidedAt }) => ({
      otherId,
      confidence,
      decidedBy,
      decidedAt,
    })),
  }));
};
