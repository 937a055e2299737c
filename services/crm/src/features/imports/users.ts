import type { Caller } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { ApiError, type Assignee, asService, checkUser } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import type { RowContext, Texts } from './target.ts';

/** The users that rows name, and why others cannot have the records. */
export type References = Map<number, { assignee?: Pick<Assignee, 'id' | 'teamIds'>; message?: string }>;

/** Puts the id of a user into the body, or an error if the text is none. */
export function putUser(
  body: Record<string, unknown>,
  texts: Texts,
  field: string,
  { ids, tenantId, known, errors }: Pick<RowContext, 'tenantId' | 'known' | 'errors'> & { ids: IdCodec },
): void {
  const text = texts[field];
  if (!text) return;
  const isAddress = text.includes('@');
  const user = isAddress ? known.users.get(text.toLowerCase()) : ids.decode('user', tenantId, text);
  const message = isAddress ? 'No active user has this e-mail address' : unknownId('user');
  if (user === undefined) errors.push({ field, message });
  else body[field] = String(user);
}

/** Reads the users that the rows name in a field, by one call; only a user who cannot have records is asked for alone. */
export async function findUsers<Field extends string>(
  peers: Peers,
  {
    records,
    caller,
    field,
  }: {
    records: readonly { body: { [Name in Field]?: number | null | undefined } }[];
    caller: Caller;
    field: Field;
  },
): Promise<References> {
  const named = [...new Set(records.flatMap(({ body }) => body[field] ?? []))];
  if (!named.length) return new Map();
  const active = await peers.identity.findAssignees({ body: { userIds: named, teamIds: [] }, as: asService(caller) });
  const found: References = new Map(active.map((assignee) => [assignee.id, { assignee }]));
  for (const userId of named)
    if (!found.has(userId)) found.set(userId, await findUser(peers, { userId, caller, field }));
  return found;
}

async function findUser(peers: Peers, { userId, caller, field }: { userId: number; caller: Caller; field: string }) {
  try {
    const assignee = await checkUser(peers, field, userId, caller);
    return assignee ? { assignee } : {};
  } catch (error) {
    if (error instanceof ApiError && error.errors[0]) return { message: error.errors[0].message };
    throw error;
  }
}

/** The error of a row that names a user who cannot have the record. */
export function userErrors(field: string, userId: number | null | undefined, references: References): FieldError[] {
  const message = typeof userId === 'number' ? references.get(userId)?.message : undefined;
  return message ? [{ field, message }] : [];
}
