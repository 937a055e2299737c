import { Message } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Message as MessageRow } from '../../generated/client.ts';

const columns = Message.pick({ status: true, channel: true });

// Messages of earlier releases can have a longer subject than the contract allows.
const subjectMax = 500;

/** Converts a row to the contract's `Message`. */
export function asMessage(row: MessageRow): z.output<typeof Message> {
  const subject = row.subject?.slice(0, subjectMax) ?? null;
  return { ...row, ...columns.parse(row), subject, nodeId: row.nodeId || null };
}
