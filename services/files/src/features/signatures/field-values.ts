import { failField } from '@tandem/service';
import type { SignatureField as FieldRow, Signer as SignerRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';

/** Values of fields by the id of the field. */
export type FieldValues = Record<number, string | boolean>;

const initialsMax = 10;

/**
 * Checks the values of a person's fields.
 * @param given by the public id of the field
 * @throws 422 that names the field and what it accepts
 */
export function readValues(
  { ids }: Pick<Tools, 'ids'>,
  tenantId: number,
  {
    signer,
    fields,
    given,
  }: { signer: SignerRow; fields: readonly FieldRow[]; given: Record<string, string | boolean> },
): FieldValues {
  const own = fields.filter(({ signerId }) => signerId === signer.id);
  const codeOf = (id: number) => ids.encode('signature_field', tenantId, id);
  const codes = new Map(own.map((field) => [codeOf(field.id), field]));
  for (const code of Object.keys(given))
    if (!codes.has(code)) throw failField(`fields.${code}`, 'Must be the id of a field that you fill in');
  const values: FieldValues = {};
  for (const [code, field] of codes) {
    const value = readValue(field, given[code], `fields.${code}`, signer.name);
    if (value !== undefined) values[field.id] = value;
  }
  return values;
}

function readValue(
  { type, required }: FieldRow,
  given: string | boolean | undefined,
  name: string,
  person: string,
): string | boolean | undefined {
  // The signature and the time of signing are printed there.
  if (type === 'signature' || type === 'date') return undefined;
  if (type === 'checkbox') {
    if (given !== undefined && typeof given !== 'boolean') throw failField(name, 'Must be true or false');
    if (required && given !== true) throw failField(name, 'Must be true: check the box to sign');
    return given ?? false;
  }
  if (given !== undefined && typeof given !== 'string') throw failField(name, 'Must be a text');
  const text = given?.trim() ?? '';
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
