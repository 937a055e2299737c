import { referralCodeDeactivated, type referralCodes } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCode, codeEvent, lockCode, writeCode } from './code.ts';

export const deactivateReferralCode =
  (tools: Tools): Handler<typeof referralCodes.deactivateReferralCode> =>
  async ({ params, tx, emit, ifMatch }) => {
    const code = await lockCode(tx, params);
    ifMatch(code);
    if (!code.isActive) return asCode(tx, code, tools);
    const deactivated = await asCode(tx, await writeCode(tx, code.id, { isActive: false }), tools);
    emit(referralCodeDeactivated, { ...codeEvent(deactivated), changes: { isActive: { from: true, to: false } } });
    return deactivated;
  };
