import {
  type Commission,
  commissionApproved,
  commissionCancelled,
  commissionEarned,
  commissionHeld,
  commissionPaid,
  commissionReleased,
} from '@tandem/partner-contract';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import { type FactKind, nothingCounted } from './fact.ts';

export interface CommissionFact {
  status: string | null;
  amount: number | null;
  currency: string | null;
  partnerId: number | null;
  createdAt: Date | null;
}

export const commissionFacts: FactKind<CommissionFact> = {
  type: 'commission',
  table: fragment`commission_fact`,
  assign: fragment`status = given.status, amount = given.amount, currency = given.currency,
    partner_id = given.partner_id, created_at = given.created_at`,
  events: [
    ...[commissionEarned, commissionApproved, commissionHeld, commissionReleased, commissionCancelled, commissionPaid],
  ],
  read: ({ status, amount, currency, partnerId, createdAt }: z.output<typeof Commission>) => {
    return { status, amount, currency, partnerId, createdAt };
  },
  // A clawback is a commission of its own with a negative amount.
  counts({ status, amount, currency, createdAt }, { dayOf }) {
    if (status === 'cancelled' || !createdAt) return [];
    const value = currency ?? '';
    return [{ name: 'commissions.earned', day: dayOf(createdAt), value, count: 1, amount: amount ?? 0 }];
  },
  counted: {
    dated: fragment`SELECT 'commissions.earned' AS name, created_at AS at, coalesce(currency, '') AS value, coalesce(amount, 0) AS amount,
        NULL::bigint AS lead_id, NULL::bigint AS user_id, NULL::bigint AS team_id
      FROM commission_fact WHERE NOT is_deleted AND version >= 0 AND status IS DISTINCT FROM 'cancelled'`,
    present: nothingCounted,
  },
  async find(tx, ids) {
    const rows = await tx.commissionFact.findMany({ where: { id: { in: ids } } });
    return rows.map((row) => ({ ...row, amount: row.amount === null ? null : Number(row.amount) }));
  },
};
