import { actingUserId, type Caller } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import {
  dealRegistrationCreated,
  dealRegistrationLimits,
  type dealRegistrations,
  type writableDeal,
} from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { dealColumns, newDeal } from './deal-columns.ts';
import { asDeal, checkApproved, type DealRecord, dealEvent } from './deal-registration.ts';

export const createDealRegistration: Handler<typeof dealRegistrations.createDealRegistration> = async (context) => {
  const { body, tx } = context;
  const { partnerId, ...fields } = body;
  if (!(await tx.partner.count({ where: { id: partnerId } }))) throw failField('partnerId', unknownId('partner'));
  return createDeal(context, partnerId, fields);
};

/** Creates a draft of a partner. */
export async function createDeal(
  { tx, emit, caller }: { tx: Tx; emit: Emit<typeof dealRegistrationCreated>; caller: Caller },
  partnerId: number,
  body: z.output<typeof writableDeal>,
): Promise<DealRecord> {
  await checkApproved(tx, partnerId);
  await checkOpen(tx, partnerId);
  const data = { partnerId, ...dealColumns(newDeal(body)), createdBy: actingUserId(caller) ?? null };
  const deal = asDeal(await tx.dealRegistration.create({ data }));
  emit(dealRegistrationCreated, dealEvent(deal));
  return deal;
}

/** Locks the partner for other new registrations until the end of the transaction, because two at once would not see each other. */
async function checkOpen(tx: Tx, partnerId: number): Promise<void> {
  await lockNamed(tx, 'open deals', [String(partnerId)]);
  const open = await tx.dealRegistration.count({ where: { partnerId, status: { in: ['draft', 'submitted'] } } });
  if (open >= dealRegistrationLimits.open) throw fail('too_many_open');
}
