import { isIP } from 'node:net';
import type { DnsRecord } from '@tandem/campaign-contract';
import type { z } from 'zod';
import { type Check as AnyCheck, shownValues } from '../dns/checks.ts';
import type { Dns } from '../dns/dns.ts';

type DnsRecordState = z.output<typeof DnsRecord>;
export type Check = AnyCheck<DnsRecordState['purpose']>;
type Needed = Omit<DnsRecordState, 'status' | 'found'>;

interface OfDomain {
  domain: string;
  token: string;
  selector: string;
  publicKey: string;
  nextSelector: string | null;
  nextPublicKey: string | null;
}

/** The mechanism of SPF (RFC 7208) that allows our mail server to send. */
export type SpfMechanism = string;

/** The mechanism for the servers that send our mail: an include of the provider, or the host of SMTP_URL. */
export function spfMechanism(include: string | undefined, smtpUrl: string | undefined): SpfMechanism {
  if (include !== undefined) return `include:${include}`;
  const host = smtpUrl && URL.parse(smtpUrl)?.hostname.replace(/^\[|\]$/g, '');
  if (!host) return 'mx';
  // `a:` takes names only: a record with an address in it fails as a whole.
  const version = isIP(host);
  return version ? `ip${version}:${host}` : `a:${host}`;
}

/** The DNS records that a domain needs. */
export function neededRecords(of: OfDomain, spf: SpfMechanism): Needed[] {
  const { domain, token, selector, publicKey, nextSelector, nextPublicKey } = of;
  const txt = { type: 'TXT' as const };
  const next = nextSelector !== null && nextPublicKey !== null && dkimRecord(domain, nextSelector, nextPublicKey);
  return [
    {
      ...txt,
      purpose: 'ownership',
      name: `_tandem.${domain}`,
      value: `tandem-verification=${token}`,
      required: true,
    },
    { ...txt, purpose: 'dkim', ...dkimRecord(domain, selector, publicKey), required: true },
    ...(next ? [{ ...txt, purpose: 'next_dkim' as const, ...next, required: false }] : []),
    { ...txt, purpose: 'spf', name: domain, value: `v=spf1 ${spf} ~all`, required: false },
    { ...txt, purpose: 'dmarc', name: `_dmarc.${domain}`, value: 'v=DMARC1; p=none', required: false },
  ];
}

function dkimRecord(domain: string, selector: string, publicKey: string): Pick<Needed, 'name' | 'value'> {
  return { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${publicKey}` };
}

/** Looks up the records of a domain. */
export async function checkRecords(dns: Dns, of: OfDomain, spf: SpfMechanism): Promise<Check[]> {
  return Promise.all(
    neededRecords(of, spf).map(async ({ purpose, name, value }): Promise<Check> => {
      const texts = purpose === 'dmarc' ? await readDmarc(dns, of.domain) : await dns.readTxt(name);
      if (!texts) return { purpose, status: 'unavailable', found: [] };
      const related = texts.filter((text) => prefixes[purpose].test(text));
      const found = shownValues(related);
      if (!related.length) return { purpose, status: 'missing', found };
      return { purpose, status: isRight[purpose](related, value, spf) ? 'found' : 'wrong', found };
    }),
  );
}

const dkimTag = /(^|;)\s*(v=DKIM1|k=|p=)/i;
// Other TXT records under the same name belong to other services.
const prefixes: Record<Check['purpose'], RegExp> = {
  ownership: /^tandem-verification=/,
  dkim: dkimTag,
  next_dkim: dkimTag,
  spf: /^v=spf1(\s|$)/i,
  dmarc: /^v=DMARC1\s*(;|$)/i,
};

const hasKey = (found: string[], value: string) => found.some((text) => tagOf(text, 'p') === tagOf(value, 'p'));
const isRight: Record<Check['purpose'], (found: string[], value: string, spf: SpfMechanism) => boolean> = {
  // Several tenants may have the same domain.
  ownership: (found, value) => found.some((text) => text.trim() === value),
  dkim: hasKey,
  next_dkim: hasKey,
  // A domain with two SPF records fails the check of every mail server (RFC 7208, section 4.5).
  spf: (found, _value, spf) => found.length === 1 && hasMechanism(found[0] as string, spf),
  dmarc: (found) => found.length === 1 && /^(none|quarantine|reject)$/i.test(tagOf(found[0] as string, 'p') ?? ''),
};

function tagOf(text: string, tag: string): string | undefined {
  const part = text.split(';').find((one) => one.trim().toLowerCase().startsWith(`${tag}=`));
  return part?.slice(part.indexOf('=') + 1).replaceAll(/\s/g, '');
}

function hasMechanism(text: string, mechanism: SpfMechanism): boolean {
  const words = text.toLowerCase().split(/\s+/);
  return words.some((word) => word.replace(/^\+/, '') === mechanism.toLowerCase());
}

/** A subdomain without a record of its own follows the one of a parent (RFC 7489, section 6.6.3). */
async function readDmarc(dns: Dns, domain: string): Promise<string[] | undefined> {
  const labels = domain.split('.');
  const names = labels.slice(0, -1).map((_, index) => `_dmarc.${labels.slice(index).join('.')}`);
  for (const name of names.slice(0, 5)) {
    const texts = await dns.readTxt(name);
    if (texts === undefined || texts.some((text) => prefixes.dmarc.test(text))) return texts;
  }
  return [];
}
