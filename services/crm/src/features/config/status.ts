import type { StatusDefinition } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { StatusDefinition as StatusRow } from '../../generated/client.ts';

export type StatusRecord = z.output<typeof StatusDefinition>;

/** Converts a row to the contract's `StatusDefinition`. */
export function asStatus(row: StatusRow): StatusRecord {
  return row as StatusRecord;
}
