import { actingUserId, type Caller } from '@tandem/caller';
import { leadCreated, type leads } from '@tandem/crm-contract';
import { inTurns } from '@tandem/process';
import { defaultTeam, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { accountsOfEmails } from '../accounts/account-of-email.ts';
import type { Definition } from '../custom-fields/custom-field.ts';
import { type CustomWrite, claimValues, writeOf } from '../custom-fields/write-values.ts';
import { changeLead } from '../leads/change-lead.ts';
import { asLead, type LeadRecord, lockLead } from '../leads/lead.ts';
import { failedBy, sides } from './outcomes.ts';
import type { Batch, Checked, Dedupe, Outcome } from './target.ts';
import type { References } from './users.ts';

/** The body of createLead. */
export type Body = z.output<typeof leads.createLead.body>;
type LeadRow = Checked<Body>;
type Context = Batch & { dedupe: Dedupe; references: References; definitions: readonly Definition[] };

/** Creates and updates the leads of a batch. Of rows with the same key, the first creates the lead, and the others find it. */
export async function writeLeads(records: readonly LeadRow[], context: Context): Promise<Outcome[]> {
  const { tx, dedupe } = context;
  const keys = records.map(({ body }) => (dedupe.action === 'create' ? undefined : keyOf(body, dedupe)));
  const existing = await findExisting(tx, dedupe, keys);
  const firstOf = new Map<string, LeadRow>();
  const creating: LeadRow[] = [];
  const matching: { record: LeadRow; key: string }[] = [];
  for (const [index, record] of records.entries()) {
    const key = keys[index];
    if (key !== undefined && (existing.has(key) || firstOf.has(key))) matching.push({ record, key });
    else {
      creating.push(record);
      if (key !== undefined) firstOf.set(key, record);
    }
  }
  const outcomes = await createLeads(creating, context);
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.row, outcome]));
  for (const { record, key } of matching) {
    const first = outcomeOf.get(firstOf.get(key)?.row ?? 0);
    const leadId = existing.get(key) ?? (first?.action === 'created' ? first.id : undefined);
    if (dedupe.action === 'skip') outcomes.push({ row: record.row, action: 'skipped' });
    else if (leadId !== undefined) outcomes.push(await updateMatch(leadId, record, context));
    else {
      const message = 'The earlier row with this value could not be imported';
      outcomes.push({ row: record.row, action: 'failed', errors: [{ field: dedupe.by, message }] });
    }
  }
  return outcomes;
}

/** The value by which a row is recognized. */
function keyOf(body: Body, { by }: Dedupe): string | undefined {
  if (by === 'email') return body.email.toLowerCase();
  return (by === 'phone' ? body.phone : body.externalId) ?? undefined;
}

/** The oldest present lead of each key. */
async function findExisting(
  tx: Tx,
  { by }: Dedupe,
  keys: readonly (string | undefined)[],
): Promise<Map<string, number>> {
  const wanted = [...new Set(keys.filter((key) => key !== undefined))];
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

interface Prepared {
  record: LeadRow;
  custom: CustomWrite;
}

/** Creates leads with one statement, as createLead creates one. */
async function createLeads(records: readonly LeadRow[], context: Context): Promise<Outcome[]> {
  const { tx, emit, definitions } = context;
  const { prepared, outcomes } = await withCustomFields(tx, records, definitions);
  if (!prepared.length) return outcomes;
  const accountOf = await accountsOfEmails(
    tx,
    prepared.map(({ record }) => record.body.email),
  );
  const data = prepared.map((one) => ({
    ...columnsOf(one, context),
    accountId: accountOf(one.record.body.email),
  }));
  const rows = await tx.lead.createManyAndReturn({ data });
  // The rows were inserted in the order of the data, which gave them ascending ids.
  const created = rows.sort((one, other) => one.id - other.id).map(asLead);
  await inTurns(created, (lead) =>
    emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead }),
  );
  for (const [index, { record, custom }] of prepared.entries()) {
    const { id } = created[index] as LeadRecord;
    await claimValues(tx, custom, id);
    outcomes.push({ row: record.row, action: 'created', id });
  }
  return outcomes;
}

