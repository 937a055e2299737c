import type { payoutAccounts } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { readAccount } from './read-account.ts';

export const getPayoutAccount: Handler<typeof payoutAccounts.getPayoutAccount> = async ({ params, tx }) => {
  const { id } = await readPartner(tx, params.id);
  return readAccount(tx, id);
};
