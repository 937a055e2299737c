import { fromMinor } from '@tandem/contract';
import { DealRegistration, dealRegistrationStates } from '@tandem/partner-contract';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { DealRegistration as DealRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type DealRecord = z.output<typeof DealRegistration>;
/** A registration, when a conversion began, and who submitted it. */
export type StoredDeal = DealRecord & Pick<DealRow, 'convertingAt' | 'submittedByPortalUserId'>;

const columns = DealRegistration.pick({ status: true });

/** Converts a row to the contract's `DealRegistration`. */
export function asDeal(row: DealRow): StoredDeal {
  const { contactEmail, contactFirstName, contactLastName, contactPhone, valueMinor, ...others } = row;
  const { status } = columns.parse(row);
  return {
    ...others,
    status,
    allowedTransitions: dealRegistrationStates.next(status),
    contact: {
      email: contactEmail,
      firstName: contactFirstName,
      lastName: contactLastName,
      phone: contactPhone,
    },
    value: valueMinor === null || row.currency === null ? null : fromMinor(valueMinor, row.currency),
  };
}

/** Which registration an operation concerns: in the portal only one of the own partner. */
export interface DealScope {
  id: number;
  partnerId?: number;
}

/** Loads a registration; 404 if there is none. */
export async function readDeal(tx: Tx, where: DealScope): Promise<StoredDeal> {
  const row = await tx.dealRegistration.findFirst({ where });
  if (!row) throw fail('not_found');
  return asDeal(row);
}

/** Loads a registration with a row lock. */
export async function lockDeal(tx: Tx, where: DealScope): Promise<StoredDeal> {
  const row = await tx.dealRegistration.lockFirst({ where });
  if (!row) throw fail('not_found');
  return asDeal(row);
}

/** Updates a locked registration and increments its version. */
export async function writeDeal(
  tx: Tx,
  id: number,
  data: Parameters<Tx['dealRegistration']['updateManyAndReturn']>[0]['data'],
): Promise<StoredDeal> {
  const [row] = await tx.dealRegistration.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return asDeal(row);
}

/** @throws 409 if the state table does not contain the change */
export function checkTransition({ status: from }: DealRecord, to: DealRecord['status']): void {
  const next = dealRegistrationStates.next(from);
  if (!next.includes(to)) throw fail('transition_refused', [transitionError(from, next)]);
}

/** @throws 409 unless the registration is a draft */
export function checkDraft({ status }: DealRecord): void {
  if (status !== 'draft') throw fail('not_draft', [{ field: 'status', message: `The registration is ${status}` }]);
}

/** Event data and record of a registration. */
export function dealEvent(record: DealRecord) {
  return { data: { dealRegistrationId: record.id, partnerId: record.partnerId }, record };
}

/** Event of a registration whose status changed. */
export function movedEvent(record: DealRecord, from: DealRecord['status']) {
  return { ...dealEvent(record), changes: { status: { from, to: record.status } } };
}

/**
 * Locks the partner of a registration against a change of its status.
 * @throws 409 unless it is approved
 */
export async function checkApproved(tx: Tx, partnerId: number): Promise<void> {
  const [partner] = await tx.sql<{ status: string }>`SELECT status FROM partner WHERE id = ${partnerId} FOR SHARE`;
  if (partner?.status === 'approved') return;
  throw fail('partner_not_approved', [
    { field: 'partnerId', message: `The partner is ${partner?.status}; only approved partners can register deals` },
  ]);
}
