import { actingUserId, type Caller } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { leadCreated, leadDeleted, leads, leadUpdated } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { inTurns } from '@tandem/process';
import { ApiError, type Assignee, checkUser, defaultTeam, diff, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { asLead, type LeadRecord, lockLead, writeLead } from '../leads/lead.ts';
import { changeLead } from '../leads/update-lead.ts';
import type { Batch, Checked, Dedupe, ImportTarget, Outcome, Texts, Undone } from './target.ts';
import { customFieldsOf, listOf, putNumber, splitName } from './texts.ts';

type Body = z.output<typeof leads.createLead.body>;
type LeadCheck = Checked<Body>;
/** The users that rows name, and why others cannot be assigned. */
type References = Map<number, { assignee?: Assignee; message?: string }>;

const fields = {
  email: ['e-mail', 'mail', 'email address', 'e-mail-adresse', 'mailadresse', 'work email', 'business email'],
  firstName: ['first name', 'given name', 'forename', 'vorname', 'rufname'],
  lastName: ['last name', 'surname', 'family name', 'nachname', 'familienname', 'zuname'],
  fullName: ['name', 'full name', 'contact', 'contact name', 'vollständiger name', 'ansprechpartner', 'kontakt'],
  phone: [
    'telephone',
    'phone number',
    'mobile',
    'mobile phone',
    'cell',
    'telefon',
    'telefonnummer',
    'handy',
    'mobil',
    'tel',
    'rufnummer',
  ],
  source: ['lead source', 'quelle', 'herkunft', 'leadquelle'],
  status: ['lead status', 'state'],
  score: ['lead score', 'punkte', 'bewertung'],
  assignedTo: ['owner', 'owner id', 'assigned to', 'assignee', 'zuständig', 'besitzer', 'bearbeiter'],
  tags: ['tag', 'labels', 'label', 'schlagworte', 'schlagwörter', 'stichworte'],
  externalId: ['external id', 'id', 'lead id', 'customer number', 'kundennummer', 'externe id', 'crm id', 'nummer'],
  referralCode: ['referral code', 'referral', 'empfehlungscode'],
  customFields: [],
} as const;

/** How leads are imported, by the rules of createLead. */
export const leadTarget = (peers: Peers, ids: IdCodec): ImportTarget<Body, References> => ({
  type: 'lead',
  row: leads.createLead,
  fields,
  dedupe: { by: ['email', 'externalId', 'phone'], usual: { by: 'email', action: 'skip' } },
  toBody: (texts, { tenantId, errors }) => toBody(texts, { ids, tenantId, errors }),
  async findReferences(records, caller) {
    const found: References = new Map();
    for (const { body } of records) {
      const { assignedTo } = body;
      if (typeof assignedTo === 'number' && !found.has(assignedTo))
        found.set(assignedTo, await findAssignee(peers, assignedTo, caller));
    }
    return found;
  },
  referenceErrors({ assignedTo }, references) {
    const message = typeof assignedTo === 'number' ? references.get(assignedTo)?.message : undefined;
    return message ? [{ field: 'assignedTo', message }] : [];
  },
  write: writeLeads,
  undo: undoLeads,
});

function toBody(
  texts: Texts,
  { ids, tenantId, errors }: { ids: IdCodec; tenantId: number; errors: FieldError[] },
): Record<string, unknown> {
  const { fullName, score, tags, assignedTo, source, status, ...others } = texts;
  const plain = Object.entries(others).filter(([field]) => !field.startsWith('customFields.'));
  const body: Record<string, unknown> = { ...(fullName && splitName(fullName)), ...Object.fromEntries(plain) };
  putNumber(body, texts, 'score', errors);
  if (tags) body['tags'] = listOf(tags);
  if (source) body['source'] = source.toLowerCase();
  if (status) body['status'] = status.toLowerCase();
  const customFields = customFieldsOf(texts);
  if (customFields) body['customFields'] = customFields;
  if (assignedTo) {
    const user = ids.decode('user', tenantId, assignedTo);
    if (user === undefined) errors.push({ field: 'assignedTo', message: unknownId('user') });
    else body['assignedTo'] = String(user);
  }
  return body;
}

async function findAssignee(peers: Peers, userId: number, caller: Caller) {
  try {
    const assignee = await checkUser(peers, 'assignedTo', userId, caller);
    return assignee ? { assignee } : {};
  } catch (error) {
    if (error instanceof ApiError && error.errors[0]) return { message: error.errors[0].message };
    throw error;
  }
}

/** The value by which a row is recognized. */
function keyOf(body: Body, { by }: Dedupe): string | undefined {
  if (by === 'email') return body.email.toLowerCase();
  return (by === 'phone' ? body.phone : body.externalId) ?? undefined;
}

async function writeLeads(
  records: readonly LeadCheck[],
  batch: Batch & { dedupe: Dedupe; references: References },
): Promise<Outcome[]> {
  const { tx, dedupe } = batch;
  const keys = records.map(({ body }) => (dedupe.action === 'create' ? undefined : keyOf(body, dedupe)));
  const existing = await findExisting(tx, dedupe, keys);
  // Of rows with the same key, the first creates the lead, and the others find it.
  const firstOf = new Map<string, LeadCheck>();
  const creating: LeadCheck[] = [];
  const matching: { record: LeadCheck; key: string }[] = [];
  for (const [index, record] of records.entries()) {
    const key = keys[index];
    if (key !== undefined && (existing.has(key) || firstOf.has(key))) matching.push({ record, key });
    else {
      creating.push(record);
      if (key !== undefined) firstOf.set(key, record);
    }
  }
  const created = await createLeads(creating, batch);
  const idOf = new Map(creating.map((record, index) => [record, created[index]?.id as number]));
  const outcomes: Outcome[] = creating.map((record) => ({
    row: record.row,
    action: 'created',
    id: idOf.get(record) as number,
  }));
  for (const { record, key } of matching) {
    if (dedupe.action === 'skip') outcomes.push({ row: record.row, action: 'skipped' });
    else {
      const leadId = existing.get(key) ?? (idOf.get(firstOf.get(key) as LeadCheck) as number);
      outcomes.push(await updateMatch(leadId, record, batch));
    }
  }
  return outcomes;
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

/** Creates leads with one statement, as createLead creates one. */
async function createLeads(
  records: readonly LeadCheck[],
  { tx, emit, actor, references }: Batch & { references: References },
): Promise<LeadRecord[]> {
  if (!records.length) return [];
  const createdBy = actingUserId(actor as Caller) ?? null;
  const data = records.map(({ body }) => {
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
      createdBy,
    };
  });
  const rows = await tx.lead.createManyAndReturn({ data });
  // The rows were inserted in the order of the data, which gave them ascending ids.
  const created = rows.sort((one, other) => one.id - other.id).map(asLead);
  await inTurns(created, (lead) =>
    emit(leadCreated, { data: { leadId: lead.id, email: lead.email, source: lead.source }, record: lead }),
  );
  return created;
}

/** Changes an existing lead as updateLead does; a refused change fails the row only. */
async function updateMatch(
  leadId: number,
  { row, body, given }: LeadCheck,
  { tx, emit, references }: Batch & { references: References },
): Promise<Outcome> {
  try {
    const lead = await lockLead(tx, leadId);
    const names = given.has('fullName') ? ['firstName', 'lastName'] : [];
    const fromRow = new Set([...[...given].map((field) => field.split('.')[0] as string), ...names]);
    const change = Object.fromEntries(
      Object.entries(body).filter(([field, value]) => fromRow.has(field) && value !== undefined),
    ) as Partial<LeadRecord>;
    if (change.customFields) change.customFields = { ...lead.customFields, ...change.customFields };
    const assignee = references.get(body.assignedTo ?? 0)?.assignee;
    const updated = await changeLead({ tx, emit }, { lead, change, assignee });
    if (updated.version === lead.version) return { row, action: 'skipped' };
    const { audit } = diff(lead, pick(updated, [...Object.keys(change), 'teamId']));
    const side = (name: 'from' | 'to') =>
      Object.fromEntries(Object.entries(audit).map(([field, values]) => [field, values[name]]));
    return { row, action: 'updated', id: leadId, before: side('from'), after: side('to') };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const errors = error.errors.length ? error.errors : [{ field: '', message: error.message }];
    return { row, action: 'failed', errors };
  }
}

function pick(record: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, (record as Record<string, unknown>)[name]]));
}

