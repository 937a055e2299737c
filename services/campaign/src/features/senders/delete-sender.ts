import { senderDeleted, type senders } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { checkUnused } from './check-unused.ts';
import { asSender, eventOf, lockSender } from './sender.ts';

export const deleteSender: Handler<typeof senders.deleteSender> = async (context) => {
  const { params, tx, emit, ifMatch } = context;
  const row = await lockSender(tx, params.id);
  ifMatch(row);
  const sender = await asSender(tx, row);
  await checkUnused(context, row.id);
  // A campaign may get the sender meanwhile.
  await tx.sender.deleteMany({ where: { id: row.id } }).catch((error: unknown) => {
    throw isReferenced(error) ? fail('sender_in_use') : error;
  });
  emit(senderDeleted, eventOf(sender));
  return { id: row.id, deleted: true };
};
