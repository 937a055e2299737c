import type { Caller } from '@tandem/caller';
import { unknownNames } from '@tandem/crm-contract';
import type { PortalLead } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import { asReferral } from '../referrals/referral.ts';

/** The level of disclosure to partners: nothing, names and the values of deals, or also addresses and phone numbers. */
export type Disclosure = 'none' | 'names' | 'contacts';

/** The fields of a lead that the portal can show. */
export interface LeadOfPartner {
  status: string;
  email: string;
  firstName: string;
  lastName: string;
  phone: string | null;
}

/** The setting of the addon Partner Program; names without the addon. */
export async function readDisclosure(
  { addonSettings }: Pick<Tools, 'addonSettings'>,
  caller: Caller,
): Promise<Disclosure> {
  const settings = await addonSettings(caller, 'partner_program');
  return settings?.disclosure ?? 'names';
}

/** A referral with what is disclosed of its lead; a deleted lead has no data. */
export function asPortalLead(
  row: ReferralRow,
  lead: LeadOfPartner | undefined,
  disclosure: Disclosure,
): z.output<typeof PortalLead> {
  const { id, leadId, status: referralStatus, source, code, occurredAt } = asReferral(row);
  const named = disclosure !== 'none';
  const whole = disclosure === 'contacts';
  return {
    id,
    leadId,
    referralStatus,
    source,
    code,
    occurredAt,
    leadStatus: lead?.status ?? null,
    // The name of a lead of whom only the address is known is a part of the address.
    firstName: lead && (whole || (named && lead.lastName !== unknownNames(lead).lastName)) ? lead.firstName : null,
    lastName: whole ? (lead?.lastName ?? null) : null,
    email: whole ? (lead?.email ?? null) : null,
    phone: whole ? (lead?.phone ?? null) : null,
  };
}