async function undoLeads(outcomes: readonly Outcome[], { tx, emit }: Batch): Promise<Undone> {
  const createdIds = outcomes.filter(({ action }) => action === 'created').map((one) => (one as { id: number }).id);
  // A converted lead is kept, because its opportunity refers to it.
  const rows = createdIds.length
    ? await tx.lead.updateManyAndReturn({
        where: { id: { in: createdIds }, deletedAt: null, convertedAt: null },
        data: { deletedAt: new Date(), version: { increment: 1 } },
      })
    : [];
  await inTurns(rows, (row) => emit(leadDeleted, { data: { leadId: row.id }, record: asLead(row) }));
  let restored = 0;
  const updates = outcomes.filter((one) => one.action === 'updated').toReversed();
  for (const { id, before, after } of updates) if (await restore(id, { before, after }, { tx, emit })) restored += 1;
  return { deleted: rows.length, restored, kept: createdIds.length - rows.length + updates.length - restored };
}

/** Restores the fields of a lead, unless one of them was changed since. */
async function restore(
  leadId: number,
  { before, after }: { before: Record<string, unknown>; after: Record<string, unknown> },
  { tx, emit }: Pick<Batch, 'tx' | 'emit'>,
): Promise<boolean> {
  const row = await tx.lead.lockFirst({ where: { id: leadId } });
  if (!row || row.deletedAt || row.convertedAt) return false;
  const lead = asLead(row);
  if (!diff(lead, after).isEmpty) return false;
  const { values, audit, isEmpty } = diff(lead, before as Partial<LeadRecord>);
  if (isEmpty) return true;
  const { customFields, ...others } = values;
  const updated = await writeLead(tx, leadId, {
    ...others,
    ...(customFields && { customFields: toJsonColumn(customFields) }),
  });
  emit(leadUpdated, { data: { leadId, changes: values }, record: updated, changes: audit });
  return true;
}
