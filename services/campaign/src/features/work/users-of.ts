import type { Caller } from '@tandem/caller';
import { type FieldError, idInText, type ResourceType, resourceNoun } from '@tandem/contract';
import { reachOf, type Under } from '@tandem/service';

/** How many of the records that use another one an error names. */
const namedMax = 5;

/** The parts of the context of a handler that say what the caller can read. */
export interface Reader {
  caller: Caller;
  under: Under;
}

/**
 * Errors that name records which use the record of a request, for its refusal: up to five of those that the caller can
 * read with the permission.
 */
export async function usersOf(
  { caller, under }: Reader,
  { type, permission }: { type: ResourceType; permission: string },
  find: (only: { select: { id: true }; orderBy: { id: 'asc' }; take: number }) => Promise<{ id: number }[]>,
): Promise<FieldError[]> {
  if (reachOf(caller, permission) === 'none') return [];
  const users = await under(permission, () => find({ select: { id: true }, orderBy: { id: 'asc' }, take: namedMax }));
  return users.map(({ id }) => ({
    field: 'id',
    message: `Is used by the ${resourceNoun(type)} ${idInText(type, id)}`,
  }));
}
