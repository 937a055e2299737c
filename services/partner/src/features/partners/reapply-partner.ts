import { type partnerLife, partnerReapplied } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { changeStatus } from './change-status.ts';
import { mailDecision } from './mail-decision.ts';
import { lockPartner, readPartner } from './partner.ts';

export const reapplyPartner = (tools: Tools): Handler<typeof partnerLife.reapplyPartner, Sender> => ({
  async check({ params, caller, tx }) {
    await readPartner(tx, params.id);
    return senderOf(await tools.settingsOf(caller));
  },
  async run({ params, found: sender, tx, emit, schedule, ifMatch }) {
    const before = await lockPartner(tx, params.id);
    ifMatch(before);
    const { partner, changes } = await changeStatus(tx, before, { to: 'pending', by: 'reapplyPartner' });
    emit(partnerReapplied, { data: { partnerId: partner.id, reason: null }, record: partner, changes });
    await mailDecision({ tx, schedule }, partner, { decision: 'reopened', sender }, tools);
    return partner;
  },
});
