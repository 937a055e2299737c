import {
  type Opportunity,
  opportunityCreated,
  opportunityDeleted,
  opportunityLost,
  opportunityReopened,
  opportunityRestored,
  opportunityStageChanged,
  opportunityUpdated,
  opportunityWon,
} from '@tandem/crm-contract';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Count } from '../counting/index.ts';
import type { FactKind } from './fact.ts';

export interface OpportunityFact {
  status: string | null;
  stage: string | null;
  pipelineId: number | null;
  value: number | null;
  currency: string | null;
  leadId: number | null;
  userId: number | null;
  teamId: number | null;
  createdAt: Date | null;
  closedAt: Date | null;
}

export const opportunityFacts: FactKind<OpportunityFact> = {
  type: 'opportunity',
  table: fragment`opportunity_fact`,
  assign: fragment`status = given.status, stage = given.stage, pipeline_id = given.pipeline_id, value = given.value,
    currency = given.currency, lead_id = given.lead_id, user_id = given.user_id, team_id = given.team_id,
    created_at = given.created_at, closed_at = given.closed_at`,
  events: [
    ...[opportunityCreated, opportunityUpdated, opportunityStageChanged, opportunityWon, opportunityLost],
    ...[opportunityReopened, opportunityDeleted, opportunityRestored],
  ],
  deleted: opportunityDeleted,
  read({ status, stage, pipelineId, value, currency, leadId, ownerId, teamId, createdAt, closedAt }: Record) {
    return { status, stage, pipelineId, value, currency, leadId, userId: ownerId, teamId, createdAt, closedAt };
  },
  counts({ status, value, currency, userId, teamId, createdAt, closedAt }, { dayOf }) {
    const one = { userId, teamId, count: 1 };
    const money = { ...one, value: currency ?? '', amount: value ?? 0 };
    const counts: Count[] = [{ ...one, name: 'opportunities.status', value: status ?? '' }];
    if (createdAt) counts.push({ ...one, name: 'opportunities.new', day: dayOf(createdAt) });
    if (status === 'open') counts.push({ ...money, name: 'opportunities.pipeline' });
    if (!closedAt) return counts;
    const day = dayOf(closedAt);
    if (status === 'won') {
      counts.push({ ...money, name: 'opportunities.won', day });
      const seconds = createdAt ? Math.max(0, closedAt.getTime() - createdAt.getTime()) / 1_000 : 0;
      counts.push({ ...one, name: 'opportunities.cycle', day, amount: seconds });
    }
    if (status === 'lost') counts.push({ ...money, name: 'opportunities.lost', day });
    return counts;
  },
  counted: {
    dated: fragment`SELECT 'opportunities.new' AS name, created_at AS at, '' AS value, 0::numeric AS amount, lead_id, user_id, team_id
        FROM opportunity_fact WHERE NOT is_deleted AND version >= 0
      UNION ALL SELECT 'opportunities.won', closed_at, coalesce(currency, ''), coalesce(value, 0), lead_id, user_id, team_id
        FROM opportunity_fact WHERE NOT is_deleted AND version >= 0 AND status = 'won'
      UNION ALL SELECT 'opportunities.lost', closed_at, coalesce(currency, ''), coalesce(value, 0), lead_id, user_id, team_id
        FROM opportunity_fact WHERE NOT is_deleted AND version >= 0 AND status = 'lost'
      UNION ALL SELECT 'opportunities.cycle', closed_at, '',
          greatest(0, coalesce(extract(epoch FROM closed_at - created_at), 0)), lead_id, user_id, team_id
        FROM opportunity_fact WHERE NOT is_deleted AND version >= 0 AND status = 'won'`,
    present: fragment`SELECT 'opportunities.status' AS name, NULL::timestamptz AS at, coalesce(status, '') AS value, 0::numeric AS amount,
        lead_id, user_id, team_id FROM opportunity_fact WHERE NOT is_deleted AND version >= 0
      UNION ALL SELECT 'opportunities.pipeline', NULL, coalesce(currency, ''), coalesce(value, 0), lead_id, user_id, team_id
        FROM opportunity_fact WHERE NOT is_deleted AND version >= 0 AND status = 'open'`,
  },
  async find(tx, ids) {
    const rows = await tx.opportunityFact.findMany({ where: { id: { in: ids } } });
    return rows.map((row) => ({ ...row, value: row.value === null ? null : Number(row.value) }));
  },
};

type Record = z.output<typeof Opportunity>;
