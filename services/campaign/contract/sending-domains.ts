import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { dnsRecordFields } from './dns-records.ts';

export const sendingDomainStatuses = ['pending', 'verified'] as const;
export const dnsRecordPurposes = ['ownership', 'dkim', 'next_dkim', 'spf', 'dmarc'] as const;

/** Maximum number of sending domains of a tenant. */
export const sendingDomainsMax = 50;

export const SendingDomainStatus = z
  .enum(sendingDomainStatuses)
  .meta({ description: 'Whether the required DNS records were found', examples: ['pending'] });
export const DnsRecordPurpose = z.enum(dnsRecordPurposes).meta({
  description:
    'What the record is for: it proves ownership, or it tells mail servers that your messages are genuine. `next_dkim` has the new key of a rotation.',
  examples: ['dkim'],
});
export const DnsRecord = z.object({
  purpose: DnsRecordPurpose,
  type: z.literal('TXT').describe('The type of the record'),
  name: dnsRecordFields.name.meta({ examples: ['tandem-1a2b3c._domainkey.example.com'] }),
  value: dnsRecordFields.value.meta({ examples: ['v=DKIM1; k=rsa; p=MIIBIjANBgkq…'] }),
  required: dnsRecordFields.required.meta({
    description: 'Whether the domain is verified only with this record. Large mail services expect all of them.',
  }),
  status: dnsRecordFields.status,
  found: dnsRecordFields.found.meta({ examples: [['v=spf1 -all']] }),
});

export const SendingDomain = z.object({
  id: id('sending_domain'),
  domain: z
    .string()
    .max(253)
    .meta({ description: 'The domain, in lower case', examples: ['example.com'] }),
  status: SendingDomainStatus,
  records: z.array(DnsRecord).describe('The DNS records that the domain needs, each with the result of the last check'),
  checkedAt: timestamp().nullable().describe('When the records were checked last'),
  verifiedAt: timestamp().nullable().describe('Since when the domain is verified; null if it is not'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const aboutDomain = {
  target: 'sending_domain',
  data: SendingDomain.pick({ domain: true, status: true }).extend({ sendingDomainId: id('sending_domain') }),
  record: SendingDomain.omit({ records: true }),
} as const;

export const sendingDomainAdded = event('sending_domain.added', {
  ...aboutDomain,
  description: 'A sending domain is added',
  action: 'sending_domain.add',
});
export const sendingDomainUpdated = event('sending_domain.updated', {
  ...aboutDomain,
  description: 'A sending domain gets a new DKIM key, or begins to sign with it',
  action: 'sending_domain.update',
});
export const sendingDomainVerified = event('sending_domain.verified', {
  ...aboutDomain,
  description: 'The DNS records of a sending domain were found',
  action: 'sending_domain.verify',
});
export const sendingDomainLost = event('sending_domain.lost', {
  ...aboutDomain,
  description: 'A required DNS record of a verified sending domain is gone; its senders send nothing until it is back',
  action: 'sending_domain.lose',
});
export const sendingDomainRemoved = event('sending_domain.removed', {
  ...aboutDomain,
  description: 'A sending domain is removed',
  action: 'sending_domain.remove',
});

const withId = z.object({ id: id('sending_domain') });

export const sendingDomains = operations({
  createSendingDomain: {
    method: 'POST',
    path: '/v1/campaigns/domains',
    permission: 'campaigns:write',
    summary: 'Add a sending domain',
    description:
      'The response lists the DNS records that you enter at your DNS provider. The platform signs messages with the key of the DKIM record (RFC 6376).',
    body: z.object({
      domain: text(253).meta({
        description: 'The part after the @ of your sender addresses',
        examples: ['example.com'],
      }),
    }),
    reply: SendingDomain,
    status: 201,
    message: 'Sending domain added',
    emits: [sendingDomainAdded],
    errors: {
      domain_exists: [409, 'The domain is in the list already'],
      too_many_domains: [409, `A tenant has at most ${sendingDomainsMax} sending domains; remove one`],
    },
  },
  listSendingDomains: {
    method: 'GET',
    path: '/v1/campaigns/domains',
    permission: 'campaigns:read',
    summary: 'List sending domains',
    query: listQuery(['createdAt', 'domain']).extend({ status: SendingDomainStatus.optional() }),
    reply: page(SendingDomain),
    message: 'Sending domains retrieved',
  },
  getSendingDomain: {
    method: 'GET',
    path: '/v1/campaigns/domains/:id',
    permission: 'campaigns:read',
    summary: 'Retrieve a sending domain',
    params: withId,
    reply: SendingDomain,
    message: 'Sending domain retrieved',
  },
  updateSendingDomain: {
    method: 'PATCH',
    path: '/v1/campaigns/domains/:id',
    permission: 'campaigns:write',
    summary: 'Rotate the DKIM key of a sending domain',
    description:
      'Creates a new key, whose record `next_dkim` you enter beside the present one. Messages are signed with the old key until a check finds the new record. Keep the old record for some days more, because mail servers look it up for messages on their way. A rotation that is under way begins anew.',
    params: withId,
    body: z.object({
      rotateKey: z.literal(true).meta({ description: 'Always true: replace the DKIM key', examples: [true] }),
    }),
    reply: SendingDomain,
    message: 'Sending domain updated',
    emits: [sendingDomainUpdated],
  },
  verifySendingDomain: {
    method: 'POST',
    path: '/v1/campaigns/domains/:id/verify',
    permission: 'campaigns:write',
    summary: 'Check the DNS records of a sending domain',
    description:
      'Looks up each record and stores what was found. The domain is verified when all required records are found, and loses that status when one is gone. The new key of a rotation is used from the time its record is found. The platform checks each domain once a day, too. If the name servers do not answer, the status stays as it is.',
    params: withId,
    reply: SendingDomain,
    message: 'Sending domain checked',
    emits: [sendingDomainVerified, sendingDomainLost, sendingDomainUpdated],
    timeoutMs: 30_000,
  },
  deleteSendingDomain: {
    method: 'DELETE',
    path: '/v1/campaigns/domains/:id',
    permission: 'campaigns:delete',
    summary: 'Remove a sending domain',
    description: 'Its key is deleted. A domain with senders cannot be removed.',
    params: withId,
    reply: z.object({ id: id('sending_domain'), deleted: z.literal(true).describe('Always true') }),
    message: 'Sending domain removed',
    emits: [sendingDomainRemoved],
    errors: { domain_in_use: [409, 'The domain has senders; delete them first'] },
  },
});
