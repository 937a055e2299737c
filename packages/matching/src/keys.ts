import { type Facts, factsOf, type MatchKind, type MatchRecord } from './facts.ts';
import { fullName } from './nicknames.ts';
import { soundOf, wordsOf } from './text.ts';

/**
 * Two records are candidates if one of their keys is equal. Each key finds one kind of match: words in another order, an
 * initial, a spelling that sounds the same, a similar name at the same company. Values without a key are null.
 */
export type MatchKeys = Readonly<Record<string, string | null>>;

/** The keys of a person that are stored as columns of a lead; its address has columns of its own. */
export function personKeys(facts: Facts) {
  const { first = '', last = '' } = facts.name ?? {};
  const initials = `${first.charAt(0)}${last.charAt(0)}`;
  return {
    phoneKey: facts.phone,
    nameSorted:
      wordsOf(`${fullName(first)} ${fullName(last)}`)
        .sort()
        .join(' ') || null,
    nameInitial: first && last ? `${first.charAt(0)} ${last}` : null,
    nameSound: first && last ? `${soundOf(first)} ${soundOf(last)}` : null,
    // Initials in one order, so that exchanged names have the same key.
    nameDomain: facts.domain && initials ? `${facts.domain} ${[...initials].sort().join('')}` : null,
  };
}

/** All keys of a record. */
export function keysOf(kind: MatchKind, record: MatchRecord): MatchKeys {
  const facts = factsOf(kind, record);
  const mailbox = facts.email && `${facts.email.local.replaceAll('.', '')}@${facts.email.host}`;
  const person = { mailbox, ...personKeys(facts) };
  if (kind === 'lead') return person;
  const company = {
    company: facts.company?.stem ?? null,
    companySorted: facts.company && [...facts.company.words].sort().join(' '),
    companySound: facts.company && soundOf(facts.company.stem),
    // A typo changes how a name sounds, but rarely both its first and its last word.
    firstInCity: inCity(facts, 0),
    lastInCity: inCity(facts, -1),
    domain: facts.domain,
    domainStem: facts.domain && domainStem(facts.domain),
  };
  return kind === 'account' ? { mailbox, phoneKey: facts.phone, ...company } : { ...person, ...company };
}

function inCity({ company, city }: Facts, at: 0 | -1): string | null {
  const word = company?.words.at(at);
  return word && city ? `${soundOf(word)} ${city}` : null;
}

const secondLevels = new Set(['co', 'com', 'org', 'net', 'gov', 'ac', 'or']);

/** The name in a domain: acme of acme.com, www.acme.co.uk and acme.de. */
export function domainStem(domain: string): string {
  const parts = domain.split('.').slice(0, -1);
  const last = parts.at(-1) ?? domain;
  return secondLevels.has(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
}
