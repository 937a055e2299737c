import { type FieldError, listFilters, me, walkIds } from '@tandem/contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { readFields } from '@tandem/service';
import { z } from 'zod';
import type { Source } from './sources.ts';

// No id schema accepts it, so that the field is reported together with the other errors.
const invalidId = '-';

/**
 * Reads the filters of a request by the schema of the list: with internal ids, as services exchange them.
 * @param filters as the client sent them, with public ids
 */
export function readFilters(
  { list }: Source,
  filters: Record<string, unknown>,
  { ids, tenantId, errors }: { ids: IdCodec; tenantId: number; errors: FieldError[] },
): Record<string, unknown> {
  const schema = listFilters(list.query as z.ZodObject);
  const decoded = structuredClone(filters);
  const decode: Parameters<ReturnType<typeof compileRewriter>>[1] = (type, found) => {
    if (typeof found !== 'string') return found;
    const idOf = (code: string) =>
      type === 'user' && code === me ? me : String(ids.decode(type, tenantId, code) ?? invalidId);
    return found.split(',').map(idOf).join(',');
  };
  compileRewriter(walkIds(schema))(decoded, decode);
  const read = readFields(z.object({ filters: schema }), { filters: decoded }, errors);
  return read ? (z.encode(schema, read.filters) as Record<string, unknown>) : {};
}
