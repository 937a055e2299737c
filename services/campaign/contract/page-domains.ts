import { event, id, listQuery, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { dnsRecordFields } from './dns-records.ts';

export const pageDomainStatuses = ['pending', 'verified'] as const;

/** Maximum number of page domains of a tenant in an environment. */
export const pageDomainsMax = 50;

export const PageDomainStatus = z.enum(pageDomainStatuses).meta({
  description: 'Whether the proof of ownership was found; only a verified domain shows pages',
  examples: ['pending'],
});
export const PageDomainRecordPurpose = z.enum(['ownership', 'address']).meta({
  description: 'What the record is for: it proves ownership, or it leads visitors to the platform',
  examples: ['ownership'],
});
export const PageDomainRecord = z.object({
  purpose: PageDomainRecordPurpose,
  type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']).meta({
    description:
      'The type of the record. Where a CNAME is not possible, such as at the top of a zone, an ALIAS record or A and AAAA records with the same addresses do as well.',
    examples: ['TXT'],
  }),
  name: dnsRecordFields.name.meta({ examples: ['_tandem-pages.www.example.com'] }),
  value: dnsRecordFields.value.meta({ examples: ['tandem-pages=K0r1n7sQ2mV9xYbT4hLwEa'] }),
  required: dnsRecordFields.required,
  status: dnsRecordFields.status,
  found: dnsRecordFields.found.meta({ examples: [['tandem-pages=K0r1n7sQ2mV9xYbT4hLwEa']] }),
});

export const PageDomain = z.object({
  id: id('page_domain'),
  host: z
    .string()
    .max(253)
    .meta({ description: 'The host name, in lower case', examples: ['www.example.com'] }),
  url: z.string().meta({
    description: 'The address of the home page; other pages follow it with their slug',
    examples: ['https://www.example.com/'],
  }),
  status: PageDomainStatus,
  homePageId: id('landing_page').nullable().describe('The landing page at `/`; null to show none there'),
  records: z
    .array(PageDomainRecord)
    .describe('The DNS records that the domain needs, each with the result of the last check'),
  checkedAt: timestamp().nullable().describe('When the records were checked last'),
  verifiedAt: timestamp().nullable().describe('Since when the domain is verified; null if it is not'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const aboutDomain = {
  target: 'page_domain',
  data: PageDomain.pick({ host: true, status: true }).extend({ pageDomainId: id('page_domain') }),
  record: PageDomain.omit({ records: true, url: true }),
} as const;

export const pageDomainAdded = event('page_domain.added', {
  ...aboutDomain,
  description: 'A page domain is added',
  action: 'page_domain.add',
});
export const pageDomainUpdated = event('page_domain.updated', {
  ...aboutDomain,
  description: 'A page domain gets another home page',
  action: 'page_domain.update',
});
export const pageDomainVerified = event('page_domain.verified', {
  ...aboutDomain,
  description: 'The proof of ownership of a page domain was found; it shows pages now',
  action: 'page_domain.verify',
});
export const pageDomainLost = event('page_domain.lost', {
  ...aboutDomain,
  description: 'The proof of ownership of a verified page domain is gone; it shows no pages until it is back',
  action: 'page_domain.lose',
});
export const pageDomainRemoved = event('page_domain.removed', {
  ...aboutDomain,
  description: 'A page domain is removed',
  action: 'page_domain.remove',
});

const withId = z.object({ id: id('page_domain') });

export const pageDomains = operations({
  createPageDomain: {
    method: 'POST',
    path: '/v1/campaigns/page-domains',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    summary: 'Add a page domain',
    description:
      'A verified domain shows the published landing pages of its environment at `/<slug>`. The response lists the DNS records that you enter at your DNS provider. The same domain can be pending in several tenants, and verified in one.',
    body: z.object({
      host: text(255).meta({ description: 'The host name, without scheme and port', examples: ['www.example.com'] }),
      homePageId: PageDomain.shape.homePageId.optional(),
    }),
    reply: PageDomain,
    status: 201,
    message: 'Page domain added',
    emits: [pageDomainAdded],
    errors: {
      domain_exists: [409, 'The host is in the list already'],
      too_many_domains: [409, `A tenant has at most ${pageDomainsMax} page domains; remove one`],
    },
  },
  listPageDomains: {
    method: 'GET',
    path: '/v1/campaigns/page-domains',
    permission: 'campaigns:read',
    summary: 'List page domains',
    query: listQuery(['createdAt', 'host']).extend({ status: PageDomainStatus.optional() }),
    reply: page(PageDomain),
    message: 'Page domains retrieved',
  },
  getPageDomain: {
    method: 'GET',
    path: '/v1/campaigns/page-domains/:id',
    permission: 'campaigns:read',
    summary: 'Retrieve a page domain',
    params: withId,
    reply: PageDomain,
    message: 'Page domain retrieved',
  },
  updatePageDomain: {
    method: 'PATCH',
    path: '/v1/campaigns/page-domains/:id',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    summary: 'Change the home page of a page domain',
    params: withId,
    body: z.object({ homePageId: PageDomain.shape.homePageId.optional() }),
    reply: PageDomain,
    message: 'Page domain updated',
    emits: [pageDomainUpdated],
  },
  verifyPageDomain: {
    method: 'POST',
    path: '/v1/campaigns/page-domains/:id/verify',
    permission: 'campaigns:write',
    feature: 'landing_pages',
    summary: 'Check the DNS records of a page domain',
    description:
      'Looks up each record and stores what was found. The domain is verified when the proof of ownership is found, and loses that status when the proof is gone. Where the domain leads is looked up once the proof was found. The platform checks each domain once a day, too. If the name servers do not answer, the status stays as it is.',
    params: withId,
    reply: PageDomain,
    message: 'Page domain checked',
    emits: [pageDomainVerified, pageDomainLost],
    errors: {
      host_taken: [
        409,
        'The host is verified by another tenant or in the other environment; remove it there. If you cannot, remove the TXT record of that one: the host is free within a day',
      ],
    },
    timeoutMs: 30_000,
  },
  deletePageDomain: {
    method: 'DELETE',
    path: '/v1/campaigns/page-domains/:id',
    permission: 'campaigns:delete',
    summary: 'Remove a page domain',
    description: 'The domain shows no pages any more. Its pages keep their addresses on the platform.',
    params: withId,
    reply: z.object({ id: id('page_domain'), deleted: z.literal(true).describe('Always true') }),
    message: 'Page domain removed',
    emits: [pageDomainRemoved],
  },
  getAllowedPageDomain: {
    method: 'GET',
    path: '/v1/public/page-domains/allowed',
    audience: 'public',
    summary: 'Check whether a host is a verified page domain',
    description:
      'For the proxy that terminates TLS: it asks before it obtains a certificate for a host, as `on_demand_tls` of Caddy does. 404 for every host that is not a verified page domain of an active tenant.',
    query: z.object({
      domain: text(255).meta({ description: 'The host name', examples: ['www.example.com'] }),
    }),
    // One proxy asks for all visitors.
    fromSharedAddresses: true,
    reply: z.object({ host: PageDomain.shape.host }),
    message: 'The host is a verified page domain',
  },
});
