import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { PageDomainRecord } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { PageDomain as DomainRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import { type Check as AnyCheck, shownValues } from '../dns/checks.ts';
import type { Dns } from '../dns/dns.ts';

type RecordState = z.output<typeof PageDomainRecord>;
export type Check = AnyCheck<RecordState['purpose']>;
type Needed = Omit<RecordState, 'status' | 'found'>;
type OfDomain = Pick<DomainRow, 'tenantId' | 'environment' | 'host'>;

const proofLabel = '_tandem-pages';
const proofPrefix = 'tandem-pages=';
const proofLength = 24;
const addressTypes = { 0: 'CNAME', 4: 'A', 6: 'AAAA' } as const;

/** Maximum length of a host: the name of its proof is longer, and names have at most 253 characters (RFC 1035). */
export const hostLengthMax = 253 - proofLabel.length - 1;

type RecordTools = Pick<Tools, 'ids' | 'pagesHost'>;

/** The DNS records that a domain needs. */
export function neededRecords(tools: RecordTools, of: OfDomain): Needed[] {
  return [proofRecord(tools, of), addressRecord(tools, of)];
}

function proofRecord({ ids }: RecordTools, of: OfDomain): Needed {
  const name = `${proofLabel}.${of.host}`;
  return { purpose: 'ownership', type: 'TXT', name, value: proofOf(ids, of), required: true };
}

function addressRecord({ pagesHost }: RecordTools, { host }: OfDomain): Needed {
  const type = addressTypes[isIP(pagesHost) as keyof typeof addressTypes];
  // Not required: behind a CDN the domain has other addresses.
  return { purpose: 'address', type, name: host, value: pagesHost, required: false };
}

/**
 * The proof that the owner of a host admits a tenant. It is no secret, because only the owner can enter it. It is derived
 * from the public id, so it stays the same when the domain is added again.
 */
function proofOf(ids: Tools['ids'], { tenantId, environment, host }: OfDomain): string {
  const text = `${ids.encode('tenant', tenantId, tenantId)} ${environment} ${host}`;
  return proofPrefix + createHash('sha256').update(text).digest('base64url').slice(0, proofLength);
}

type Result = Omit<Check, 'purpose'>;
const unavailable: Result = { status: 'unavailable', found: [] };
const unchecked: Result = { status: 'unchecked', found: [] };

/**
 * Looks up the records of a domain. The name servers may be those of a private network, so only the owner of a host learns
 * where it leads.
 */
export async function checkRecords(tools: Pick<Tools, 'dns' | 'ids' | 'pagesHost'>, of: OfDomain): Promise<Check[]> {
  const proof = await checkProof(tools.dns, proofRecord(tools, of));
  const address = proof.status === 'found' ? await checkAddress(tools.dns, addressRecord(tools, of)) : unchecked;
  return [
    { purpose: 'ownership', ...proof },
    { purpose: 'address', ...address },
  ];
}

async function checkProof(dns: Dns, { name, value }: Needed): Promise<Result> {
  const texts = await dns.readTxt(name);
  if (!texts) return unavailable;
  const proofs = texts.filter((text) => text.startsWith(proofPrefix));
  const found = shownValues(proofs);
  if (!proofs.length) return { status: 'missing', found };
  // Several tenants may be about to use the host.
  return { status: proofs.some((text) => text.trim() === value) ? 'found' : 'wrong', found };
}

/** Whether a host leads to the platform, by a CNAME record or by the same addresses. */
async function checkAddress(dns: Dns, { name, value: target }: Needed): Promise<Result> {
  const names = isIP(target) ? [] : await dns.readCname(name);
  if (!names) return unavailable;
  if (names.some((one) => one.toLowerCase() === target)) return { status: 'found', found: shownValues(names) };
  const [addresses, wanted] = await Promise.all([
    dns.readAddresses(name),
    isIP(target) ? [target] : dns.readAddresses(target),
  ]);
  if (!addresses || !wanted) return unavailable;
  // The addresses behind another name are not those of the owner.
  const found = shownValues(names.length ? names : addresses);
  if (!found.length) return { status: 'missing', found };
  return { status: addresses.some((address) => wanted.includes(address)) ? 'found' : 'wrong', found };
}
