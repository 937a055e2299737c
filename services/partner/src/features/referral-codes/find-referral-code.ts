import type { referralCodes } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { unusable, usesOf } from './code.ts';

export const findReferralCode: Handler<typeof referralCodes.findReferralCode> = async ({ params, tx }) => {
  const row = await tx.referralCode.findFirst({ where: { code: params.code } });
  const partner = row && (await tx.partner.findFirst({ where: { id: row.partnerId } }));
  if (!partner) throw fail('not_found');
  const { code, label, partnerId } = row;
  if (partner.status !== 'approved')
    throw fail('partner_not_approved', [{ field: 'code', message: `The partner is ${partner.status}` }]);
  const uses = row.maxUses === null ? 0 : ((await usesOf(tx, [code])).get(code) ?? 0);
  const message = unusable(row, uses, new Date());
  if (message) throw fail('code_not_usable', [{ field: 'code', message }]);
  const { firstName, lastName, company } = partner;
  return { partnerId, partnerName: `${firstName} ${lastName}`, company, code, label };
};
