import { failField } from '@tandem/service';
import type { SignatureField as FieldRow, Signer as SignerRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';

/** Values of fields by the id of the field. */
export type FieldValues = Record<number, string | boolean>;

const initialsMax = 10;

/**
 * Checks the values of a person's fields.
 * @param input by the public id of the field
 * @throws 422 that names the field and what it accepts
 */
export function readValues(
  { ids }: Pick<Tools, 'ids'>,
  tenantId: number,
  {
    signer,
    fields,
    input,
  }: { signer: SignerRow; fields: readonly FieldRow[]; input: Record<string, string | boolean> },
): FieldValues {
  const own = fields.filter(({ signerId }) => signerId === signer.id);
  const codeOf = (id: number) => ids.encode('signature_field', tenantId, id);
  const codes = new Map(own.map((field) => [codeOf(field.id), field]));
  for (const code of Object.keys(input))
    if (!codes.has(code)) throw failField(`fields.${code}`, 'Must be the id of a field that you fill in');
  const values: FieldValues = {};
  for (const [code, field] of codes) {
    const value = readValue(field, input[code], `fields.${code}`, signer.name);
    if (value !== undefined) values[field.id] = value;
  }
  return values;
}

function readValue(
  { type, required }: FieldRow,
  input: string | boolean | undefined,
  name: string,
  person: string,
): string | boolean | undefined {
  // The signature and the time of signing are printed there.
  if (type === 'signature' || type === 'date') return undefined;
  if (type === 'checkbox') {
    if (input !== undefined && typeof input !== 'boolean') throw failField(name, 'Must be true or false');
    if (required && input !== true) throw failField(name, 'Must be true: check the box to sign');
    return input ?? false;
  }
  if (input !== undefined && typeof input !== 'string') throw failField(name, 'Must be a text');
  const text = input?.trim() ?? '';
  if (type === 'initials') {
    if (text.length > initialsMax) throw failField(name, `Must be at most ${initialsMax} characters`);
    return text || initialsOf(person);
  }
  if (required && !text) throw failField(name, 'Must be filled in');
  return text;
}

/** The first letters of a name, as a field for initials shows them unless the person enters others. */
export function initialsOf(name: string): string {
  const letters = name
    .split(/\s+/u)
    .map((word) => [...word][0] ?? '')
    .join('');
  return letters.slice(0, initialsMax).toUpperCase();
}
