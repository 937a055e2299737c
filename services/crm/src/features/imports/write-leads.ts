import { actingUserId } from '@tandem/caller';
import { Lead } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import type { Definition } from '../custom-fields/custom-field.ts';
import { changeLead } from '../leads/change-lead.ts';
import { lockExternalIds } from '../leads/external-id.ts';
import { type LeadRecord, lockLead } from '../leads/lead.ts';
import type { NewLead as Body } from '../leads/new-lead.ts';
import { givenValues } from './given-values.ts';
import { lockRecords } from './lock-records.ts';
import { matchRows } from './match-rows.ts';
import { createLeads } from './new-leads.ts';
import { missingErrors } from './new-rows.ts';
import { failedBy, sides } from './outcomes.ts';
import type { Batch, Checked, Dedupe, Outcome } from './target.ts';
import type { References } from './users.ts';

type LeadRow = Checked<Body>;
type Context = Batch & { dedupe: Dedupe; references: References; definitions: readonly Definition[] };

const required = ['email', 'firstName', 'lastName'];

/** The leads that rows update. */
export const existingLeads = { required, keyOf, find };

/** Creates and updates the leads of a batch. */
export async function writeLeads(records: readonly LeadRow[], context: Context): Promise<Outcome[]> {
  const { tx, dedupe } = context;
  await lockExternalIds(
    tx,
    records.map(({ body }) => body.externalId),
  );
  const keys = dedupe.action === 'create' ? [] : records.flatMap(({ body }) => keyOf(body, dedupe) ?? []);
  return matchRows(records, {
    dedupe,
    keyOf: (body) => keyOf(body, dedupe),
    existing: await find(tx, dedupe, keys),
    missing: (body, key) => missingErrors(body, { required, type: 'lead', key }),
    create: (creating) => createLeads(creating, context),
    lock: (ids) => lockRecords(tx, 'lead', ids),
    update: (leadId, record) => updateMatch(leadId, record, context),
  });
}

/** The value by which a row is recognized. */
function keyOf(body: Body, { by }: Dedupe): string | undefined {
  if (by === 'email') return body.email.toLowerCase();
  return (by === 'phone' ? body.phone : body.externalId) ?? undefined;
}

/** The oldest present lead of each key. */
async function find(tx: Tx, { by }: Dedupe, keys: readonly string[]): Promise<Map<string, number>> {
  const wanted = [...new Set(keys)];
  if (!wanted.length) return new Map();
  const found =
    by === 'email'
      ? await tx.sql<{ id: number; key: string }>`SELECT id, email_key AS key FROM lead
          WHERE email_key = ANY(${wanted}::text[]) AND deleted_at IS NULL ORDER BY id DESC`
      : by === 'phone'
        ? await tx.sql<{ id: number; key: string }>`SELECT id, phone AS key FROM lead
            WHERE phone = ANY(${wanted}::text[]) AND deleted_at IS NULL ORDER BY id DESC`
        : await tx.sql<{ id: number; key: string }>`SELECT id, external_id AS key FROM lead
            WHERE external_id = ANY(${wanted}::text[]) AND deleted_at IS NULL ORDER BY id DESC`;
  return new Map(found.map(({ id, key }) => [key, id]));
}

/** Changes an existing lead as updateLead does; a refused change fails the row only. */
async function updateMatch(
  leadId: number,
  record: LeadRow,
  { tx, emit, actor, references }: Context,
): Promise<Outcome> {
  const { row, body } = record;
  try {
    const lead = await lockLead(tx, leadId);
    const change = changeOf(record, lead);
    const assignee = references.get(body.assignedTo ?? 0)?.assignee;
    const updated = await changeLead({ tx, emit }, { lead, change, assignee, byUserId: actingUserId(actor) });
    if (updated.version === lead.version) return { row, action: 'skipped' };
    return { row, action: 'updated', id: leadId, ...sides(Lead, lead, updated) };
  } catch (error) {
    return failedBy(error, row);
  }
}

const pathsOf = { fullName: ['firstName', 'lastName'] };

/** The change that the row itself makes. Custom fields that it lacks are kept; changeLead keeps other consents. */
function changeOf(record: LeadRow, lead: LeadRecord): Partial<Body> {
  const change = givenValues(record, pathsOf);
  if (!change.customFields) return change;
  return { ...change, customFields: { ...lead.customFields, ...change.customFields } };
}
