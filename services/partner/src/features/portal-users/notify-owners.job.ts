import { id, timestamp } from '@tandem/contract';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { senderOf } from '../portal-accounts/letters.ts';
import { payoutAccountLetter, tierGraceLetter } from '../portal-accounts/notices.ts';
import { mailLetter } from '../portal-accounts/portal-mail.ts';
import { withPassword } from './portal-user.ts';

/** Mails the owners of a partner: that the payout account was changed, or that the tier will be lost. */
export const notifyOwnersJob = {
  name: 'notify-owners',
  payload: z.object({
    partnerId: id('partner'),
    notice: z.enum(['payout_account', 'tier_grace']),
    /** When the account was changed, or when the tier will be lost. */
    at: timestamp(),
  }),
};

const letters = { payout_account: payoutAccountLetter, tier_grace: tierGraceLetter };

export const notifyOwners = ({ settingsOf, mail }: Pick<Tools, 'settingsOf' | 'mail'>) =>
  job({
    ...notifyOwnersJob,
    async run({ payload, scope, outside, finish }: JobContext<z.output<typeof notifyOwnersJob.payload>, Tx>) {
      const { partnerId, notice, at } = payload;
      const settings = await outside(() => settingsOf({ ...scope, requestId: `notify_owners_${partnerId}` }));
      const letter = letters[notice](senderOf(settings), at);
      await finish(async (inside) => {
        const where = { partnerId, role: 'owner', ...withPassword };
        const owners = await inside.tx.portalUser.findMany({ where, select: { email: true } });
        for (const { email: to } of owners)
          await mailLetter(inside, { to, template: `portal_${notice}`, letter }, { mail });
      });
    },
    /** Without another one, owners would not learn that their account was changed. */
    giveUp: scheduleAgain(notifyOwnersJob),
  });
