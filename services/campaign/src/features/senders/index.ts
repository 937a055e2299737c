import type { senders } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createSender } from './create-sender.ts';
import { deleteSender } from './delete-sender.ts';
import { getSender } from './get-sender.ts';
import { listSenders } from './list-senders.ts';
import { updateSender } from './update-sender.ts';

export const senderHandlers = { createSender, listSenders, getSender, updateSender, deleteSender } satisfies Handlers<
  typeof senders,
  Tx
>;
