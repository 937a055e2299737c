import {
  allows,
  idTypeOf,
  includesOf,
  me,
  neededPermissions,
  type Operation,
  type SchemaNode,
  viewResource,
} from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { fail, storedQueryErrors } from '@tandem/service';
import { contracts } from '../../contracts.ts';

/** Every list that a view can be for, by resource. */
const lists = new Map(
  Object.values(contracts).flatMap((rows) =>
    Object.values(rows).flatMap((row: Operation) => {
      const resource = viewResource(row);
      return resource === undefined ? [] : [[resource, row] as const];
    }),
  ),
);

// Not stored in a view: the position in the list, and the id of a view, which could be recursive.
const positions = ['page', 'cursor', 'view'];
// No id schema accepts it, so an invalid id is reported with the other errors.
const invalidId = '-';

/** The resources whose lists the permissions open, wholly or for own or team records. */
export function readableResources(permissions: readonly string[]): string[] {
  return [...lists].filter(([, row]) => mayRead(row, permissions)).map(([resource]) => resource);
}

/**
 * The list of a resource.
 * @throws ApiError 422 for an unknown resource, 403 if the permissions do not open it
 */
export function listOf(resource: string, permissions: readonly string[]): Operation {
  const row = lists.get(resource);
  if (!row) {
    const known = [...lists.keys()].sort().join(', ');
    throw fail('validation_failed', [{ field: 'resource', message: `Must be one of ${known}` }]);
  }
  if (mayRead(row, permissions)) return row;
  const needed = neededPermissions(row).join(' and ');
  throw fail('forbidden', [{ field: 'resource', message: `Requires the permission ${needed}` }]);
}

/**
 * Checks the query string of a list.
 * @returns the query string without a leading question mark
 * @throws ApiError 422 naming each parameter that the list does not have or would reject
 */
export function checkSearch(
  row: Operation,
  search: string,
  decode: (...args: DecodeArgs) => number | undefined,
): string {
  const text = search.replace(/^\?/, '');
  const parameters = new URLSearchParams(text);
  // Without a prototype, so that `__proto__` is an ordinary parameter name.
  const query: Record<string, string> = Object.create(null);
  const errors = positions.filter((name) => parameters.has(name)).map((name) => searchError(name, 'Cannot be saved'));
  const includes = includesOf(row);
  for (const [name, value] of parameters) {
    if (name === 'include' && includes.size) {
      if (!value.split(',').every((one) => includes.has(one)))
        errors.push(searchError(name, `Must be names from ${[...includes.keys()].join(', ')}, separated by commas`));
    } else if (Object.hasOwn(query, name)) errors.push(searchError(name, 'Must not be sent twice'));
    else if (!positions.includes(name)) query[name] = withoutCode(row, name, value, decode);
  }
  errors.push(...storedQueryErrors(row, query).map(({ field, message }) => searchError(field, message)));
  if (errors.length) throw fail('validation_failed', errors);
  return text;
}

type DecodeArgs = [type: Parameters<IdCodec['decode']>[0], code: string];

function withoutCode(row: Operation, name: string, value: string, decode: (...args: DecodeArgs) => number | undefined) {
  const { shape = {} } = row.query ?? {};
  const schema = Object.hasOwn(shape, name) ? (shape[name] as SchemaNode) : undefined;
  const type = schema && idTypeOf(schema);
  if (!type || (type === 'user' && value === me)) return value;
  return String(decode(type, value) ?? invalidId);
}

function searchError(name: string, message: string) {
  return { field: `search.${name.slice(0, 64)}`, message };
}

function mayRead(row: Operation, permissions: readonly string[]): boolean {
  return neededPermissions(row).every((permission) => allows(permissions, permission));
}
