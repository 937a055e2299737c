import type { Caller } from '@tandem/caller';
import { Form, FormField, formStates, type formStatuses, formUpdated } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import { checkUser, diff, fail, failField, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Form as FormRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

export type FormTools = Pick<Tools, 'identity' | 'ids' | 'publicUrl'>;
export type FormRecord = z.output<typeof Form>;
export type FieldRecord = z.output<typeof FormField>;
type FormStatus = (typeof formStatuses)[number];

const columns = Form.pick({ status: true });
const storedFields = z.array(FormField);
const customPrefix = 'customFields.';

/** Converts a row to the contract's `Form`. */
export function asForm(row: FormRow, { ids, publicUrl }: Pick<FormTools, 'ids' | 'publicUrl'>): FormRecord {
  const { status } = columns.parse(row);
  const code = ids.encode('form', row.tenantId, row.id);
  return {
    ...row,
    status,
    fields: fieldsOf(row),
    allowedTransitions: formStates.next(status),
    submitUrl: `${publicUrl}/v1/public/forms/${code}/submissions`,
  };
}

/** The fields of a form. */
export function fieldsOf(row: Pick<FormRow, 'fields'>): FieldRecord[] {
  return storedFields.parse(row.fields).map(withRequiredAddress);
}

type NewField = Pick<FieldRecord, 'key' | 'type'> & { [Part in keyof FieldRecord]?: FieldRecord[Part] | undefined };

/** Fields as they are stored, with what the request left out. */
export function completeFields(fields: readonly NewField[]): FieldRecord[] {
  return fields
    .map(({ key, type, label = labelOf(key), required = false, options = [], mapsTo = null, ask = 'always' }) => ({
      key,
      label,
      type,
      required,
      options,
      mapsTo,
      ask,
    }))
    .map(withRequiredAddress);
}

/** Every submission needs the address, so visitors must not be told that it is optional. */
function withRequiredAddress(field: FieldRecord): FieldRecord {
  return emailField([field]) ? { ...field, required: true } : field;
}

/** `companySize` and `company_size` become `Company size`. */
function labelOf(key: string): string {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The field with the e-mail address of the lead; undefined if the form has none. */
export function emailField(fields: readonly FieldRecord[]): FieldRecord | undefined {
  return fields.find(({ type, mapsTo }) => type === 'email' && mapsTo === 'email');
}

/** The key of the custom field of a lead that a field maps to; undefined if it maps to another one. */
export function customKeyOf(mapsTo: string): string | undefined {
  return mapsTo.startsWith(customPrefix) ? mapsTo.slice(customPrefix.length) : undefined;
}

/** Fails if the form limits questions that it does not have. */
export function checkAskAtMost({ fields, askAtMost }: Pick<FormRecord, 'fields' | 'askAtMost'>): void {
  if (askAtMost !== null && !fields.some(({ ask }) => ask === 'when_unknown'))
    throw failField('askAtMost', 'Must be null, or a field must have ask when_unknown');
}

/** Fails unless the form can find or create leads. */
export function checkPublishable(fields: readonly FieldRecord[]): void {
  if (!emailField(fields))
    throw failField('fields', 'Must have a field of type email with mapsTo email, so that submissions become leads');
}

/** Fails with field errors unless the users are active. */
export async function checkNotified(
  tools: Pick<FormTools, 'identity'>,
  userIds: readonly number[] | undefined,
  caller: Caller,
): Promise<void> {
  await Promise.all((userIds ?? []).map((id, index) => checkUser(tools, `notifyUserIds.${index}`, id, caller)));
}

/** Locks the form, so that checks on it still hold when it is written. */
export async function lockForm(tx: Tx, id: number): Promise<FormRow> {
  const row = await tx.form.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** The transaction in which a form changes. */
interface Inside {
  tx: Tx;
  emit: Emit<typeof formUpdated>;
  tools: Pick<FormTools, 'ids' | 'publicUrl'>;
}

/** Writes the changes of a locked form as its next version, with the event; returns the form as it is without changes. */
export async function writeForm(
  { tx, emit, tools }: Inside,
  form: FormRecord,
  changes: Partial<FormRecord>,
): Promise<FormRecord> {
  const { isEmpty, values, audit } = diff(form, changes);
  if (isEmpty) return form;
  const [row] = await tx.form.updateManyAndReturn({
    where: { id: form.id },
    data: { ...(values as object), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  const updated = asForm(row, tools);
  emit(formUpdated, {
    data: { formId: form.id, fields: Object.keys(values) },
    record: updated,
    changes: audit,
  });
  return updated;
}

/** Fails unless the state table allows the transition. */
export function checkTransition({ status, allowedTransitions }: FormRecord, to: FormStatus): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(status, allowedTransitions)]);
}
