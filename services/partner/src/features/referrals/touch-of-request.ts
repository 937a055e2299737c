import { unknownId } from '@tandem/contract';
import { occurredYearsMax, type referrals } from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { Touch } from './attribute.ts';
import { windowsOf } from './last-touch.ts';
import type { Person } from './referral.ts';

export type ReferralInput = z.output<typeof referrals.createReferral.body>;

/** The partner whom a request names, and how the lead came. */
export interface RequestedTouch extends Pick<Touch, 'partnerId' | 'code' | 'clickId' | 'source' | 'occurredAt'> {
  /** The field that identifies the partner. */
  field: 'partnerId' | 'code' | 'clickId';
}

const dayMs = 86_400_000;

/**
 * Finds the partner by `partnerId`, `code` or `clickId`.
 * @throws 422 for none or several of them, an unknown value, a click that is too old, or a time out of bounds
 */
export async function findTouch(tx: Tx, body: ReferralInput, now: Date): Promise<RequestedTouch> {
  const { partnerId, code, clickId, occurredAt } = body;
  const [first, second] = (['partnerId', 'code', 'clickId'] as const).filter((field) => body[field]);
  if (!first) throw failField('partnerId', 'Is required unless code or clickId is sent');
  if (second) throw failField(second, `Send only one of partnerId, code and clickId`);
  if (clickId) return findClick(tx, clickId, body, now);
  const at = occurredAt ?? now;
  checkTime(at, now);
  if (partnerId) return { partnerId, code: null, clickId: null, source: 'manual', occurredAt: at, field: 'partnerId' };
  const known = await tx.referralCode.findFirst({ where: { code: code as string } });
  if (!known) throw failField('code', 'No partner with this referral code');
  const { partnerId: owner, code: name } = known;
  return { partnerId: owner, code: name, clickId: null, source: 'code', occurredAt: at, field: 'code' };
}

function checkTime(at: Date, now: Date): void {
  if (at > now) throw failField('occurredAt', 'Must not be in the future');
  const oldest = new Date(now);
  oldest.setUTCFullYear(oldest.getUTCFullYear() - occurredYearsMax);
  if (at < oldest) throw failField('occurredAt', `Must not be more than ${occurredYearsMax} years ago`);
}

async function findClick(tx: Tx, clickId: string, { occurredAt }: ReferralInput, now: Date): Promise<RequestedTouch> {
  if (occurredAt) throw failField('occurredAt', 'Must be absent with clickId: the time of the click counts');
  const click = await tx.referralClick.findFirst({ where: { clickId } });
  const code = click && (await tx.referralCode.findFirst({ where: { id: click.codeId } }));
  if (!code) throw failField('clickId', 'No click with this id; a click is known about a second after the redirect');
  const days = (await windowsOf(tx, [code.partnerId]))(code.partnerId);
  if (click.at.getTime() < now.getTime() - days * dayMs)
    throw failField('clickId', `The click is more than ${days} days old and attributes nothing`);
  const { partnerId, code: name } = code;
  return { partnerId, code: name, clickId, source: 'link', occurredAt: click.at, field: 'clickId' };
}

/**
 * Locks a partner against status changes, but not against other referrals of the same partner.
 * @throws 422 on the field if there is no such partner, 409 unless it is approved
 */
export async function lockApprovedPartner(tx: Tx, id: number, field: string): Promise<Person> {
  const [partner] = await tx.sql<Person & { status: string }>`
    SELECT status, email, first_name AS "firstName", last_name AS "lastName" FROM partner WHERE id = ${id} FOR SHARE`;
  if (!partner) throw failField(field, unknownId('partner'));
  if (partner.status === 'approved') return partner;
  const message = `The partner is ${partner.status}; only approved partners can refer leads`;
  throw fail('partner_not_approved', [{ field, message }]);
}
