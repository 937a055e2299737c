import { doubleMetaphone } from 'double-metaphone';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isPublicDomain } from '../accounts/account-of-email.ts';

/** The fields of a lead by which it can be recognized as a person that is known already. */
export interface Identity {
  email: string;
  firstName: string;
  lastName: string;
  phone?: string | null | undefined;
}

/** The columns by which possible duplicates of a lead are found. Two leads are candidates if one of them is equal. */
export interface MatchKeys {
  phoneKey: string | null;
  nameSorted: string | null;
  nameInitial: string | null;
  nameSound: string | null;
  nameDomain: string | null;
}

/**
 * Keys are stored, because a condition with a function cannot use an index under row-level security. Each finds one kind of
 * match: words in another order, an initial, a spelling that sounds the same, and a similar name in the same company.
 */
export function matchKeys(identity: Identity): MatchKeys {
  const { first, last } = nameOf(identity);
  const domain = companyDomain(identity.email);
  const initials = `${first.charAt(0)}${last.charAt(0)}`;
  return {
    phoneKey: phoneKey(identity.phone),
    nameSorted: [...wordsOf(first), ...wordsOf(last)].sort().join(' ') || null,
    nameInitial: first && last ? `${first.charAt(0)} ${last}` : null,
    nameSound: first && last ? `${soundOf(first)} ${soundOf(last)}` : null,
    // Initials in one order, so that exchanged names have the same key.
    nameDomain: domain && initials ? `${domain} ${[...initials].sort().join('')}` : null,
  };
}

/** First and last name in lower case, without accents and punctuation. */
export function nameOf({ firstName, lastName }: Pick<Identity, 'firstName' | 'lastName'>) {
  return { first: stemOf(firstName), last: stemOf(lastName) };
}

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
};

function stemOf(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/[ßæœþøłđðı]/g, (letter) => letters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function wordsOf(stem: string): string[] {
  return stem.split(' ').filter(Boolean);
}

/** How a name sounds; of scripts without a known pronunciation the name itself. */
export function soundOf(stem: string): string {
  return doubleMetaphone(stem)[0] || stem;
}

/**
 * A number in E.164. People write the zero of national numbers into international ones, +49 (0)170 1234567, and the parser
 * knows for which countries it has to go.
 */
export function phoneKey(phone: string | null | undefined): string | null {
  if (!phone) return null;
  return parsePhoneNumberFromString(phone)?.number ?? phone;
}

/** The domain of an address; null at a public mail provider. */
export function companyDomain(email: string): string | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return isPublicDomain(domain) ? null : domain;
}
