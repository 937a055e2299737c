import type { StatusDefinition } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { StatusDefinition as StatusRow } from '../../generated/client.ts';

export type StatusRecord = z.output<typeof StatusDefinition>;

/** A row as the contract shows it. */
export function asStatus(row: StatusRow): StatusRecord {
  return row as unknown as StatusRecord;
}
