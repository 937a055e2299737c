import { actingUserId } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { partnerRegistered, type partners } from '@tandem/partner-contract';
import { fail, failField, toJsonColumn } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { asPartner } from './partner.ts';
import { addCode } from './referral-code.ts';

export const createPartner: Handler<typeof partners.createPartner> = async ({ body, caller, tx, emit }) => {
  const { referralCode, customFields, ...fields } = body;
  if (fields.parentPartnerId) await checkParent(tx, fields.parentPartnerId);
  const row = await tx.partner
    .create({
      data: {
        ...fields,
        ...(customFields && { customFields: toJsonColumn(customFields) }),
        emailKey: body.email.toLowerCase(),
        createdBy: actingUserId(caller) ?? null,
      },
    })
    .catch((error: unknown) => {
      throw isTaken(error)
        ? fail('email_taken', [{ field: 'email', message: 'Must be unique; another partner has this e-mail address' }])
        : error;
    });
  if (referralCode) await addCode(tx, row.id, referralCode);
  const partner = asPartner(row);
  emit(partnerRegistered, { data: { partnerId: partner.id, company: partner.company }, record: partner });
  return partner;
};

async function checkParent(tx: Tx, id: number): Promise<void> {
  await tx.sql`SELECT id FROM partner WHERE id = ${id} FOR SHARE`;
  const parent = await tx.partner.findFirst({ where: { id }, select: { status: true } });
  if (!parent) throw failField('parentPartnerId', unknownId('partner'));
  if (parent.status !== 'approved')
    throw fail('parent_not_approved', [
      { field: 'parentPartnerId', message: `The partner is ${parent.status}; send the id of an approved partner` },
    ]);
}
