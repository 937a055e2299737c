import { toJsonColumn } from '@tandem/service';
import { consentColumn } from './consent.ts';
import type { LeadRecord } from './lead.ts';
import { matchKeys } from './similarity.ts';

/** The columns of changed values of a lead, with those that are calculated from them. */
export function leadColumns(lead: LeadRecord, values: Partial<LeadRecord>) {
  const { customFields, consent, scorePinned, ...fields } = values;
  return {
    ...fields,
    ...matchKeys({ ...lead, ...fields }),
    ...('externalId' in values && { externalKey: values.externalId ?? null }),
    ...(scorePinned !== undefined && { scorePinned }),
    ...(consent && { consent: consentColumn(consent) }),
    ...(customFields && { customFields: toJsonColumn(customFields) }),
    ...(values.referralCode && { referralCodeAt: new Date() }),
  };
}
