import { dotless } from './email.ts';
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
  const mailbox = facts.email && dotless(facts.email);
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

// No mail server accepts a longer name before the @.
const localMax = 64;
const addressLetters = [...'abcdefghijklmnopqrstuvwxyz-_'];

/**
 * The keys `mailbox` of addresses at the same domain that differ by one typo: a letter that is missing, added, changed or
 * exchanged with its neighbour. They are looked up instead of stored, because each address has some hundreds.
 */
export function misspeltMailboxes(kind: MatchKind, record: MatchRecord): string[] {
  const { email } = factsOf(kind, record);
  const local = email?.local.replaceAll('.', '') ?? '';
  // Companies are not compared by similar addresses.
  if (!email || kind === 'account' || local.length > localMax) return [];
  const edits = Array.from({ length: local.length + 1 }, (_, at) => {
    const [before, letter, after] = [local.slice(0, at), local.charAt(at), local.slice(at + 1)];
    const changed = letter ? addressLetters.map((other) => before + other + after) : [];
    const added = addressLetters.map((other) => before + other + letter + after);
    return [before + after, before + after.charAt(0) + letter + after.slice(1), ...changed, ...added];
  });
  return [...new Set(edits.flat())].filter((edit) => edit && edit !== local).map((edit) => `${edit}@${email.host}`);
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
