import { DuplicatePair } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { DuplicatePair as PairRow } from '../../generated/client.ts';

const columns = DuplicatePair.pick({ matchedOn: true, status: true });

/** Converts a row to the contract's `DuplicatePair`. */
export function asPair(row: PairRow): z.output<typeof DuplicatePair> {
  return { ...row, ...columns.parse(row), leadIds: [row.firstLeadId, row.secondLeadId] };
}