/** Checks the custom fields of new leads. A value that another lead or an earlier row has fails the row. */
async function withCustomFields(
  tx: Tx,
  records: readonly LeadRow[],
  definitions: readonly Definition[],
): Promise<{ prepared: Prepared[]; outcomes: Outcome[] }> {
  const outcomes: Outcome[] = [];
  const checked = records.flatMap((record) => {
    try {
      return [{ record, custom: writeOf(definitions, { after: record.body.customFields ?? {} }) }];
    } catch (error) {
      outcomes.push(failedBy(error, record.row));
      return [];
    }
  });
  const nameOf = ({ fieldId, value }: { fieldId: number; value: string }) => `${fieldId} ${value}`;
  const keys = checked.flatMap(({ custom }) => custom.keys);
  const where = { fieldId: { in: keys.map(({ fieldId }) => fieldId) }, value: { in: keys.map(({ value }) => value) } };
  const taken = new Set(keys.length ? (await tx.customFieldKey.findMany({ where })).map(nameOf) : []);
  const prepared = checked.filter(({ record, custom }) => {
    const double = custom.keys.find((key) => taken.has(nameOf(key)));
    for (const key of custom.keys) taken.add(nameOf(key));
    if (!double) return true;
    const { key, label } = definitions.find(({ id }) => id === double.fieldId) as Definition;
    const message = `Another record has this value; ${label} is unique`;
    outcomes.push({ row: record.row, action: 'failed', errors: [{ field: `customFields.${key}`, message }] });
    return false;
  });
  return { prepared, outcomes };
}

function columnsOf({ record: { body }, custom }: Prepared, { actor, references }: Context) {
  const assignee = references.get(body.assignedTo ?? 0)?.assignee;
  return {
    email: body.email,
    firstName: body.firstName,
    lastName: body.lastName,
    phone: body.phone ?? null,
    source: body.source ?? 'import',
    status: body.status ?? 'new',
    score: body.score ?? 0,
    assignedTo: body.assignedTo ?? null,
    teamId: defaultTeam(actor as Caller, assignee),
    customFields: toJsonColumn(body.customFields ?? {}),
    tags: body.tags ?? [],
    externalId: body.externalId ?? null,
    referralCode: body.referralCode ?? null,
    createdBy: actingUserId(actor as Caller) ?? null,
    ...custom.columns,
  };
}

/** Changes an existing lead as updateLead does; a refused change fails the row only. */
async function updateMatch(leadId: number, record: LeadRow, { tx, emit, references }: Context): Promise<Outcome> {
  const { row, body } = record;
  try {
    const lead = await lockLead(tx, leadId);
    const change = changeOf(record, lead);
    const assignee = references.get(body.assignedTo ?? 0)?.assignee;
    const updated = await changeLead({ tx, emit }, { lead, change, assignee });
    if (updated.version === lead.version) return { row, action: 'skipped' };
    return { row, action: 'updated', id: leadId, ...sides(lead, updated) };
  } catch (error) {
    return failedBy(error, row);
  }
}

/** The fields that the row itself has, not the defaults. Custom fields that it lacks are kept. */
function changeOf({ body, given }: LeadRow, lead: LeadRecord): Partial<LeadRecord> {
  const names = given.has('fullName') ? ['firstName', 'lastName'] : [];
  const fromRow = new Set([...[...given].map((field) => field.split('.')[0] as string), ...names]);
  const change: Partial<LeadRecord> = Object.fromEntries(
    Object.entries(body).filter(([field, value]) => fromRow.has(field) && value !== undefined),
  );
  if (change.customFields) change.customFields = { ...lead.customFields, ...change.customFields };
  return change;
}
