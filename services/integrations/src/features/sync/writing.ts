// Shared steps of targets that write records to crm.
import { isDeepStrictEqual } from 'node:util';
import { ServiceCallError } from '@tandem/client/internal';
import { allows, email, type FieldError } from '@tandem/contract';
import { asService, reachOf, readFields } from '@tandem/service';
import type { z } from 'zod';
import type { As } from './acting-user.ts';
import { type Outcome, recordDeleted, type TargetContext } from './target.ts';

const attemptsMax = 3;
const reasonMax = 500;

/** The body of a request, without the optional fields that its schema refuses. */
export interface ReadBody<Body> {
  /** undefined if a required field is invalid. */
  body: Body | undefined;
  leftOut: FieldError[];
  /** The errors of required fields. */
  errors: FieldError[];
}

/** Reads fields by the schema of a request. Fields that it does not have are ignored. */
export function readBody<Schema extends z.ZodObject>(
  schema: Schema,
  fields: Record<string, unknown>,
): ReadBody<z.output<Schema>> {
  const given = Object.entries(fields).filter(
    ([name, value]) => Object.hasOwn(schema.shape, name) && value !== undefined && value !== null && value !== '',
  );
  let input: Record<string, unknown> = Object.fromEntries(given);
  const leftOut: FieldError[] = [];
  for (;;) {
    const errors: FieldError[] = [];
    const body = readFields(schema, input, errors);
    if (body) return { body, leftOut, errors: [] };
    const names = errors.map(({ field }) => field.split('.')[0] ?? '');
    const isOptional = names.every(
      (name) => Object.hasOwn(input, name) && schema.shape[name]?.safeParse(undefined).success,
    );
    if (!errors.length || !isOptional) return { body: undefined, leftOut, errors };
    leftOut.push(...errors);
    input = errors.reduce(withoutPart, input);
  }
}

/** Removes a field, or a part of an object such as `address.country`. */
function withoutPart(input: Record<string, unknown>, { field }: FieldError): Record<string, unknown> {
  const [name = '', part] = field.split('.');
  const value = input[name];
  const isPart = part !== undefined && isObject(value) && Object.hasOwn(value, part);
  return isPart ? { ...input, [name]: without(value, part) } : without(input, name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object without some of its fields. */
export function without<Given extends object, Name extends string>(given: Given, ...names: Name[]): Omit<Given, Name> {
  const kept = Object.entries(given).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(kept) as Omit<Given, Name>;
}

/** The fields of a change that differ from a record. Objects that a request replaces as a whole keep their other parts. */
export function changesOf<Change extends object>(
  current: object,
  change: Change,
  merged: readonly (keyof Change)[],
): { [Field in keyof Change]?: Change[Field] } {
  const before = current as Record<string, unknown>;
  const entries = Object.entries(change).map(([name, value]) => {
    const known = before[name];
    const isMerged = merged.includes(name as keyof Change) && isObject(value) && isObject(known);
    return [name, isMerged ? { ...known, ...value } : value] as const;
  });
  const changed = entries.filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, before[name]));
  return Object.fromEntries(changed) as { [Field in keyof Change]?: Change[Field] };
}

/** The field that crm refuses with these codes, which need not prevent the rest of a record. */
const refusedFields: Record<string, string> = { domain_taken: 'domain', validation_failed: 'customFields' };

/**
 * Writes a body; without its domain if another account has it, and without custom fields if their definitions may refuse
 * them, which only crm knows.
 * @param write gets the number of the attempt, because a key for idempotency belongs to one body
 */
export async function withoutRefused<Body extends object, Result>(
  body: Body,
  write: (body: Body, attempt: number) => Promise<Result>,
): Promise<{ result: Result; leftOut: FieldError[] }> {
  const leftOut: FieldError[] = [];
  let left = body;
  for (let attempt = 1; ; attempt++) {
    try {
      return { result: await write(left, attempt), leftOut };
    } catch (error) {
      const field = error instanceof ServiceCallError ? refusedFields[error.code ?? ''] : undefined;
      if (field === undefined || !Object.hasOwn(left, field)) throw error;
      leftOut.push({ field, message: field === 'domain' ? 'Another account has it' : 'Is refused by its definition' });
      left = without(left, field) as Body;
    }
  }
}

/** Whether the same request can succeed later. */
export function isTemporary({ status, code }: ServiceCallError): boolean {
  // The daily limit of messages to attendees concerns one record.
  return status >= 500 || (status === 429 && code !== 'mail_limit') || code === 'idempotency_running';
}

/**
 * Changes a record that may change meanwhile, so that nothing of the other change is lost.
 * @param read resolves to undefined when the record was deleted
 * @param change makes one attempt; fails with 412 when the record has changed since it was read
 */
export async function changing<Found>(
  read: () => Promise<Found | undefined>,
  change: (current: Found) => Promise<Outcome>,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const current = await read();
    if (!current) return { action: 'skipped', reason: recordDeleted };
    try {
      return await change(current);
    } catch (error) {
      const status = error instanceof ServiceCallError ? error.status : undefined;
      if (status === 404) return { action: 'skipped', reason: recordDeleted };
      if (status !== 412 || attempt === attemptsMax) throw error;
    }
  }
}

/**
 * The user, limited to the records that the permission covers, for internal operations: other operations limit a user to
 * their own records or those of their teams by the permissions.
 */
export function limitedTo(permission: string, as: As): As {
  const reach = reachOf({ type: 'user', ...as }, permission);
  return typeof reach === 'object' ? { ...as, narrow: reach } : as;
}

const Address = email();

/** The oldest lead with an address, of those that the user may read. */
export async function findLead(
  { crm, as }: Pick<TargetContext, 'crm' | 'as'>,
  address: string | null,
): Promise<number | undefined> {
  const { data } = Address.safeParse(address);
  if (data === undefined) return undefined;
  const caller = { ...as, type: 'system' as const };
  const reader = asService(caller, reachOf(caller, 'leads:read'));
  const [lead] = await crm.findLeadsByEmail({ body: { email: data }, as: reader });
  return lead?.id;
}

/** For reading codes that every user who writes deals can use, whether or not they may read the configuration. */
export function asReader(as: As): As {
  return { ...as, permissions: ['config:read'] };
}

/** Whether the user may refer to records of another resource; without it, a reference would be refused. */
export function maySee({ as }: TargetContext, permission: string): boolean {
  return allows(as.permissions, permission) !== undefined;
}

/** The outcome of a record whose required fields are invalid, which `check` reports before. */
export function invalid(errors: readonly FieldError[]): Outcome {
  return { action: 'skipped', ...reasonOf(errors) };
}

/** The reason of an outcome: the fields that were left out, each with its error. */
export function reasonOf(errors: readonly FieldError[]): Pick<Outcome, 'reason'> {
  const text = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return text ? { reason: text.slice(0, reasonMax) } : {};
}

/** The outcome of a record that was deleted in the connected system: nothing is deleted here. */
export function deletedAtSource(linkedId: number | undefined): Outcome {
  return { action: 'skipped', reason: 'deleted_at_source', ...(linkedId !== undefined && { recordId: linkedId }) };
}
