import { type senders, senderUpdated } from '@tandem/campaign-contract';
import { diff, fail } from '@tandem/service';
import { Prisma } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { checkUnused } from './check-unused.ts';
import { asSender, checkWarmup, domainOf, emailError, eventOf, lockSender } from './sender.ts';

export const updateSender: Handler<typeof senders.updateSender> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const row = await lockSender(tx, params.id);
  ifMatch(row);
  const before = await asSender(tx, row);
  const fromEmail = body.fromEmail?.toLowerCase() ?? before.fromEmail;
  const { isEmpty, values, audit } = diff(before, { ...body, fromEmail });
  if (isEmpty) return before;
  checkWarmup({ ...before, ...body });
  const isMoved = fromEmail !== before.fromEmail;
  if (isMoved) await checkUnused(context, row.id);
  const { warmupPlan, ...others } = values;
  const [written] = await tx.sender
    .updateManyAndReturn({
      where: { id: row.id },
      data: {
        ...others,
        ...(isMoved && { domainId: await domainOf(tx, fromEmail) }),
        ...(warmupPlan !== undefined && { warmupPlan: warmupPlan ?? Prisma.DbNull, warmupFrom: null }),
        version: { increment: 1 },
      },
    })
    .catch((error: unknown) => {
      throw emailError(error);
    });
  if (!written) throw fail('not_found');
  const sender = await asSender(tx, written);
  emit(senderUpdated, { ...eventOf(sender), changes: audit });
  return sender;
};
