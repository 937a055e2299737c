import { actingUserId } from '@tandem/caller';
import { partnerApproved, partnerRegistered, type partners } from '@tandem/partner-contract';
import { fail, toJsonColumn } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools } from '../../handler.ts';
import { recordFirstParent } from '../hierarchy/parent-change.ts';
import { checkFirstParent, lockHierarchy } from '../hierarchy/place.ts';
import { addCode, ensureCode } from '../referral-codes/make-code.ts';
import { recordFirstTier } from '../tiers/change-tier.ts';
import { asPartner } from './partner.ts';

/** Whether the tenant approves partners when they register. */
type Found = { approves: boolean };

export const createPartner = ({ addonSettings }: Tools): Handler<typeof partners.createPartner, Found> => ({
  async check({ caller }) {
    const settings = await addonSettings(caller, 'partner_program');
    return { approves: settings?.autoApprove === true };
  },
  async run({ body, caller, tx, emit, found }) {
    const { referralCode, customFields, ...fields } = body;
    if (fields.parentPartnerId) {
      await lockHierarchy(tx);
      await checkFirstParent(tx, fields.parentPartnerId);
    }
    const row = await tx.partner
      .create({
        data: {
          ...fields,
          ...(found.approves && { status: 'approved', approvedAt: new Date() }),
          ...(customFields && { customFields: toJsonColumn(customFields) }),
          emailKey: body.email.toLowerCase(),
          createdBy: actingUserId(caller) ?? null,
        },
      })
      .catch((error: unknown) => {
        throw isTaken(error)
          ? fail('email_taken', [
              { field: 'email', message: 'Must be unique; another partner has this e-mail address' },
            ])
          : error;
      });
    if (referralCode) await addCode(tx, row.id, referralCode);
    else if (found.approves) await ensureCode(tx, row.id);
    const partner = asPartner(row);
    await recordFirstTier(tx, partner);
    await recordFirstParent(tx, partner);
    emit(partnerRegistered, { data: { partnerId: partner.id, company: partner.company }, record: partner });
    if (found.approves) emit(partnerApproved, { data: { partnerId: partner.id }, record: partner });
    return partner;
  },
});
