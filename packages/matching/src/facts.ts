import { type CompanyName, companyName } from './company-name.ts';
import { type Email, emailOf, isPublicDomain } from './email.ts';
import { type PersonName, personName } from './person-name.ts';
import { phoneKey } from './phone.ts';
import { stemOf } from './text.ts';

export const matchKinds = ['lead', 'account', 'partner'] as const;
/** A lead is a person, an account a company, and a partner a company with a contact. */
export type MatchKind = (typeof matchKinds)[number];

/** A record: of its fields, those are compared that have the names and types of leads, accounts and partners. */
export type MatchRecord = object;

/** The normalized values by which records are compared; calculated once for a record that is compared with many. */
export interface Facts {
  kind: MatchKind;
  email: Email | null;
  phone: string | null;
  name: PersonName | null;
  company: CompanyName | null;
  /** Domain of the company, never that of a public mail provider. */
  domain: string | null;
  city: string;
}

const textMax = 300;

export function factsOf(kind: MatchKind, record: MatchRecord): Facts {
  const text = (field: string) => {
    const value = (record as Record<string, unknown>)[field];
    return typeof value === 'string' ? value.slice(0, textMax) : '';
  };
  const email = emailOf(text('email'));
  const isCompany = kind === 'account';
  return {
    kind,
    email,
    phone: phoneKey(text('phone')),
    name: isCompany ? null : nameIn(text),
    company: companyName(isCompany ? text('name') || text('company') : text('company')),
    domain: ownDomain(text('domain')) ?? ownDomain(hostOf(text('website'))) ?? ownDomain(email?.host ?? ''),
    city: 'address' in record ? cityIn(record.address) : '',
  };
}

/** First and last name; a document that has only the whole name has the last word as the last name. */
function nameIn(text: (field: string) => string): PersonName | null {
  if (text('firstName') || text('lastName')) return personName(text('firstName'), text('lastName'));
  const words = text('name').trim().split(/\s+/);
  return personName(words.slice(0, -1).join(' '), words.at(-1) ?? '');
}

function ownDomain(domain: string): string | null {
  const bare = domain
    .trim()
    .toLowerCase()
    .replace(/^www\./, '');
  return bare.includes('.') && !isPublicDomain(bare) ? bare : null;
}

function hostOf(website: string): string {
  return URL.parse(website.includes('://') ? website : `https://${website}`)?.hostname ?? '';
}

function cityIn(address: unknown): string {
  const city = typeof address === 'object' && address !== null && 'city' in address ? address.city : '';
  return typeof city === 'string' ? stemOf(city.slice(0, textMax)) : '';
}
