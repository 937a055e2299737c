import type { senders } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asSender } from './sender.ts';

export const getSender: Handler<typeof senders.getSender> = async ({ params, tx }) => {
  const row = await tx.sender.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asSender(tx, row);
};
