import type { payoutAccounts } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getPayoutAccount } from './get-payout-account.ts';
import { getPortalPayoutAccount } from './get-portal-payout-account.ts';
import { setPortalPayoutAccount } from './set-portal-payout-account.ts';

export const payoutAccountHandlers = (tools: Tools) =>
  ({
    getPayoutAccount,
    getPortalPayoutAccount,
    setPortalPayoutAccount: setPortalPayoutAccount(tools),
  }) satisfies Handlers<typeof payoutAccounts, Tx>;
