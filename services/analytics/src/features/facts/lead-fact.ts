import {
  type Lead,
  leadAssigned,
  leadConverted,
  leadCreated,
  leadDeleted,
  leadRestored,
  leadScoreThresholdCrossed,
  leadStatusChanged,
  leadUnconverted,
  leadUpdated,
} from '@tandem/crm-contract';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Count } from '../counting/index.ts';
import type { FactKind } from './fact.ts';
import { noSource } from './no-source.ts';

export interface LeadFact {
  status: string | null;
  source: string | null;
  score: number | null;
  userId: number | null;
  teamId: number | null;
  partnerId: number | null;
  accountId: number | null;
  hasPhone: boolean | null;
  createdAt: Date | null;
  convertedAt: Date | null;
}

export const leadFacts: FactKind<LeadFact> = {
  type: 'lead',
  table: fragment`lead_fact`,
  assign: fragment`status = given.status, source = given.source, score = given.score, user_id = given.user_id,
    team_id = given.team_id, partner_id = given.partner_id, account_id = given.account_id,
    has_phone = given.has_phone, created_at = given.created_at, converted_at = given.converted_at`,
  events: [
    ...[leadCreated, leadUpdated, leadStatusChanged, leadAssigned, leadScoreThresholdCrossed],
    ...[leadConverted, leadUnconverted, leadDeleted, leadRestored],
  ],
  deleted: leadDeleted,
  read({ status, source, score, assignedTo, teamId, partnerId, accountId, phone, createdAt, convertedAt }: Record) {
    return {
      ...{ status, source, score, teamId, createdAt },
      userId: assignedTo,
      partnerId: partnerId ?? null,
      accountId: accountId ?? null,
      hasPhone: phone !== null,
      convertedAt: convertedAt ?? null,
    };
  },
  counts({ status, source, userId, teamId, createdAt, convertedAt }, { dayOf }) {
    const one = { userId, teamId, count: 1 };
    const from = source ?? noSource;
    const counts: Count[] = [
      { ...one, name: 'leads.status', value: status ?? '' },
      { ...one, name: 'leads.source', value: from },
    ];
    if (!createdAt) return counts;
    const created = { ...one, day: dayOf(createdAt), value: from };
    counts.push({ ...created, name: 'leads.new' });
    if (convertedAt)
      counts.push(
        { ...created, name: 'leads.converted' },
        { ...one, name: 'leads.conversions', day: dayOf(convertedAt) },
      );
    return counts;
  },
  counted: {
    dated: fragment`SELECT 'leads.new' AS name, created_at AS at, coalesce(source, 'none') AS value, 0::numeric AS amount, id AS lead_id,
        user_id, team_id FROM lead_fact WHERE NOT is_deleted AND version >= 0
      UNION ALL SELECT 'leads.converted', created_at, coalesce(source, 'none'), 0, id, user_id, team_id FROM lead_fact
        WHERE NOT is_deleted AND version >= 0 AND converted_at IS NOT NULL
      UNION ALL SELECT 'leads.conversions', converted_at, '', 0, id, user_id, team_id FROM lead_fact
        WHERE NOT is_deleted AND version >= 0 AND created_at IS NOT NULL`,
    present: fragment`SELECT 'leads.status' AS name, NULL::timestamptz AS at, coalesce(status, '') AS value, 0::numeric AS amount,
        id AS lead_id, user_id, team_id FROM lead_fact WHERE NOT is_deleted AND version >= 0
      UNION ALL SELECT 'leads.source', NULL, coalesce(source, 'none'), 0, id, user_id, team_id FROM lead_fact
        WHERE NOT is_deleted AND version >= 0`,
  },
  find: (tx, ids) => tx.leadFact.findMany({ where: { id: { in: ids } } }),
};

type Record = z.output<typeof Lead>;
