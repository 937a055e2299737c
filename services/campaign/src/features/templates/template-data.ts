import type { Lead } from '@tandem/crm-contract';
import type { z } from 'zod';

type Person = Pick<
  z.output<typeof Lead>,
  'firstName' | 'lastName' | 'email' | 'phone' | 'status' | 'source' | 'score' | 'tags' | 'customFields'
>;

/** The values of a lead that placeholders can use: the same in messages, previews, tasks and webhooks. */
export function leadValues({ firstName, lastName, email, phone, status, source, score, tags, customFields }: Person) {
  return { firstName, lastName, email, phone: phone ?? null, status, source, score, tags, customFields };
}

/** The values that placeholders of a preview can use. */
export function templateData(of: {
  lead: Person;
  tenantName: string;
  unsubscribeUrl: string;
  preferencesUrl: string;
}): Record<string, unknown> {
  return {
    lead: leadValues(of.lead),
    tenant: { name: of.tenantName },
    unsubscribeUrl: of.unsubscribeUrl,
    preferencesUrl: of.preferencesUrl,
  };
}

/** The person of a preview without a lead. */
export const samplePerson: Person & { phone: string } = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phone: '+491701234567',
  status: 'new',
  source: 'web',
  score: 50,
  tags: ['spring'],
  customFields: {},
};
