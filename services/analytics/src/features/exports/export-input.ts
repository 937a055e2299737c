import type { ExportSource } from '@tandem/analytics-contract';
import type { Caller } from '@tandem/caller';
import { type FieldError, me, reversedRanges, walkIds } from '@tandem/contract';
import { allColumns, requesterOf, unknownColumns } from '@tandem/exports';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { fail, readFields } from '@tandem/service';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { filtersOf } from './cohort-source.ts';
import { type ExportInput, missingPermission, reachOfSource, type Source, type Sources } from './source.ts';

interface Checking {
  sources: Sources;
  ids: IdCodec;
  caller: Caller;
  tx: Tx;
  errors: FieldError[];
  /** The fields of the request that errors name. */
  fields: { source: string; filters: string; columns: string };
}

/** Checks the source, the filters and the columns of an export; throws if there are `errors`. */
export async function checkInput(
  given: { source: ExportSource; filters: Record<string, unknown>; columns: string[] | undefined },
  { sources, ids, caller, tx, errors, fields }: Checking,
): Promise<ExportInput> {
  const source = sources[given.source];
  const reach = reachOfSource(caller, source);
  if (reach === 'none') {
    const message = `Requires the permission ${missingPermission(caller, source)}`;
    throw fail('forbidden', [{ field: fields.source, message }]);
  }
  const { tenantId, environment } = caller;
  const { columns = allColumns(source), filters } = given;
  for (const error of unknownColumns(source, columns))
    errors.push({ ...error, field: error.field.replace(/^columns/, fields.columns) });
  const fixed = environment === 'sandbox' ? source.inSandbox : undefined;
  for (const [field, value] of Object.entries(fixed ?? {}))
    if (filters[field] !== undefined && filters[field] !== value)
      errors.push({ field: `${fields.filters}.${field}`, message: `Must be ${value} in the sandbox` });
  const wireFilters = decodeIds(
    filtersOf(source),
    { ...filters, ...fixed },
    { ids, tenantId: tenantId as number, errors, field: fields.filters },
  );
  const reversed = reversedRanges(wireFilters);
  errors.push(...reversed.map((one) => ({ ...one, field: `${fields.filters}.${one.field}` })));
  if (errors.length) throw fail('validation_failed', errors);
  const requester = requesterOf(caller, reach);
  const scope = { tenantId: tenantId as number, environment };
  await checkByOwner(source, wireFilters, { ...requester, scope, tx }, fields.filters);
  return { columns, wireFilters, requester };
}

/** The owner of the list rejects filters that depend on its records, such as custom fields. */
async function checkByOwner(
  source: Source,
  filters: Record<string, unknown>,
  reading: Parameters<Source['read']>[1],
  name: string,
): Promise<void> {
  const { errors = [] } = await source.read({ filters, after: 0, limit: 1 }, reading);
  if (errors.length)
    throw fail(
      'validation_failed',
      errors.map((one) => ({ ...one, field: one.field.replace(/^filters/, name) })),
    );
}

// No id schema accepts it, so that the field is reported together with the other errors.
const invalidId = '-';

/**
 * Reads an object of a request by a schema that is known only then: with internal ids, as services exchange it.
 * @param given as the client sent it, with public ids
 */
export function decodeIds(
  schema: z.ZodType,
  given: Record<string, unknown>,
  { ids, tenantId, errors, field }: { ids: IdCodec; tenantId: number; errors: FieldError[]; field: string },
): Record<string, unknown> {
  const decoded = structuredClone(given);
  const decode: Parameters<ReturnType<typeof compileRewriter>>[1] = (type, found) => {
    if (typeof found !== 'string') return found;
    const idOf = (code: string) =>
      type === 'user' && code === me ? me : String(ids.decode(type, tenantId, code) ?? invalidId);
    return found.split(',').map(idOf).join(',');
  };
  compileRewriter(walkIds(schema))(decoded, decode);
  const read = readFields(z.object({ [field]: schema }), { [field]: decoded }, errors);
  return read ? (z.encode(schema, read[field]) as Record<string, unknown>) : {};
}
