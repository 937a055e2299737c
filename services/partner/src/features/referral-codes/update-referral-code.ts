import { type referralCodes, referralCodeUpdated } from '@tandem/partner-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkInput } from './check-input.ts';
import { asCode, codeEvent, lockCode, writeCode } from './code.ts';

export const updateReferralCode = (tools: Tools): Handler<typeof referralCodes.updateReferralCode> => ({
  async check({ params, body, caller, tx }) {
    const code = await tx.referralCode.findFirst({ where: { id: params.codeId, partnerId: params.id } });
    if (!code) throw fail('not_found');
    // Values that stay were checked when they were set.
    await checkInput(diff(code, body).values, caller, tools);
  },
  async run({ params, body, tx, emit, ifMatch }) {
    const code = await lockCode(tx, params);
    ifMatch(code);
    const { isEmpty, values, audit } = diff(code, body);
    if (isEmpty) return asCode(tx, code, tools);
    const updated = await asCode(tx, await writeCode(tx, code.id, values), tools);
    emit(referralCodeUpdated, { ...codeEvent(updated), changes: audit });
    return updated;
  },
});
