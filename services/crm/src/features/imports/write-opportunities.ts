import type { Caller } from '@tandem/caller';
import { Opportunity } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import { changeOpportunity, type FieldChange } from '../opportunities/change-opportunity.ts';
import type { NewOpportunity } from '../opportunities/new-opportunity.ts';
import { lockOpportunity, type OpportunityRecord } from '../opportunities/opportunity.ts';
import { givenValues } from './given-values.ts';
import { lockRecords } from './lock-records.ts';
import { matchRows } from './match-rows.ts';
import { createOpportunities, type OpportunityContext } from './new-opportunities.ts';
import { failedBy, sides } from './outcomes.ts';
import type { Checked, Outcome } from './target.ts';

type OpportunityRow = Checked<NewOpportunity>;

/** Creates and updates the opportunities of a batch. */
export async function writeOpportunities(
  records: readonly OpportunityRow[],
  context: OpportunityContext,
): Promise<Outcome[]> {
  const { tx, dedupe } = context;
  // First, as a merge does, which locks its leads and then their records.
  await holdLeads(tx, records);
  return matchRows(records, {
    dedupe,
    keyOf,
    existing: dedupe.action === 'create' ? new Map() : await findExisting(tx, records),
    create: (creating) => createOpportunities(creating, context),
    lock: (ids) => lockRecords(tx, 'opportunity', ids),
    update: (id, record) => updateMatch(id, record, context),
  });
}

/** Holds the leads that rows name until the end of the transaction, so that none is deleted or merged meanwhile. */
async function holdLeads(tx: Tx, records: readonly OpportunityRow[]): Promise<void> {
  const ids = [...new Set(records.flatMap(({ body }) => body.leadId ?? []))];
  if (ids.length) await tx.sql`SELECT id FROM lead WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR KEY SHARE`;
}

/** A row is recognized by its name: among the deals of its lead, else of its account, else among all. */
function keyOf({ name, leadId, accountId }: Pick<NewOpportunity, 'name' | 'leadId' | 'accountId'>): string {
  if (leadId) return `lead ${leadId} ${name}`;
  return accountId ? `account ${accountId} ${name}` : `any ${name}`;
}

/** The oldest present opportunity of each key. */
async function findExisting(tx: Tx, records: readonly OpportunityRow[]): Promise<Map<string, number>> {
  const bodies = records.map(({ body }) => body);
  const names = [...new Set(bodies.map(({ name }) => name))];
  const leadIds = bodies.flatMap(({ leadId }) => leadId ?? []);
  const accountIds = bodies.flatMap(({ leadId, accountId }) => (leadId ? [] : (accountId ?? [])));
  const alone = bodies.flatMap(({ name, leadId, accountId }) => (leadId || accountId ? [] : [name]));
  const found = await tx.sql<{ id: number; name: string; leadId: number | null; accountId: number | null }>`
    SELECT id, name, lead_id AS "leadId", account_id AS "accountId" FROM opportunity
    WHERE name = ANY(${names}::text[]) AND deleted_at IS NULL
      AND (lead_id = ANY(${leadIds}::bigint[]) OR account_id = ANY(${accountIds}::bigint[])
        OR name = ANY(${alone}::text[]))
    ORDER BY id DESC`;
  return new Map(
    found.flatMap(({ id, name, leadId, accountId }) => [
      [keyOf({ name, leadId }), id] as const,
      [keyOf({ name, accountId }), id] as const,
      [keyOf({ name }), id] as const,
    ]),
  );
}

/** Changes an existing opportunity as updateOpportunity does; a refused change fails the row only. */
async function updateMatch(
  id: number,
  record: OpportunityRow,
  { tx, emit, actor, references: { users, roleId } }: OpportunityContext,
): Promise<Outcome> {
  const { row, body, given } = record;
  try {
    const opportunity = await lockOpportunity(tx, id);
    const move = given.has('stage') ? { stageId: body.stageId } : undefined;
    const owner = users.get(body.ownerId ?? 0)?.assignee;
    const updated = await changeOpportunity(
      { tx, emit, caller: actor as Caller },
      { opportunity, fields: changeOf(record, opportunity), move, owner, roleId },
    );
    if (updated.version === opportunity.version) return { row, action: 'skipped' };
    return { row, action: 'updated', id, ...sides(Opportunity, opportunity, updated) };
  } catch (error) {
    return failedBy(error, row);
  }
}

// The row is recognized by its name and lead, and its stage is a move.
const pathsOf = { name: [], lead: [], stage: [], pipeline: [], account: ['accountId'], value: ['value', 'currency'] };

/** The change that the row itself makes. Custom fields that it lacks are kept. */
function changeOf(record: OpportunityRow, opportunity: OpportunityRecord): FieldChange {
  const change: FieldChange = givenValues(record, pathsOf);
  if (!change.customFields) return change;
  return { ...change, customFields: { ...opportunity.customFields, ...change.customFields } };
}
