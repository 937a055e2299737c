import { StatusDefinition } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { StatusDefinition as StatusRow } from '../../generated/client.ts';

export type StatusRecord = z.output<typeof StatusDefinition>;

const columns = StatusDefinition.pick({ entityType: true, category: true });

/** Converts a row to the contract's `StatusDefinition`. */
export function asStatus(row: StatusRow): StatusRecord {
  return { ...row, ...columns.parse(row) };
}
