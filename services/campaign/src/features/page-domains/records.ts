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

/** The DNS records that a domain needs. */
export function neededRecords({ ids, pagesHost }: Pick<Tools, 'ids' | 'pagesHost'>, of: OfDomain): Needed[] {
  const { host } = of;
  return [
    { purpose: 'ownership', type: 'TXT', name: `${proofLabel}.${host}`, value: proofOf(ids, of), required: true },
    // Not required: behind a CDN the domain has other addresses.
    {
      purpose: 'address',
      type: addressTypes[isIP(pagesHost) as keyof typeof addressTypes],
      name: host,
      value: pagesHost,
      required: false,
    },
  ];
}

/**
 * The proof that the owner of a host admits a tenant. It is no secret, because only the owner can enter it. It is derived
 * from the public id, so it stays the same when the domain is added again.
 */
function proofOf(ids: Tools['ids'], { tenantId, environment, host }: OfDomain): string {
  const text = `${ids.encode('tenant', tenantId, tenantId)} ${environment} ${host}`;
  return proofPrefix + createHash('sha256').update(text).digest('base64url').slice(0, proofLength);
}

/** Looks up the records of a domain. */
export function checkRecords(tools: Pick<Tools, 'dns' | 'ids' | 'pagesHost'>, of: OfDomain): Promise<Check[]> {
  const look = { ownership: checkProof, address: checkAddress };
  return Promise.all(
    neededRecords(tools, of).map(async (record) => ({
      purpose: record.purpose,
      ...(await look[record.purpose](tools.dns, record)),
    })),
  );
}

type Result = Omit<Check, 'purpose'>;
const unavailable: Result = { status: 'unavailable', found: [] };

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
  const found = shownValues([...names, ...addresses]);
  if (!found.length) return { status: 'missing', found };
  return { status: addresses.some((address) => wanted.includes(address)) ? 'found' : 'wrong', found };
}
