import {
  type Partner,
  partnerApproved,
  partnerDeleted,
  partnerParentChanged,
  partnerReactivated,
  partnerReapplied,
  partnerRegistered,
  partnerRejected,
  partnerSuspended,
  partnerTerminated,
  partnerTierChanged,
  partnerUpdated,
} from '@tandem/partner-contract';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import { type FactKind, nothingCounted } from './fact.ts';

export interface PartnerFact {
  status: string | null;
  createdAt: Date | null;
}

export const partnerFacts: FactKind<PartnerFact> = {
  type: 'partner',
  table: fragment`partner_fact`,
  assign: fragment`status = given.status, created_at = given.created_at`,
  events: [
    ...[partnerRegistered, partnerApproved, partnerUpdated, partnerTierChanged, partnerParentChanged, partnerRejected],
    ...[partnerReapplied, partnerSuspended, partnerReactivated, partnerTerminated, partnerDeleted],
  ],
  deleted: partnerDeleted,
  read: ({ status, createdAt }: z.output<typeof Partner>) => ({ status, createdAt }),
  counts: ({ status }) => [{ name: 'partners.status', value: status ?? '', count: 1 }],
  counted: {
    dated: nothingCounted,
    present: fragment`SELECT 'partners.status' AS name, NULL::timestamptz AS at, coalesce(status, '') AS value, 0::numeric AS amount,
        NULL::bigint AS lead_id, NULL::bigint AS user_id, NULL::bigint AS team_id
      FROM partner_fact WHERE NOT is_deleted AND version >= 0`,
  },
  find: (tx, ids) => tx.partnerFact.findMany({ where: { id: { in: ids } } }),
};
