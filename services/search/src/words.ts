/** A word of a text: its position, and `term`, the form in which words are compared. */
export interface Word {
  term: string;
  start: number;
  end: number;
}

const termLengthMax = 64;
// Letters that Unicode does not decompose into a letter and a mark.
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** A text without case and accents: `Łukasz Weiß` and `lukasz weiss` are the same. */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøłđðþı]/g, (letter) => plainLetters[letter] ?? letter);
}

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap(({ 0: found, index }) => {
    const term = fold(found).slice(0, termLengthMax).toWellFormed();
    return term ? [{ term, start: index, end: index + found.length }] : [];
  });
}

/** The digits of a phone number. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** Whether typing errors in a word of a question are forgiven: it has letters only, and enough of them to be recognisable. */
export function canBeMisspelt(term: string): boolean {
  return /^\p{L}{4,30}$/u.test(term);
}

/** Whether a word of a document can be found by a misspelling of it. */
export function hasSpellings(term: string): boolean {
  return /^\p{L}{3,30}$/u.test(term);
}

/** A word, and each form of it that lacks one letter. Two words with one error between them share a form. */
export function formsOf(word: string): string[] {
  const letters = [...word];
  return [...new Set([word, ...letters.map((_, index) => letters.toSpliced(index, 1).join(''))])];
}

/** Whether two words differ by one typing error: a letter added, left out or changed, or two neighbours swapped. */
export function isOneErrorApart(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]];
  if (one === other || Math.abs(a.length - b.length) > 1) return false;
  const at = a.findIndex((letter, index) => letter !== b[index]);
  const differs = at === -1 ? a.length : at;
  const rest = (letters: string[], from: number) => letters.slice(differs + from).join('');
  if (a.length > b.length) return rest(a, 1) === rest(b, 0);
  if (a.length < b.length) return rest(a, 0) === rest(b, 1);
  const isSwapped = a[differs] === b[differs + 1] && a[differs + 1] === b[differs];
  return rest(a, 1) === rest(b, 1) || (isSwapped && rest(a, 2) === rest(b, 2));
}

// The letters that may be missing in a word or wrong in it, for each script; of other scripts only letters too many are found.
const alphabets = ['abcdefghijklmnopqrstuvwxyz', 'абвгдежзиклмнопрстуфхцчшщъыьэюяєіґ', 'αβγδεζηθικλμνξοπρστυφχψως'];

/**
 * The texts that differ from the beginning of a word by one typing error. An error in its last letter is forgiven by leaving the
 * letter out.
 */
export function misspeltBeginnings(beginning: string): string[] {
  const letters = [...beginning];
  const alphabet = [...(alphabets.find((one) => letters.some((letter) => one.includes(letter))) ?? '')];
  const edits = letters.flatMap((letter, at) => {
    const [before, after] = [letters.slice(0, at).join(''), letters.slice(at + 1).join('')];
    const swapped = after ? [before + (letters[at + 1] ?? '') + letter + letters.slice(at + 2).join('')] : [];
    const changed = after ? alphabet.map((other) => before + other + after) : [];
    const added = alphabet.map((other) => before + other + letter + after);
    return [before + after, ...swapped, ...changed, ...added];
  });
  return [...new Set(edits)].filter((edit) => !edit.startsWith(beginning));
}
