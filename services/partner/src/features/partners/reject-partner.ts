import { type partnerLife, partnerRejected } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus } from './change-status.ts';
import { lockPartner } from './partner.ts';

export const rejectPartner: Handler<typeof partnerLife.rejectPartner> = async (context) => {
  const { params, body, tx, emit, ifMatch } = context;
  const before = await lockPartner(tx, params.id);
  ifMatch(before);
  const { partner, changes } = await changeStatus(tx, before, { to: 'rejected', by: 'rejectPartner', because: body });
  emit(partnerRejected, { data: { partnerId: partner.id, reason: body.reason }, record: partner, changes });
  return partner;
};
