import { event, iban, id, operations, requiredText, secret, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Partner } from './partners.ts';

/** The bank account of a partner, as it is shown. */
export const PayoutAccount = z.object({
  partnerId: id('partner'),
  account: z
    .string()
    .nullable()
    .meta({ description: 'The account, masked; null while the partner has none', examples: ['DE••3000'] }),
  updatedAt: timestamp()
    .nullable()
    .meta({
      description: 'When the account was set; null while the partner has none',
      examples: ['2026-03-04T08:02:47.000Z'],
    }),
});

export const payoutAccountChanged = event('partner.payout_account_changed', {
  description: 'The bank account of a partner changes',
  action: 'partner.change_payout_account',
  target: 'partner',
  data: z.object({ partnerId: id('partner') }),
  record: Partner,
});

export const payoutAccounts = operations({
  getPayoutAccount: {
    method: 'GET',
    path: '/v1/partners/:id/payout-account',
    permission: 'commissions:read',
    summary: 'Retrieve the payout account of a partner',
    description: 'The account is masked. Only the partner can set it, in the portal.',
    params: z.object({ id: id('partner') }),
    reply: PayoutAccount,
    message: 'Payout account retrieved',
  },
  getPortalPayoutAccount: {
    method: 'GET',
    path: '/v1/partners/portal/payout-account',
    audience: 'portal',
    permission: signedIn,
    summary: 'Retrieve the payout account in the portal',
    description: 'The account is masked.',
    reply: PayoutAccount,
    message: 'Payout account retrieved',
  },
  setPortalPayoutAccount: {
    method: 'PUT',
    path: '/v1/partners/portal/payout-account',
    audience: 'portal',
    permission: signedIn,
    portalRoles: ['owner'],
    summary: 'Set the payout account',
    description:
      'Sets the bank account that the partner is paid to, with the password of the user. It is stored encrypted, and the owners get a message about the change. Payments that have been started keep the account before.',
    body: z.object({
      holder: requiredText(70).meta({ description: 'The holder of the account', examples: ['Clarke Consulting'] }),
      iban: secret(iban()),
      bic: secret(
        z
          .string()
          .regex(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/, { error: 'Must be a BIC of 8 or 11 characters' })
          .nullish()
          .meta({ description: 'The BIC, for banks outside of SEPA', examples: ['COBADEFFXXX'] }),
      ),
      password: secret(
        z
          .string()
          .min(1, { error: 'Must not be empty' })
          .max(200, { error: 'Must be at most 200 characters' })
          .meta({ description: 'The password of the user', examples: ['a long phrase is best'] }),
      ),
    }),
    reply: PayoutAccount,
    message: 'Payout account set',
    emits: [payoutAccountChanged],
    errors: {
      wrong_password: [403, 'The password is wrong'],
      too_many_failures: [429, 'Too many wrong passwords. Wait before you try again.'],
    },
  },
});
