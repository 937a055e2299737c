import type { internalLeads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const findDismissedDuplicates: Handler<typeof internalLeads.findDismissedDuplicates> = async ({
  body,
  caller,
  tx,
}) => {
  if (caller.tenantId === undefined || !body.pairs.length) return [];
  const firsts = body.pairs.map(({ leadIds }) => Math.min(...leadIds));
  const seconds = body.pairs.map(({ leadIds }) => Math.max(...leadIds));
  return tx.sql`SELECT ARRAY[first_lead_id, second_lead_id] AS "leadIds", confidence, decided_by AS "decidedBy",
      decided_at AS "decidedAt"
    FROM unnest(${firsts}::bigint[], ${seconds}::bigint[]) AS asked (first, second)
    JOIN duplicate_pair ON first_lead_id = asked.first AND second_lead_id = asked.second AND status = 'dismissed'`;
};
