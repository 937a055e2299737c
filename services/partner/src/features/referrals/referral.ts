import { mailboxOf } from '@tandem/contract';
import { Referral, type referralStatuses } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Referral as ReferralRow } from '../../generated/client.ts';

/** Fields compared to detect self-referrals. */
export interface Person {
  email: string;
  firstName: string;
  lastName: string;
}

/** A self-referral is flagged and earns nothing. */
export function statusOf(lead: Person, partner: Person): (typeof referralStatuses)[number] {
  return isSamePerson(lead, partner) ? 'flagged' : 'attributed';
}

/** Same mailbox, or same name at the same domain. */
function isSamePerson(one: Person, other: Person): boolean {
  const [mine, theirs] = [mailboxOf(one.email), mailboxOf(other.email)];
  return mine === theirs || (domainOf(mine) === domainOf(theirs) && nameOf(one) === nameOf(other));
}

function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf('@') + 1);
}

function nameOf({ firstName, lastName }: Person): string {
  return `${firstName} ${lastName}`.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
}

const columns = Referral.pick({ status: true });

/** Converts a row to the contract's `Referral`. */
export function asReferral(row: ReferralRow): z.output<typeof Referral> {
  return { ...row, ...columns.parse(row) };
}
