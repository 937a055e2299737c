import { Message } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Message as MessageRow } from '../../generated/client.ts';

const columns = Message.pick({ status: true, channel: true });

/** Converts a row to the contract's `Message`. */
export function asMessage(row: MessageRow): z.output<typeof Message> {
  return { ...row, ...columns.parse(row), nodeId: row.nodeId || null };
}
