import { actingUserId } from '@tandem/caller';
import { codesMax, referralCodeCreated, type referralCodes } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockPartner, readPartner } from '../partners/partner.ts';
import { checkInput } from './check-input.ts';
import { asCode, codeEvent } from './code.ts';
import { insertCode } from './make-code.ts';
import { checkApproved } from './partner-of-code.ts';

export const createReferralCode = (tools: Tools): Handler<typeof referralCodes.createReferralCode> => ({
  async check({ params, body, caller, tx }) {
    checkApproved(await readPartner(tx, params.id));
    await checkInput(body, caller, tools);
  },
  async run({ params, body, caller, tx, emit }) {
    const partner = await lockPartner(tx, params.id);
    checkApproved(partner);
    if ((await tx.referralCode.count({ where: { partnerId: partner.id } })) >= codesMax) throw fail('too_many_codes');
    const { code = null, ...fields } = body;
    const row = await insertCode(tx, code, {
      ...fields,
      partnerId: partner.id,
      createdBy: actingUserId(caller) ?? null,
    });
    if (!row)
      throw fail('code_taken', [{ field: 'code', message: 'Must be unique; a partner has this referral code' }]);
    const record = await asCode(tx, row, tools);
    emit(referralCodeCreated, codeEvent(record));
    return record;
  },
});
