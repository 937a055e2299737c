import { partnerReapplied, type portalAccounts } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { changeStatus } from '../partners/change-status.ts';
import { lockPartner } from '../partners/partner.ts';
import { confirmAddress } from './confirm-address.ts';
import { badLink, findLink, useLink } from './portal-token.ts';

export const confirmApplication =
  ({ portalLinks }: Tools): Handler<typeof portalAccounts.confirmApplication> =>
  async ({ body, inTenant }) => {
    const link = portalLinks.read(body.token, ['application']);
    if (!link) throw badLink();
    const { tenantId, environment, hash } = link;
    const scope = { tenantId, environment };
    const { user } = await inTenant(scope, ({ tx }) => findLink(tx, hash));
    const actor = { type: 'portal' as const, portalUserId: user.id, partnerId: user.partnerId, name: user.email };
    await inTenant({ ...scope, actor }, async ({ tx, emit }) => {
      const before = await lockPartner(tx, user.partnerId);
      await useLink(tx, hash);
      await confirmAddress({ tx, emit }, user);
      // A rejection withdraws the links of the application before it, so this one belongs to a new application.
      if (before.status !== 'rejected') return;
      const { partner, changes } = await changeStatus(tx, before, { to: 'pending', by: 'reapplyPartner' });
      emit(partnerReapplied, { data: { partnerId: partner.id, reason: null }, record: partner, changes });
    });
    return { confirmed: true };
  };
