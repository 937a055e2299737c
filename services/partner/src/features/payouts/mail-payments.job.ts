import { fromMinor } from '@tandem/contract';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { renderLetter } from '@tandem/mail';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { senderOf } from '../portal-accounts/letters.ts';
import { withPassword } from '../portal-users/portal-user.ts';
import { noAccountLetter, paidLetter } from './payment-letters.ts';
import { mailPaymentsJob } from './payout-jobs.ts';

const ownersMax = 20;
const letters = { paid: paidLetter, no_account: noAccountLetter };

type Payload = z.output<typeof mailPaymentsJob.payload>;

/**
 * Mails owners about payments. It is scheduled by the transaction that makes a payment or lets it fail, so that each payment is
 * mailed once, and the payout does not wait for the messages. They are bulk mail, so that many do not delay links to sign in.
 */
export const mailPayments = ({ settingsOf, mail, portalLinks }: Pick<Tools, 'settingsOf' | 'mail' | 'portalLinks'>) =>
  job({
    ...mailPaymentsJob,
    async run({ payload, scope, outside, finish }: JobContext<Payload, Tx>) {
      const { payoutId, itemIds, outcome } = payload;
      const settings = await outside(() => settingsOf({ ...scope, requestId: `mail_payments_${payoutId}` }));
      const sender = senderOf(settings);
      await finish(async (inside) => {
        const payout = await inside.tx.payout.findFirst({ where: { id: payoutId } });
        if (!payout) return;
        const { currency, periodEnd } = payout;
        const items = await inside.tx.payoutItem.findMany({ where: { payoutId, id: { in: itemIds } } });
        const owners = await ownersOf(
          inside.tx,
          items.map(({ partnerId }) => partnerId),
        );
        const messages = items.flatMap(({ partnerId, amountMinor }) => {
          const payment = { amount: fromMinor(amountMinor, currency), currency, periodEnd };
          const content = renderLetter(letters[outcome](sender, payment, portalLinks.home));
          const to = owners.get(partnerId)?.slice(0, ownersMax) ?? [];
          return to.map((address) => ({
            kind: 'bulk' as const,
            to: address,
            template: `portal_payment_${outcome}`,
            content,
          }));
        });
        if (messages.length) await mail(inside, messages);
      });
    },
    /** Without another one, owners would not learn that they were paid. */
    giveUp: scheduleAgain(mailPaymentsJob),
  });

/** The addresses of the owners of partners who can sign in. */
async function ownersOf(tx: Tx, partnerIds: number[]): Promise<Map<number, string[]>> {
  const rows = await tx.portalUser.findMany({
    where: { partnerId: { in: partnerIds }, role: 'owner', ...withPassword },
    select: { partnerId: true, email: true },
    orderBy: { id: 'asc' },
    take: partnerIds.length * ownersMax,
  });
  const owners = new Map<number, string[]>();
  for (const { partnerId, email } of rows) owners.set(partnerId, [...(owners.get(partnerId) ?? []), email]);
  return owners;
}
