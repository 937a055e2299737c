import { doubleMetaphone } from 'double-metaphone';
import { distance } from 'fastest-levenshtein';

// Letters that Unicode does not decompose, and the usual transcription of Cyrillic and Greek.
const letters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i' },
  ...{
    а: 'a',
    б: 'b',
    в: 'v',
    г: 'g',
    ґ: 'g',
    д: 'd',
    е: 'e',
    ё: 'e',
    є: 'ie',
    ж: 'zh',
    з: 'z',
    и: 'i',
    і: 'i',
    ї: 'i',
  },
  ...{
    й: 'i',
    к: 'k',
    л: 'l',
    м: 'm',
    н: 'n',
    о: 'o',
    п: 'p',
    р: 'r',
    с: 's',
    т: 't',
    у: 'u',
    ф: 'f',
    х: 'kh',
    ц: 'ts',
  },
  ...{ ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'iu', я: 'ia' },
  ...{
    α: 'a',
    β: 'v',
    γ: 'g',
    δ: 'd',
    ε: 'e',
    ζ: 'z',
    η: 'i',
    θ: 'th',
    ι: 'i',
    κ: 'k',
    λ: 'l',
    μ: 'm',
    ν: 'n',
    ξ: 'x',
  },
  ...{ ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o' },
};

/** A text in lower case and Latin letters, without accents and punctuation. */
export function stemOf(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .replace(/[’'`´]/g, '')
    .replace(/[ßæœþøłđðı\u0370-\u04ff]/g, (letter) => letters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export function wordsOf(stem: string): string[] {
  return stem.split(' ').filter(Boolean);
}

/** How a text sounds; of scripts without a known pronunciation the text itself. */
export function soundOf(stem: string): string {
  return doubleMetaphone(stem)[0] || stem;
}

/** Edits between two texts; two exchanged neighbours are one edit. */
export function editsBetween(one: string, other: string): number {
  const edits = distance(one, other);
  return edits === 2 && one.length === other.length && isExchanged(one, other) ? 1 : edits;
}

/** Whether two different texts are equal but for two neighbours that are exchanged. */
export function isExchanged(one: string, other: string): boolean {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

/** From 0 to 1: the mean of how many trigrams two texts share and how many of their letters need no edit. */
export function similarityOf(one: string, other: string): number {
  if (one === other) return 1;
  const longer = Math.max(one.length, other.length);
  const [ofOne, ofOther] = [trigramsOf(one), trigramsOf(other)];
  const shared = [...ofOne].filter((gram) => ofOther.has(gram)).length;
  const trigram = (2 * shared) / (ofOne.size + ofOther.size);
  return (trigram + 1 - editsBetween(one, other) / longer) / 2;
}

function trigramsOf(text: string): Set<string> {
  const padded = `  ${text} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

/** The numbers in a text: "unit 4" and "unit 5" are two units, however similar they are spelt. */
export function numbersIn(text: string): string {
  return (text.match(/\d+/g) ?? []).sort().join(' ');
}
