import { z } from 'zod';

export const DnsRecordStatus = z.enum(['unchecked', 'found', 'missing', 'wrong', 'unavailable']).meta({
  description:
    'The result of the last check. `wrong`: there is a record with another value. `unavailable`: the name servers did not answer.',
  examples: ['found'],
});

/** The fields of a DNS record that a domain needs, besides its purpose and its type. */
export const dnsRecordFields = {
  name: z.string().describe('The name of the record'),
  value: z.string().describe('The value that you enter'),
  required: z.boolean().meta({ description: 'Whether the domain is verified only with this record', examples: [true] }),
  status: DnsRecordStatus,
  found: z.array(z.string()).describe('What the last check found under this name'),
};
