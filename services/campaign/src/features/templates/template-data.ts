import type { Lead } from '@tandem/crm-contract';
import type { z } from 'zod';

type Person = Pick<z.output<typeof Lead>, 'firstName' | 'lastName' | 'email' | 'phone' | 'customFields'>;

/** The values that placeholders can use. */
export function templateData(of: {
  lead: Person;
  tenantName: string;
  unsubscribeUrl: string;
  preferencesUrl: string;
}): Record<string, unknown> {
  const { firstName, lastName, email, phone, customFields } = of.lead;
  return {
    lead: { firstName, lastName, email, phone: phone ?? null, customFields },
    tenant: { name: of.tenantName },
    unsubscribeUrl: of.unsubscribeUrl,
    preferencesUrl: of.preferencesUrl,
  };
}

/** The person of a preview without a lead. */
export const samplePerson: Person = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+491701234567',
  customFields: {},
};
