import type { Person } from './provider.ts';

const google = 'https://accounts.google.com';
const microsoftHosts = ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn'];
// The last one is the tenant id of personal Microsoft accounts, which is the same for everybody.
const everyTenant = ['common', 'organizations', 'consumers', '9188040d-6c67-4c5b-b112-36a304b66dad'];

// Hosts of providers where anybody can open an account, or where a directory may let anybody sign up.
const sharedHosts = [
  'access.line.me',
  'api.login.yahoo.com',
  'appleid.apple.com',
  'gitlab.com',
  'id.twitch.tv',
  'login.salesforce.com',
  'slack.com',
  'www.facebook.com',
  'www.linkedin.com',
  'www.paypal.com',
];
const sharedDomains = ['.b2clogin.com', '.ciamlogin.com'];

/**
 * Why an issuer cannot be that of one company: it stands for many directories, and whoever controls any of them chooses
 * the addresses that it sends. Undefined for other issuers.
 */
export function issuerError(issuer: string): string | undefined {
  if (/[{}]|%7b|%7d/i.test(issuer)) return 'Must be the issuer itself, not a template with a placeholder';
  const { host, pathname } = new URL(issuer);
  const [tenant = ''] = decodeURIComponent(pathname).toLowerCase().split('/').filter(Boolean);
  if (microsoftHosts.includes(host) && (tenant === '' || everyTenant.includes(tenant)))
    return 'Must name your own directory: https://login.microsoftonline.com/<directory id>/v2.0';
  return undefined;
}

/**
 * Whether the metadata of a provider names exactly the issuer that was configured. The client library accepts another one
 * from Microsoft, also the template of the issuer of every directory.
 */
export function isNamedBy(metadataIssuer: string, issuer: string): boolean {
  return issuerError(metadataIssuer) === undefined && new URL(metadataIssuer).href === new URL(issuer).href;
}

/**
 * Whether a sign-in through an issuer proves the address of the person. A provider of one company may leave
 * `email_verified` out, as Microsoft Entra ID does: it answers for its accounts, and the tenant has proven the domain. A
 * shared provider has to state that the address is verified.
 */
export function provesAddress(issuer: string, { isEmailVerified }: Pick<Person, 'isEmailVerified'>): boolean {
  return isEmailVerified ?? !isShared(issuer);
}

/**
 * The domain that has to be proven besides that of the address. Google signs in everybody: only the accounts of a
 * Workspace, which `hd` names, are managed by a company. A private account may have a company's address too, and keep it
 * when its owner leaves the company.
 * @returns null if none is needed, undefined if the person belongs to no Workspace
 */
export function workspaceOf(issuer: string, { hostedDomain }: Pick<Person, 'hostedDomain'>): string | null | undefined {
  return new URL(issuer).origin === google ? hostedDomain : null;
}

function isShared(issuer: string): boolean {
  const { origin, host } = new URL(issuer);
  return origin === google || sharedHosts.includes(host) || sharedDomains.some((domain) => host.endsWith(domain));
}
