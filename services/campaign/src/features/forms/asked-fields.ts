import { unknownNames } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import type { LeadRecord } from '../engine/facts.ts';
import { customKeyOf, type FieldRecord, type FormRecord } from './form.ts';

// Only the latest submissions of a lead are read; more of them hardly ever have further fields.
const submissionsMax = 100;

/** The lead of a visitor, and the keys of the fields that it has answered in this form. */
export interface Known {
  lead: LeadRecord;
  answered: ReadonlySet<string>;
}

/** Whether what is known about visitors decides which fields they see. */
export function hasAskRules(fields: readonly FieldRecord[]): boolean {
  return fields.some(({ ask }) => ask === 'when_unknown');
}

/** The fields of a form that a visitor is asked. Nothing is known about most visitors. */
export function askedFields(
  { fields, askAtMost }: Pick<FormRecord, 'fields' | 'askAtMost'>,
  known: Known | undefined,
): FieldRecord[] {
  const open = fields.filter((field) => field.ask === 'when_unknown' && !isKnown(field, known));
  const asked = new Set(askAtMost === null ? open : open.slice(0, askAtMost));
  return fields.filter((field) => field.ask === 'always' || asked.has(field));
}

/** The keys of the fields of a form that a lead has answered. Spam has no lead. */
export async function readAnswered(tx: Tx, formId: number, leadId: number): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ key: string }>`
    SELECT DISTINCT key FROM (
      SELECT fields FROM form_submission WHERE form_id = ${formId} AND lead_id = ${leadId} AND status = 'processed'
      ORDER BY created_at DESC, id DESC LIMIT ${submissionsMax}::int) AS latest,
      jsonb_object_keys(latest.fields) AS key`;
  return new Set(rows.map(({ key }) => key));
}

function isKnown({ key, mapsTo }: FieldRecord, known: Known | undefined): boolean {
  if (!known) return false;
  return mapsTo === null ? known.answered.has(key) : hasValue(known.lead, mapsTo);
}

function hasValue(lead: LeadRecord, mapsTo: string): boolean {
  const customKey = customKeyOf(mapsTo);
  if (customKey !== undefined)
    return Object.hasOwn(lead.customFields, customKey) && isValue(lead.customFields[customKey]);
  const unknown = unknownNames(lead);
  if (mapsTo === 'firstName') return lead.lastName !== unknown.lastName || lead.firstName !== unknown.firstName;
  if (mapsTo === 'lastName') return lead.lastName !== unknown.lastName;
  return isValue(lead[mapsTo as 'email' | 'phone']);
}

function isValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
