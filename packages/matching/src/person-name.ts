import { areNicknames } from './nicknames.ts';
import type { Signal } from './signal.ts';
import { editsBetween, numbersIn, similarityOf, soundOf, stemOf, wordsOf } from './text.ts';

export interface PersonName {
  first: string;
  last: string;
  /** junior, senior or a number; empty without one. */
  generation: string;
}

const titles = new Set(['dr', 'prof', 'mr', 'mrs', 'ms', 'herr', 'frau', 'ing', 'dipl', 'mag', 'med', 'phd', 'mba']);
const generations: Readonly<Record<string, string>> = {
  ...{ jr: '2', junior: '2', jun: '2', jnr: '2', ii: '2', sr: '1', senior: '1', sen: '1', snr: '1', iii: '3', iv: '4' },
};

/** The name without titles; null without both a first and a last one. */
export function personName(firstName: string, lastName: string): PersonName | null {
  const [first, last] = [namedWords(firstName), namedWords(lastName)];
  const generation = [...first, ...last].map((word) => generations[word]).find((one) => one !== undefined) ?? '';
  const join = (words: string[]) => words.filter((word) => generations[word] === undefined).join(' ');
  const name = { first: join(first), last: join(last), generation };
  return name.first && name.last ? name : null;
}

function namedWords(text: string): string[] {
  const words = wordsOf(stemOf(text));
  const named = words.filter((word) => !titles.has(word));
  // A name of nothing but such words is a name: Ms Senior.
  return named.length && named.some((word) => generations[word] === undefined) ? named : words.slice(0, 1);
}

const similarMin = 0.55;

/** Compares two names. One that is certainly another person's conflicts: another first name, junior and senior. */
export function compareNames(one: PersonName, other: PersonName): Signal {
  const field = 'name';
  const similarity = (spelledAlike(one.first, other.first) + spelledAlike(one.last, other.last)) / 2;
  if (one.generation && other.generation && one.generation !== other.generation)
    return { field, similarity, matched: false, conflicts: true };
  const found = (reason: Signal['reason'], alike: number): Signal => ({
    field,
    // Only one of them is called junior: most often nobody wrote it, sometimes the other is the father.
    similarity: one.generation === other.generation ? alike : alike * 0.8,
    matched: true,
    ...(reason && { reason }),
  });
  if (one.first === other.first && one.last === other.last) return found('name', 1);
  if (sortedWords(one) === sortedWords(other)) return found('name_swapped', 0.95);
  const isSameLast = isSimilar(one.last, other.last);
  if (isSameLast && areNicknames(one.first, other.first))
    return found('name_nickname', one.last === other.last ? 0.9 : 0.75);
  if (one.last === other.last && isInitial(one.first, other.first)) return found('name_initials', 0.75);
  if (isSameLast && hasMiddleName(one.first, other.first)) return found('name_similar', 0.85);
  if (isSameLast && isSimilarFirst(one.first, other.first) && similarity >= similarMin)
    return found('name_similar', Math.min(similarity, 0.95));
  return { field, similarity, matched: false, conflicts: areOthers(one, other) };
}

/** Jörg and Joerg are one name. */
function spelledAlike(one: string, other: string): number {
  const [first, second] = [one, other].map((name) => name.replace(/([aou])e/g, '$1'));
  return similarityOf(first ?? '', second ?? '');
}

/** Whether the names are those of two people, and not one name of which a part is missing or changed, as by marriage. */
function areOthers(one: PersonName, other: PersonName): boolean {
  const isOtherFirst =
    one.first !== other.first &&
    !areNicknames(one.first, other.first) &&
    !isInitial(one.first, other.first) &&
    !hasMiddleName(one.first, other.first) &&
    !isSimilarFirst(one.first, other.first);
  return isOtherFirst || numbersIn(one.last) !== numbersIn(other.last);
}

function sortedWords({ first, last }: PersonName): string {
  return wordsOf(`${first} ${last}`).sort().join(' ');
}

function isInitial(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return wordsOf(long).length === wordsOf(short).length
    ? wordsOf(short).every(
        (part, at) => part === wordsOf(long)[at] || (part.length === 1 && wordsOf(long)[at]?.startsWith(part)),
      )
    : short.length === 1 && long.startsWith(short);
}

/** Whether one of them is the other with further names: Ada, Ada Augusta. */
function hasMiddleName(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const [words, further] = [wordsOf(short), wordsOf(long)];
  return further.length > words.length && words.every((word, at) => word === further[at]);
}

/**
 * Whether two first names are equal, or one is likely a misspelling of the other. Forms of a name for a man and a woman differ
 * by one letter too: Mario and Maria, Martin and Martina.
 */
export function isSimilarFirst(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const isGender =
    (long.startsWith(short) && /^[aei]$/.test(long.slice(short.length))) ||
    (one.length === other.length &&
      one.slice(0, -1) === other.slice(0, -1) &&
      /[aeo]$/.test(one) &&
      /[aeo]$/.test(other));
  return !isGender && isSimilar(one, other);
}

// Shorter words differ by one letter without being the same name: Tim and Tom, Mark and Mary.
const soundedMin = 4;
const spelledMin = 6;

/** Whether two words are equal, or one is likely a misspelling of the other. Another number is another name. */
function isSimilar(one: string, other: string): boolean {
  if (one === other) return true;
  if (/\d/.test(one + other)) return false;
  const longer = Math.max(one.length, other.length);
  const edits = editsBetween(one, other);
  const sounds = soundOf(one) === soundOf(other);
  if (longer < soundedMin || edits > (sounds && longer >= spelledMin ? 2 : 1)) return false;
  return longer >= spelledMin || sounds;
}
