import { mailboxOf } from '@tandem/contract';
import { type flagReasons, Referral, referralStates } from '@tandem/partner-contract';
import { currentLeads, fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { shareAccounts } from '../payout-accounts/shared-account.ts';
import { lockLeads } from './lock-leads.ts';

export type ReferralRecord = z.output<typeof Referral>;

/** Fields compared to detect self-referrals. */
export interface Person {
  email: string;
  firstName: string;
  lastName: string;
}

interface Pair {
  lead: Person;
  partner: Person & { partnerId: number };
}

export type FlagReason = (typeof flagReasons)[number];

/** The status of a new referral. */
export interface Judgement {
  status: 'attributed' | 'flagged';
  flagReason: FlagReason | null;
  /** Another partner, who protects the deal with this person by a registration. */
  registeredBy: number | null;
}

/**
 * The status of referrals, in order: a self-referral is flagged and earns nothing. The lead is the partner, one of its
 * portal users, or a partner with the same payout account.
 */
export async function judge(tx: Tx, pairs: readonly Pair[]): Promise<Judgement[]> {
  const shared = await shareAccounts(
    tx,
    pairs.map(({ lead: { email }, partner: { partnerId } }) => ({ email, partnerId })),
  );
  const mailboxes = await mailboxesOfUsers(tx, pairs);
  const registrars = await readRegistrars(tx, pairs);
  return pairs.map(({ lead, partner }, index) => {
    const mailbox = mailboxOf(lead.email);
    const isUser = mailboxes.has(`${partner.partnerId} ${mailbox}`);
    const own = shared[index] ? 'same_account' : null;
    const flagReason = isUser || isSamePerson(lead, partner) ? 'same_person' : own;
    const registrar = registrars.get(mailbox) ?? null;
    return {
      status: flagReason ? 'flagged' : 'attributed',
      flagReason,
      registeredBy: registrar === partner.partnerId ? null : registrar,
    };
  });
}

/** The partners whose protected registrations have these people as contacts, by mailbox. */
async function readRegistrars(tx: Tx, pairs: readonly Pair[]): Promise<Map<string, number>> {
  if (!pairs.length) return new Map();
  const rows = await tx.sql<{ mailbox: string; partnerId: number }>`
    SELECT mailbox_key AS mailbox, partner_id AS "partnerId" FROM deal_registration
    WHERE mailbox_key = ANY(${pairs.map(({ lead }) => mailboxOf(lead.email))}::text[])
      AND status IN ('approved', 'converted') AND protected_until > now()
      AND partner_id NOT IN (SELECT id FROM partner WHERE status = 'terminated')`;
  return new Map(rows.map(({ mailbox, partnerId }) => [mailbox, partnerId]));
}

/** The ids of partners, each with the mailbox of one of its portal users. */
async function mailboxesOfUsers(tx: Tx, pairs: readonly Pair[]): Promise<Set<string>> {
  if (!pairs.length) return new Set();
  const ids = [...new Set(pairs.map(({ partner: { partnerId } }) => partnerId))];
  const users = await tx.portalUser.findMany({
    where: { partnerId: { in: ids } },
    select: { partnerId: true, email: true },
  });
  return new Set(users.map(({ partnerId, email }) => `${partnerId} ${mailboxOf(email)}`));
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

const columns = Referral.pick({ status: true, source: true, flagReason: true });

/** Converts a row to the contract's `Referral`. */
export function asReferral(row: ReferralRow): ReferralRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: referralStates.next(checked.status) };
}

/** Locks a referral and its lead, so that no event of the lead or its deals is handled meanwhile; 404 if there is none. */
export async function lockReferral(tx: Tx, id: number): Promise<ReferralRow> {
  const known = await tx.referral.findFirst({ where: { id }, select: { leadId: true } });
  if (!known) throw fail('not_found');
  const current = (await currentLeads(tx, [known.leadId])).get(known.leadId) ?? known.leadId;
  // Leads are locked before their referrals, as everywhere.
  await lockLeads(tx, [known.leadId, current]);
  const row = await tx.referral.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** The referrals that no person has cleared of a reason, for a query. */
export const notCleared = (reason: FlagReason) => ({
  OR: [{ clearedAt: null }, { flagReason: null }, { flagReason: { not: reason } }],
});

/** Updates a locked referral and increments its version. */
export async function writeReferral(
  tx: Tx,
  id: number,
  data: Parameters<Tx['referral']['updateManyAndReturn']>[0]['data'],
): Promise<ReferralRow> {
  const [row] = await tx.referral.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return row;
}

/** The 409 error for a status that does not allow the operation. */
export function wrongTransition({ status }: ReferralRecord) {
  return fail('transition_refused', [transitionError(status, referralStates.next(status))]);
}
