import { type partnerLife, partnerRejected } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { type Sender, senderOf } from '../portal-accounts/letters.ts';
import { withdrawApplication } from '../portal-accounts/portal-token.ts';
import { changeStatus } from './change-status.ts';
import { mailDecision } from './mail-decision.ts';
import { lockPartner, readPartner } from './partner.ts';

export const rejectPartner = (tools: Tools): Handler<typeof partnerLife.rejectPartner, Sender> => ({
  async check({ params, caller, tx }) {
    await readPartner(tx, params.id);
    return senderOf(await tools.settingsOf(caller));
  },
  async run({ params, body, found: sender, tx, emit, schedule, ifMatch }) {
    const before = await lockPartner(tx, params.id);
    ifMatch(before);
    const { partner, changes } = await changeStatus(tx, before, { to: 'rejected', by: 'rejectPartner', because: body });
    await withdrawApplication(tx, partner.id);
    emit(partnerRejected, { data: { partnerId: partner.id, reason: body.reason }, record: partner, changes });
    await mailDecision({ tx, schedule }, partner, { decision: 'rejected', sender }, tools);
    return partner;
  },
});
