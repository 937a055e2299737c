import { event, id, operations, secret, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { userLoggedOut } from './auth.ts';

export const ssoDomainsMax = 20;

export const SsoDomainStatus = z.enum(['pending', 'verified']).describe('Whether the DNS record has proven the domain');

/** A domain whose e-mail addresses may sign in through the identity provider. */
export const SsoDomain = z.object({
  id: id('sso_domain'),
  domain: z.string().meta({ description: 'The domain of the e-mail addresses', examples: ['example.com'] }),
  status: SsoDomainStatus,
  recordName: z.string().meta({
    description: 'The name of the DNS record of type TXT that proves the domain',
    examples: ['_tandem.example.com'],
  }),
  recordValue: z.string().meta({
    description: 'The value of this record',
    examples: ['tandem-verification=4e1b6a0c9d2f83b7a5c1'],
  }),
  verifiedAt: timestamp()
    .nullable()
    .meta({ description: 'When the domain was proven', examples: ['2026-03-04T08:02:47.000Z'] }),
  createdAt: timestamp(),
});

const Issuer = z
  .url({ error: 'Must be a URL' })
  .max(500, { error: 'Must be at most 500 characters' })
  .meta({
    description:
      'The issuer of the OpenID Connect provider, without `/.well-known/openid-configuration`, exactly as its metadata names it. Issuers of many directories, such as `https://login.microsoftonline.com/common/v2.0`, are refused',
    examples: ['https://login.example.com'],
  });
const clientId = () =>
  z
    .string()
    .trim()
    .min(1, { error: 'Must not be empty' })
    .max(300, { error: 'Must be at most 300 characters' })
    .meta({ description: 'The client id at the provider', examples: ['tandem'] });
const allowSignUp = () =>
  z.boolean().describe('Whether a person without a user gets one at the first sign-in, with `defaultRoleId`');
const enforce = () =>
  z
    .boolean()
    .describe('Whether users of proven domains must sign in through the provider. Owners may use their passwords too');

export const SsoConnection = z.object({
  issuer: z.string().meta({
    description: 'The issuer of the OpenID Connect provider',
    examples: ['https://login.example.com'],
  }),
  clientId: clientId(),
  clientSecret: z.literal('***').describe('Always `***`; the secret is write-only'),
  defaultRoleId: id('role').nullable().describe('The role of users who are created at their first sign-in'),
  allowSignUp: allowSignUp(),
  enforce: enforce(),
  redirectUri: z.string().meta({
    description: 'The redirect URI to register at the provider',
    examples: ['https://api.example.com/v1/auth/sso/callback'],
  }),
  domains: z.array(SsoDomain).describe('The domains of the tenant'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const settings = z.object({ id: id('tenant'), issuer: z.string(), allowSignUp: z.boolean(), enforce: z.boolean() });

export const ssoConfigured = event('sso.configured', {
  description: 'Single sign-on of a tenant is set up or changed',
  action: 'sso.configure',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant') }),
  record: settings,
});

export const ssoRemoved = event('sso.removed', {
  description: 'Single sign-on of a tenant is removed',
  action: 'sso.remove',
  target: 'tenant',
  data: z.object({ tenantId: id('tenant') }),
  record: settings,
});

const domainRecord = z.object({ id: id('sso_domain'), domain: z.string() });

export const ssoDomainAdded = event('sso.domain_added', {
  description: 'A tenant adds a domain, which it has to prove',
  action: 'sso.add_domain',
  target: 'sso_domain',
  data: z.object({ domainId: id('sso_domain') }),
  record: domainRecord,
});

export const ssoDomainVerified = event('sso.domain_verified', {
  description: 'A tenant proves a domain',
  action: 'sso.verify_domain',
  target: 'sso_domain',
  data: z.object({ domainId: id('sso_domain') }),
  record: domainRecord,
});

export const ssoDomainRemoved = event('sso.domain_removed', {
  description: 'A tenant removes a domain',
  action: 'sso.remove_domain',
  target: 'sso_domain',
  data: z.object({ domainId: id('sso_domain') }),
  record: domainRecord,
});

const withDomain = z.object({ id: id('sso_domain') });

export const userUnlinked = event('user.sso_unlinked', {
  description: 'An administrator unlinks a user from the identity provider',
  action: 'user.unlink_sso',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record: z.object({ id: id('user') }),
});

export const sso = operations({
  getSso: {
    method: 'GET',
    path: '/v1/sso',
    permission: 'tenant:manage',
    summary: 'Retrieve single sign-on',
    reply: SsoConnection,
    message: 'Single sign-on retrieved',
  },
  configureSso: {
    method: 'PUT',
    path: '/v1/sso',
    permission: 'tenant:manage',
    feature: 'sso',
    peopleOnly: true,
    summary: 'Set up single sign-on',
    description:
      'Connects an OpenID Connect provider. Prove a domain first (POST /v1/sso/domains), then register a client at the provider with the redirect URI `<address of the API>/v1/auth/sso/callback`, and send its id and secret here. `clientSecret` is required at first, and whenever `issuer` or `clientId` change. People sign in through it if their e-mail address has a proven domain. It signs in only users whose role you could assign yourself; `defaultRoleId` cannot be the owner or a role with permissions that you do not have.',
    body: z.object({
      issuer: Issuer,
      clientId: clientId(),
      clientSecret: secret(
        z
          .string()
          .min(1, { error: 'Must not be empty' })
          .max(1_000, { error: 'Must be at most 1000 characters' })
          .meta({ description: 'The client secret at the provider', examples: ['a-long-secret'] })
          .optional(),
      ),
      defaultRoleId: id('role').nullish(),
      allowSignUp: allowSignUp().default(false),
      enforce: enforce().default(false),
    }),
    reply: SsoConnection,
    message: 'Single sign-on set up',
    example: { clientSecret: '***' },
    emits: [ssoConfigured],
    timeoutMs: 20_000,
  },
  deleteSso: {
    method: 'DELETE',
    path: '/v1/sso',
    permission: 'tenant:manage',
    peopleOnly: true,
    summary: 'Remove single sign-on',
    description: 'Users sign in with their passwords again. Domains stay proven until they are removed.',
    reply: z.object({ id: id('tenant'), deleted: z.literal(true).describe('Always true') }),
    message: 'Single sign-on removed',
    emits: [ssoRemoved],
  },
  listSsoDomains: {
    method: 'GET',
    path: '/v1/sso/domains',
    permission: 'tenant:manage',
    summary: 'List the domains of the tenant',
    reply: z.array(SsoDomain),
    message: 'Domains retrieved',
  },
  addSsoDomain: {
    method: 'POST',
    path: '/v1/sso/domains',
    permission: 'tenant:manage',
    feature: 'sso',
    peopleOnly: true,
    summary: 'Add a domain',
    description: `Returns the DNS record that proves the domain. A tenant has at most ${ssoDomainsMax} domains.`,
    body: z.object({
      domain: z
        .string()
        .trim()
        .min(1, { error: 'Must not be empty' })
        .max(253, { error: 'Must be at most 253 characters' })
        .meta({ examples: ['example.com'] }),
    }),
    reply: SsoDomain,
    status: 201,
    message: 'Domain added',
    emits: [ssoDomainAdded],
    errors: {
      domain_exists: [409, 'The tenant has this domain already'],
      too_many_domains: [409, `The tenant has ${ssoDomainsMax} domains already; remove one first`],
    },
  },
  verifySsoDomain: {
    method: 'POST',
    path: '/v1/sso/domains/:id/verify',
    permission: 'tenant:manage',
    feature: 'sso',
    peopleOnly: true,
    summary: 'Verify a domain',
    description: 'Looks up the DNS record. A domain that another tenant has proven cannot be taken.',
    params: withDomain,
    reply: SsoDomain,
    message: 'Domain verified',
    emits: [ssoDomainVerified],
    timeoutMs: 15_000,
    errors: {
      proof_missing: [409, 'The DNS record was not found. New records can take hours to become visible'],
      domain_taken: [409, 'Another tenant has proven this domain; contact support'],
    },
  },
  deleteSsoDomain: {
    method: 'DELETE',
    path: '/v1/sso/domains/:id',
    permission: 'tenant:manage',
    peopleOnly: true,
    summary: 'Remove a domain',
    params: withDomain,
    reply: z.object({ id: id('sso_domain'), deleted: z.literal(true).describe('Always true') }),
    message: 'Domain removed',
    emits: [ssoDomainRemoved],
  },
  unlinkUserSso: {
    method: 'DELETE',
    path: '/v1/users/:id/sso',
    permission: 'users:manage',
    summary: 'Unlink a user from the identity provider',
    description:
      'The next person whom the provider names with the address of the user is linked to the user. Use it when the provider gave the person a new account. If the address belongs to somebody else now, change the address of the user instead. Ends all sessions of the user. You cannot unlink a user whose role has permissions that you do not have.',
    params: z.object({ id: id('user') }),
    reply: z.object({ id: id('user'), deleted: z.literal(true).describe('Always true') }),
    message: 'User unlinked',
    emits: [userUnlinked, userLoggedOut],
    errors: { not_linked: [409, 'The user is not linked to an identity provider'] },
  },
});
