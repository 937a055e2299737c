import { actingUserId } from '@tandem/caller';
import { ServiceCallError } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import type { dealRegistrations } from '@tandem/partner-contract';
import { asService, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { checkContact } from './contact-lead.ts';
import { finishConversion, type OpenedDeal, openDeal } from './conversion.ts';
import { checkApproved, checkTransition, lockDeal, readDeal } from './deal-registration.ts';

export const convertDealRegistration = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof dealRegistrations.convertDealRegistration, OpenedDeal> => ({
  async check({ params, body, caller, tx, ifMatch }) {
    const deal = await readDeal(tx, { id: params.id });
    ifMatch(deal);
    checkTransition(deal, 'converted');
    await checkApproved(tx, deal.partnerId);
    await checkContact({ tx, peers, caller }, deal);
    const isFirst = await claim(tx, deal.id);
    return openDeal(peers, deal, { as: asService(caller), ownerId: body.ownerId }).catch(async (error: unknown) => {
      if (!(error instanceof ServiceCallError) || error.status !== 422) throw error;
      // Refused before anything was created.
      if (isFirst) await release(tx, deal.id);
      throw failField('ownerId', unknownId('user'));
    });
  },
  async run({ params, caller, tx, emit, schedule, found: opened }) {
    const deal = await lockDeal(tx, { id: params.id });
    // The same request at the same time.
    if (deal.status === 'converted') return deal;
    checkTransition(deal, 'converted');
    return finishConversion({ tx, emit, schedule }, deal, { opened, by: { userId: actingUserId(caller) ?? null } });
  },
});

/**
 * Stores that a conversion begins: from now on the registration cannot be withdrawn, because its lead and its deal may exist.
 * Committed before crm is called. Returns whether it is the first attempt.
 */
async function claim(tx: Tx, id: number): Promise<boolean> {
  const claimed = await tx.sql`UPDATE deal_registration SET converting_at = now()
    WHERE id = ${id} AND status = 'approved' AND converting_at IS NULL RETURNING id`;
  return claimed.length > 0;
}

async function release(tx: Tx, id: number): Promise<void> {
  await tx.sql`UPDATE deal_registration SET converting_at = NULL WHERE id = ${id} AND status = 'approved'`;
}
