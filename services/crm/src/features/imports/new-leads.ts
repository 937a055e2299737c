import type { Caller } from '@tandem/caller';
import { idInText } from '@tandem/contract';
import { leadCreated } from '@tandem/crm-contract';
import { inTurns } from '@tandem/process';
import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { accountsOfEmails } from '../accounts/account-of-email.ts';
import type { Definition } from '../custom-fields/custom-field.ts';
import { type CustomWrite, claimValues, writeOf } from '../custom-fields/write-values.ts';
import { asLead, type LeadRecord } from '../leads/lead.ts';
import { type CodedStatus, firstStatus } from '../leads/lead-status.ts';
import { type NewLead, newLeadColumns } from '../leads/new-lead.ts';
import { passing } from './outcomes.ts';
import type { Batch, Checked, Outcome } from './target.ts';
import { uniqueValues } from './unique-values.ts';
import type { References } from './users.ts';

type LeadRow = Checked<NewLead>;

interface Context extends Batch {
  references: References;
  definitions: readonly Definition[];
}

/** A row that can become a lead. */
interface Prepared {
  record: LeadRow;
  status: CodedStatus;
  custom: CustomWrite;
}

/** Creates leads with one statement, each as createLead does, with its event. A row that a rule refuses fails alone. */
export async function createLeads(records: readonly LeadRow[], context: Context): Promise<Outcome[]> {
  const { tx, emit, actor, references } = context;
  const { prepared, outcomes } = await prepare(records, context);
  if (!prepared.length) return outcomes;
  const emails = prepared.map(({ record }) => record.body.email);
  const accountOf = await accountsOfEmails(tx, emails);
  const data = prepared.map(({ record: { body }, status, custom }) => ({
    ...newLeadColumns(body, {
      caller: actor as Caller,
      assignee: references.get(body.assignedTo ?? 0)?.assignee,
      status,
      custom,
      accountId: accountOf(body.email),
    }),
    source: body.source ?? 'import',
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

/** Checks what depends on other records: status codes, external ids, and unique custom fields. */
async function prepare(
  records: readonly LeadRow[],
  { tx, definitions }: Context,
): Promise<{ prepared: Prepared[]; outcomes: Outcome[] }> {
  const outcomes: Outcome[] = [];
  const statusOf = statusReader(tx);
  const described = await passing(records, outcomes, async (record) => ({
    row: record.row,
    record,
    status: await statusOf(record.body),
    custom: writeOf(definitions, { after: record.body.customFields ?? {} }),
  }));
  const externalIds = described.flatMap(({ record }) => record.body.externalId ?? []);
  const holders = await holdersOf(tx, externalIds);
  const writes = described.map(({ custom }) => custom);
  const unique = await uniqueValues(tx, writes, definitions);
  const prepared = await passing(described, outcomes, async (one) => {
    const { externalId } = one.record.body;
    const holder = holders.get(externalId ?? '');
    if (holder) throw failField('externalId', `Must be unique; ${holder}`);
    unique.check(one.custom);
    unique.take(one.custom);
    if (typeof externalId === 'string') holders.set(externalId, 'an earlier row has it');
    return one;
  });
  return { prepared, outcomes };
}

/** The status of new leads; of those that name the same one, the status is read once. */
function statusReader(tx: Tx) {
  const known = new Map<string, Promise<CodedStatus>>();
  return ({ status, statusCode }: NewLead): Promise<CodedStatus> => {
    const key = `${status} ${statusCode}`;
    const found = known.get(key) ?? firstStatus(tx, { status, statusCode });
    known.set(key, found);
    return found;
  };
}

/** Who has these external ids. */
async function holdersOf(tx: Tx, externalIds: readonly string[]): Promise<Map<string, string>> {
  if (!externalIds.length) return new Map();
  const found = await tx.sql<{ id: number; externalId: string }>`SELECT id, external_id AS "externalId" FROM lead
    WHERE external_id = ANY(${externalIds}::text[]) AND deleted_at IS NULL`;
  return new Map(found.map(({ id, externalId }) => [externalId, `the lead ${idInText('lead', id)} has it`]));
}
