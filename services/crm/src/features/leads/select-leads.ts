import type { LeadCondition } from '@tandem/contract';
import { Consent, type internalLeads, meets } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { conditionSql, joined, part, type SqlPart } from './condition-sql.ts';
import { asLead } from './lead.ts';

/** Leads that a call examines, so that a condition that few leads meet does not read all leads of a large tenant at once. */
const examinedMax = 20_000;

interface Selected {
  id: number;
  email: string;
  phone: string | null;
  consent: unknown;
  /** Null if PostgreSQL cannot decide. */
  met: boolean | null;
}

export const selectLeads: Handler<typeof internalLeads.selectLeads> = async ({ body, caller, tx }) => {
  const { conditions, ids, after, limit } = body;
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined || ids?.length === 0) return { leads: [], next: null };
  const last = ids ? null : await lastExamined(tx, after ?? 0);
  const { texts, values } = part`
    SELECT id, email, phone, consent, met FROM (
      SELECT id, email, phone, consent, ${allOf(conditions.map(conditionSql))} AS met FROM lead
      WHERE deleted_at IS NULL AND id > ${after ?? 0}::bigint AND id <= ${last ?? Number.MAX_SAFE_INTEGER}::bigint
        AND ${ids ? part`id = ANY(${ids}::bigint[])` : part`true`} AND ${ownedBy(caller.narrow)}
      ORDER BY id OFFSET 0) AS examined
    WHERE met IS NOT FALSE ORDER BY id LIMIT ${limit}`;
  const found = await tx.sql<Selected>(Object.assign(texts, { raw: texts }), ...values);
  const met = await decided(tx, found, conditions);
  return {
    leads: met.map(({ id, email, phone, consent }) => ({ id, email, phone, consent: Consent.parse(consent) })),
    next: found.length === limit ? (found.at(-1)?.id ?? null) : last,
  };
};

/** The last lead that this call examines; null if it examines the last one of the tenant. */
async function lastExamined(tx: Tx, after: number): Promise<number | null> {
  const [last] = await tx.sql<{ id: number }>`
    SELECT id FROM lead WHERE id > ${after}::bigint ORDER BY id OFFSET ${examinedMax - 1} LIMIT 1`;
  return last?.id ?? null;
}

function allOf(conditions: readonly SqlPart[]): SqlPart {
  return conditions.length ? part`(${joined(conditions, ' AND ')})` : part`true`;
}

/** The records of a narrowed caller, which the guard adds to queries of models but not to SQL. */
function ownedBy(narrow: { userId: number; teamIds?: readonly number[] } | undefined): SqlPart {
  if (!narrow) return part`true`;
  const { userId, teamIds = [] } = narrow;
  return part`(assigned_to = ${userId}::bigint OR created_by = ${userId}::bigint OR team_id = ANY(${teamIds}::bigint[]))`;
}

/** The leads that meet the conditions, including those for which PostgreSQL cannot decide. */
async function decided(
  tx: Tx,
  found: readonly Selected[],
  conditions: readonly z.output<typeof LeadCondition>[],
): Promise<Selected[]> {
  const open = found.filter(({ met }) => met === null).map(({ id }) => id);
  if (!open.length) return [...found];
  const rows = await tx.lead.findMany({ where: { id: { in: open } } });
  const met = new Set(
    rows
      .map(asLead)
      .filter((lead) => conditions.every((one) => meets(lead, one)))
      .map(({ id }) => id),
  );
  return found.filter((lead) => lead.met || met.has(lead.id));
}
