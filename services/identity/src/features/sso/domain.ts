import { randomBytes } from 'node:crypto';
import dns from 'node:dns';
import { domainToASCII } from 'node:url';
import type { SsoDomain } from '@tandem/identity-contract';
import { outgoingGuard } from '@tandem/process';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import type { SsoDomain as DomainRow } from '../../generated/client.ts';

/** Reads the TXT records of a name; none if there are none, or if name servers do not answer. */
export type ReadTxt = (name: string) => Promise<string[]>;

const timeoutMs = 2_000;
const tries = 2;
const domainName = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Creates a reader of TXT records.
 * @param servers name servers; those of the system by default
 */
export function createReadTxt(servers?: readonly string[]): ReadTxt {
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    outgoingGuard.assertMayCall('A name server');
    const records = await resolver.resolveTxt(name).catch(() => []);
    // A record is a list of strings of at most 255 bytes, which belong together (RFC 7208, section 3.3).
    return records.map((parts) => parts.join(''));
  };
}

/**
 * The form in which domains are compared: lower case, punycode.
 * @throws ApiError 422 when it is not a domain
 */
export function normalDomain(text: string): string {
  const domain = domainToASCII(text.toLowerCase().replace(/\.$/, ''));
  if (!domainName.test(domain)) throw failField('domain', 'Must be a domain, such as example.com');
  return domain;
}

/** A random proof that only the tenant knows. */
export function newProof(): string {
  return randomBytes(16).toString('hex');
}

/** Converts a row to the API resource. */
export function asDomain(row: DomainRow): z.output<typeof SsoDomain> {
  return {
    ...row,
    status: row.verifiedAt ? 'verified' : 'pending',
    recordName: `_tandem.${row.domain}`,
    recordValue: `tandem-verification=${row.token}`,
  };
}
