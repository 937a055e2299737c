import type { portalData } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { asCodes } from '../referral-codes/code.ts';

export const listPortalReferralCodes =
  (tools: Tools): Handler<typeof portalData.listPortalReferralCodes> =>
  async ({ query: { isActive }, caller, tx, list }) => {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    const page = await list({
      model: tx.referralCode,
      where: { partnerId, ...(isActive !== undefined && { isActive }) },
    });
    return { ...page, items: await asCodes(tx, page.items, tools) };
  };
