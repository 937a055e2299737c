import { z } from 'zod';
import { text } from './fields.ts';
import { type IdKind, id, idUnions, isIdUnion, type ResourceType } from './id.ts';
import type { Operation, Row } from './operation.ts';
import { type IdPath, walkIds } from './walk.ts';

/** The resource types whose records have a name that `include` can add to a response. */
export const namedTypes = [
  'user',
  'team',
  'role',
  'api_key',
  'lead',
  'opportunity',
  'account',
  'task',
  'status_definition',
  'pipeline',
  'partner',
  'campaign',
  'workflow',
  'landing_page',
  'course',
  'lesson',
  'module',
  'question_bank',
  'agent',
  'file',
] as const satisfies ResourceType[];

export type NamedType = (typeof namedTypes)[number];

/** The path of the internal operation that names the records of a service. */
export const namesPath = '/internal/names';
/** Maximum number of records of a type per call. */
export const namesMax = 500;

const namesTimeoutMs = 2_000;

/**
 * The internal operation of a service that names its records for `include`. The gateway calls it with the permissions of
 * the caller; records that the caller may not read are left out.
 * @param types the resource types that the service stores
 */
export function nameRecords<const Type extends NamedType>(types: readonly [Type, ...Type[]]) {
  const body = types.map((type) => [type, z.array(id(type)).max(namesMax).optional()]);
  const reply = types.map((type) => [type, z.array(z.object({ id: id(type), name: text(500) })).optional()]);
  return {
    method: 'POST',
    path: namesPath,
    audience: 'internal',
    summary: 'Name the records that the caller may read',
    body: z.object(Object.fromEntries(body) as { [K in Type]: z.ZodOptional<z.ZodArray<ReturnType<typeof id<K>>>> }),
    reply: z.object(Object.fromEntries(reply) as { [K in Type]: NamesOf<K> }),
    message: 'Names retrieved',
    timeoutMs: namesTimeoutMs,
    emits: [],
  } as const satisfies Row;
}

type NamesOf<Type extends NamedType> = z.ZodOptional<
  z.ZodArray<z.ZodObject<{ id: ReturnType<typeof id<Type>>; name: ReturnType<typeof text> }>>
>;

const levelsMax = 2;
const namesOf = new Set<ResourceType>(namedTypes);
const isNamed = (kind: IdKind) => (isIdUnion(kind) ? idUnions[kind] : [kind]).some((type) => namesOf.has(type));

/**
 * The names that `include` accepts for an operation, with the positions of the ids in `data`: `lead` for `leadId`,
 * `teams` for `teamIds`, and `assignedTo` as it is. Empty if the operation returns no ids of records with names.
 */
export function includesOf(row: Operation): Map<string, IdPath[]> {
  const { method, audience = 'tenant', envelope, query, reply } = row;
  const found = new Map<string, IdPath[]>();
  if (method !== 'GET' || audience !== 'tenant' || envelope || (query && 'include' in query.shape)) return found;
  for (const position of walkIds(reply)) {
    const steps = position.path.filter((step) => step !== '*');
    const isOwnId = steps.length === 1 && steps[0] === 'id';
    // The id at which the next page begins, which clients send back as `after`.
    const isCursor = steps.join('.') === 'next' && query !== undefined && 'after' in query.shape;
    if (!isNamed(position.type) || isOwnId || isCursor || !steps.length || steps.length > levelsMax) continue;
    const name = includeName(steps);
    found.set(name, [...(found.get(name) ?? []), position]);
  }
  return found;
}

function includeName(steps: readonly string[]): string {
  const last = steps.at(-1) as string;
  const before = steps.slice(0, -1);
  if (last === 'id') return before.join('.');
  return [...before, last.replace(/Ids$/, 's').replace(/Id$/, '')].join('.');
}
