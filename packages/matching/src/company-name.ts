import type { Signal } from './signal.ts';
import { editsBetween, numbersIn, similarityOf, stemOf, wordsOf } from './text.ts';

export interface CompanyName {
  /** The words that distinguish the company. */
  words: string[];
  /** The same without spaces, so that Data Works and Dataworks are equal. */
  stem: string;
  /** Legal form; empty without one. */
  form: string;
}

// Each spelling of a legal form with the form that it stands for.
const forms: Readonly<Record<string, string>> = {
  ...{
    gmbh: 'gmbh',
    mbh: 'gmbh',
    'gesellschaft mit beschrankter haftung': 'gmbh',
    ug: 'ug',
    ag: 'ag',
    aktiengesellschaft: 'ag',
  },
  ...{
    kg: 'kg',
    ohg: 'ohg',
    ek: 'ek',
    'e k': 'ek',
    ev: 'ev',
    'e v': 'ev',
    eg: 'eg',
    se: 'se',
    gbr: 'gbr',
    kgaa: 'kgaa',
    haftungsbeschrankt: '',
  },
  ...{
    inc: 'inc',
    incorporated: 'inc',
    corp: 'inc',
    corporation: 'inc',
    llc: 'llc',
    llp: 'llp',
    lp: 'lp',
    ltd: 'ltd',
    limited: 'ltd',
  },
  ...{
    plc: 'plc',
    pty: '',
    co: '',
    company: '',
    sa: 'sa',
    's a': 'sa',
    sas: 'sas',
    sarl: 'sarl',
    's a r l': 'sarl',
    srl: 'srl',
  },
  ...{
    's r l': 'srl',
    spa: 'spa',
    's p a': 'spa',
    sl: 'sl',
    's l': 'sl',
    bv: 'bv',
    'b v': 'bv',
    nv: 'nv',
    'n v': 'nv',
    ab: 'ab',
    oy: 'oy',
  },
  ...{
    oyj: 'oy',
    as: 'as',
    aps: 'aps',
    sro: 'sro',
    's r o': 'sro',
    kft: 'kft',
    'sp z o o': 'spzoo',
    zoo: 'spzoo',
    ooo: 'ooo',
    doo: 'doo',
  },
};
const formWordsMax = 5;
const joining = new Set(['and', 'und', 'et', 'y', 'the', 'der', 'die', 'das', 'of', 'fur']);

export function companyName(text: string): CompanyName | null {
  const all = wordsOf(stemOf(text.replaceAll('&', ' and ')));
  let words = all;
  let form = '';
  // Forms are at the end, and there may be several: Acme GmbH & Co. KG.
  for (let isFound = true; isFound && words.length > 1; ) {
    isFound = false;
    for (let count = Math.min(formWordsMax, words.length - 1); count > 0 && !isFound; count--) {
      const found = forms[words.slice(-count).join(' ')];
      if (found === undefined) continue;
      form ||= found;
      words = words.slice(0, -count);
      isFound = true;
    }
    if (!isFound && words.length > 1 && joining.has(words.at(-1) ?? '')) {
      words = words.slice(0, -1);
      isFound = true;
    }
  }
  const telling = words.filter((word) => !joining.has(word));
  if (telling.length) words = telling;
  return words.length ? { words, stem: words.join(''), form } : null;
}

// One of these words makes another company of the same group.
const related = new Set(
  `holding holdings group gruppe beteiligungen beteiligungs verwaltungs verwaltung services service international
  deutschland germany austria osterreich schweiz switzerland france italia espana iberia uk usa us europe emea asia global
  immobilien leasing logistics logistik capital finance ventures foundation stiftung north south east west nord sud ost
  bank versicherung insurance energy digital labs academy akademie consulting`
    .split(/\s+/)
    .filter(Boolean),
);
const [shortMin, longMin] = [6, 12];

/** Compares two names of companies. A holding and its subsidiary conflict, and so do names with different numbers. */
export function compareCompanies(one: CompanyName, other: CompanyName): Signal {
  const field = 'company';
  const similarity = similarityOf(one.stem, other.stem);
  const areForms = one.form !== '' && other.form !== '' && one.form !== other.form;
  if (one.stem === other.stem || sorted(one) === sorted(other))
    return { field, similarity: areForms ? 0.8 : 1, matched: true, reason: 'company' };
  if (numbersIn(one.stem) !== numbersIn(other.stem)) return { field, similarity, matched: false, conflicts: true };
  if (isAcronym(one, other) || isAcronym(other, one))
    return { field, similarity: 0.75, matched: true, reason: 'company_similar' };
  const extra = differenceOf(one, other);
  if (extra.some((word) => related.has(word))) return { field, similarity, matched: false, conflicts: true };
  const longer = Math.max(one.stem.length, other.stem.length);
  const editsMax = longer >= longMin ? 2 : longer >= shortMin ? 1 : 0;
  if (!/\d/.test(one.stem) && editsBetween(one.stem, other.stem) <= editsMax)
    return { field, similarity: areForms ? 0.7 : 0.9, matched: true, reason: 'company_similar' };
  if (isPart(one, other)) return { field, similarity: areForms ? 0.6 : 0.75, matched: true, reason: 'company_similar' };
  return { field, similarity, matched: false };
}

function sorted({ words }: CompanyName): string {
  return [...words].sort().join('');
}

function differenceOf(one: CompanyName, other: CompanyName): string[] {
  const [ofOne, ofOther] = [new Set(one.words), new Set(other.words)];
  return [...one.words.filter((word) => !ofOther.has(word)), ...other.words.filter((word) => !ofOne.has(word))];
}

/** Whether all words of one are in the other, beginning with the first: Acme, Acme Software. */
function isPart(one: CompanyName, other: CompanyName): boolean {
  const [short, long] = one.words.length < other.words.length ? [one, other] : [other, one];
  return short.words.length < long.words.length && short.words.every((word, at) => word === long.words[at]);
}

function isAcronym({ stem }: CompanyName, { words }: CompanyName): boolean {
  return words.length >= 3 && stem === words.map((word) => word.charAt(0)).join('');
}
