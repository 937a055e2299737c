import type { payoutAccounts } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { readAccount } from './read-account.ts';

export const getPortalPayoutAccount: Handler<typeof payoutAccounts.getPortalPayoutAccount> = async ({ caller, tx }) => {
  const { id } = await readOwnPartner(tx, caller);
  return readAccount(tx, id);
};
