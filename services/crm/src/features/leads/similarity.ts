import { mailboxOf } from '@tandem/contract';
import type { DuplicatePair } from '@tandem/crm-contract';
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { companyDomain, type Identity, nameOf, phoneKey, soundOf } from './match-keys.ts';

export type Reason = z.output<typeof DuplicatePair>['matchedOn'][number];

/** How much each reason counts alone, from 0 to 1. */
const weights = {
  email: 1,
  phone: 0.8,
  email_variant: 0.75,
  name: 0.5,
  name_swapped: 0.4,
  name_initials: 0.35,
  name_similar: 0.35,
} as const satisfies Partial<Record<Reason, number>>;

/** With the same domain of a company in both addresses, names weigh more. */
const inCompany = { equal: 0.7, similar: 0.6 } as const;

/** The similarities of two leads; the confidence is 0 if there are none. */
export interface Similarity {
  confidence: number;
  matchedOn: Reason[];
}

/** The normalized values by which leads are compared; calculated once for a lead that is compared with many. */
export interface Facts {
  email: string;
  mailbox: string;
  domain: string | null;
  phone: string | null;
  name: Name;
}

interface Name {
  first: string;
  last: string;
}

export function factsOf(identity: Identity): Facts {
  return {
    email: identity.email.toLowerCase(),
    mailbox: mailboxOf(identity.email),
    domain: companyDomain(identity.email),
    phone: phoneKey(identity.phone),
    name: nameOf(identity),
  };
}

/** Compares two leads. The reasons count as independent evidence for the same person. */
export function compareFacts(one: Facts, other: Facts): Similarity {
  const address = compareAddresses(one, other);
  const hasSamePhone = one.phone !== null && one.phone === other.phone;
  const name = compareNames(one.name, other.name);
  const isSameCompany = name && address !== 'email' && one.domain !== null && one.domain === other.domain;
  const ofName = isSameCompany ? inCompany[name === 'name' ? 'equal' : 'similar'] : name && weights[name];
  const evidence = [address && weights[address], hasSamePhone && weights.phone, ofName];
  const doubt = evidence.reduce<number>((left, weight) => left * (1 - (weight || 0)), 1);
  const reasons: (Reason | false | undefined)[] = [
    address,
    hasSamePhone && 'phone',
    name,
    isSameCompany && 'email_domain_and_name',
  ];
  return { confidence: Math.round((1 - doubt) * 100) / 100, matchedOn: reasons.filter((reason) => !!reason) };
}

function compareAddresses(one: Facts, other: Facts): 'email' | 'email_variant' | undefined {
  if (one.email === other.email) return 'email';
  return one.mailbox === other.mailbox ? 'email_variant' : undefined;
}

type NameReason = 'name' | 'name_swapped' | 'name_initials' | 'name_similar';

function compareNames(a: Name, b: Name): NameReason | undefined {
  if (![a.first, a.last, b.first, b.last].every(Boolean)) return undefined;
  if (a.first === b.first && a.last === b.last) return 'name';
  if (sorted(a) === sorted(b)) return 'name_swapped';
  if (a.last === b.last && (isInitialOf(a.first, b.first) || isInitialOf(b.first, a.first))) return 'name_initials';
  return isSimilar(a.first, b.first) && isSimilar(a.last, b.last) ? 'name_similar' : undefined;
}

function sorted({ first, last }: Name): string {
  return `${first} ${last}`.split(' ').sort().join(' ');
}

function isInitialOf(initial: string, name: string): boolean {
  return initial.length === 1 && name.length > 1 && name.startsWith(initial);
}

// Shorter words differ by one letter without being the same name: Tim and Tom, Mark and Mary.
const soundedMin = 4;
const spelledMin = 6;

/** Whether two words are equal, or one is likely a misspelling of the other. Another number is another name. */
function isSimilar(one: string, other: string): boolean {
  if (one === other) return true;
  if (/\d/.test(one + other)) return false;
  const longer = Math.max(one.length, other.length);
  if (longer < soundedMin || editsBetween(one, other) > 1) return false;
  return longer >= spelledMin || soundOf(one) === soundOf(other);
}

/** Edits between two words; two exchanged neighbours are one edit. */
function editsBetween(one: string, other: string): number {
  const edits = distance(one, other);
  return edits === 2 && [...one].sort().join('') === [...other].sort().join('') ? 1 : edits;
}
