import type { Caller } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { filteredLeadsMax } from '@tandem/crm-contract';
import { asService, fail, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';

const errorsMax = 100;

/**
 * Fails with 422 unless the leads exist and the caller can read them. A call to crm, so outside of a transaction.
 * @param named the leads with their places in the body
 */
export async function checkLeads(
  { crm }: Pick<Tools, 'crm'>,
  caller: Caller,
  named: readonly { field: string; id: number }[],
): Promise<void> {
  const ids = [...new Set(named.map(({ id }) => id))];
  const found = new Set<number>();
  for (let start = 0; start < ids.length; start += filteredLeadsMax) {
    const as = asService(caller, reachOf(caller, 'leads:read'));
    const reply = await crm.filterLeads({ body: { ids: ids.slice(start, start + filteredLeadsMax) }, as });
    for (const id of reply.ids) found.add(id);
  }
  const errors = named
    .filter(({ id }) => !found.has(id))
    .map(({ field }): FieldError => ({ field, message: unknownId('lead') }));
  if (errors.length) throw fail('validation_failed', errors.slice(0, errorsMax));
}

/** The ids of a field of the body with their places in it. */
export function placed(field: string, ids: readonly number[] = []): { field: string; id: number }[] {
  return ids.map((id, index) => ({ field: `${field}.${index}`, id }));
}
