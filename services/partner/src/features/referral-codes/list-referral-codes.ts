import type { referralCodes } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asCodes } from './code.ts';

export const listReferralCodes =
  (tools: Tools): Handler<typeof referralCodes.listReferralCodes> =>
  async ({ params, query: { isActive }, tx, list }) => {
    const { id: partnerId } = await readPartner(tx, params.id);
    const page = await list({
      model: tx.referralCode,
      where: { partnerId, ...(isActive !== undefined && { isActive }) },
    });
    return { ...page, items: await asCodes(tx, page.items, tools) };
  };
