import { type FieldError, type ResourceType, unknownId } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import type { RowContext, Texts } from './target.ts';

/** Puts the id that a field has into the body, or an error if its text is none. */
export function putId(
  body: Record<string, unknown>,
  { text, field, type }: { text: Texts[string] | undefined; field: string; type: ResourceType },
  { ids, tenantId, errors }: Pick<RowContext, 'tenantId' | 'errors'> & { ids: IdCodec },
): void {
  if (!text) return;
  const id = ids.decode(type, tenantId, text);
  if (id === undefined) errors.push({ field, message: unknownId(type) });
  else body[field] = String(id);
}

/** The ids of a batch that no record has; each is looked up once, because other services find one record per call. */
export async function absentIds(
  named: readonly (number | null | undefined)[],
  find: (id: number) => Promise<object | undefined>,
): Promise<Set<number>> {
  const absent = new Set<number>();
  for (const id of new Set(named.flatMap((one) => one ?? []))) if (!(await find(id))) absent.add(id);
  return absent;
}

/** The error of a row that names a record which does not exist. */
export function absentError(
  { id, field, type }: { id: number | null | undefined; field: string; type: ResourceType },
  absent: ReadonlySet<number>,
): FieldError[] {
  return typeof id === 'number' && absent.has(id) ? [{ field, message: unknownId(type) }] : [];
}
