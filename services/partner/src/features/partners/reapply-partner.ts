import { type partnerLife, partnerReapplied } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus } from './change-status.ts';
import { lockPartner } from './partner.ts';

export const reapplyPartner: Handler<typeof partnerLife.reapplyPartner> = async ({ params, tx, emit, ifMatch }) => {
  const before = await lockPartner(tx, params.id);
  ifMatch(before);
  const { partner, changes } = await changeStatus(tx, before, { to: 'pending', by: 'reapplyPartner' });
  emit(partnerReapplied, { data: { partnerId: partner.id, reason: null }, record: partner, changes });
  return partner;
};
