import { actingUserId } from '@tandem/caller';
import { senderCreated, type senders, sendersMax } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import { Prisma } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { asSender, checkWarmup, domainOf, emailError, eventOf } from './sender.ts';

export const createSender: Handler<typeof senders.createSender> = async ({ body, caller, tx, emit }) => {
  checkWarmup(body);
  await lockNamed(tx, 'senders');
  if ((await tx.sender.count({ where: {} })) >= sendersMax) throw fail('too_many_senders');
  const fromEmail = body.fromEmail.toLowerCase();
  const data = {
    ...body,
    fromEmail,
    warmupPlan: body.warmupPlan ?? Prisma.DbNull,
    domainId: await domainOf(tx, fromEmail),
    createdBy: actingUserId(caller) ?? null,
  };
  const row = await tx.sender.create({ data }).catch((error: unknown) => {
    throw emailError(error);
  });
  const sender = await asSender(tx, row);
  emit(senderCreated, eventOf(sender));
  return sender;
};
