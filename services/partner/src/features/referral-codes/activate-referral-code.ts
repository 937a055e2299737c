import { referralCodeActivated, type referralCodes } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockPartner } from '../partners/partner.ts';
import { asCode, codeEvent, lockCode, writeCode } from './code.ts';
import { checkApproved } from './partner-of-code.ts';

export const activateReferralCode =
  (tools: Tools): Handler<typeof referralCodes.activateReferralCode> =>
  async ({ params, tx, emit, ifMatch }) => {
    const partner = await lockPartner(tx, params.id);
    const code = await lockCode(tx, params);
    ifMatch(code);
    checkApproved(partner);
    if (code.expiresAt && code.expiresAt.getTime() <= Date.now()) throw fail('code_expired');
    if (code.isActive) return asCode(tx, code, tools);
    const activated = await asCode(tx, await writeCode(tx, code.id, { isActive: true }), tools);
    emit(referralCodeActivated, { ...codeEvent(activated), changes: { isActive: { from: false, to: true } } });
    return activated;
  };
