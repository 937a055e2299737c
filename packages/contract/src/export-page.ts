import { z } from 'zod';
import { id, type ResourceType } from './id.ts';

/** How many records an export page holds at most. */
export const exportPageMax = 200;

/**
 * Body and reply of an internal operation that returns all records of the tenant by id, page by page, for a service
 * that keeps a copy of them. A page contains the records with greater ids than `after`; a page after the last is empty.
 * @param facts optional fields beside each record: what consumers read from its events and what the record does not have
 */
export function exportPage<Type extends ResourceType, Item extends z.ZodType, Facts extends z.ZodRawShape>(
  type: Type,
  record: Item,
  facts: Facts,
) {
  return {
    body: z.object({ after: id(type).nullable() }),
    reply: z.array(z.object({ record, isDeleted: z.boolean(), ...facts })),
  };
}
