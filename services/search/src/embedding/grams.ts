/** The three-letter sequences of a word, with marks for its beginning and end. */
export function gramsOf(word: string): string[] {
  const letters = [...`^${word}$`];
  return [...new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join('')))];
}

/** How many sequences two words have in common, from 0 to 1 (Dice). */
export function gramSimilarity(one: string, other: string): number {
  const [a, b] = [gramsOf(one), new Set(gramsOf(other))];
  return (2 * a.filter((gram) => b.has(gram)).length) / (a.length + b.size);
}

const sketchMark = '~';
const sketchSize = 4;

/**
 * Terms that similar words probably share: the least hash of the sequences of a word, for several hash functions (MinHash,
 * Broder 1997). Two words with half of their sequences in common share one of four with a probability of 0.94.
 */
export function sketchOf(word: string): string[] {
  if (!/^\p{L}{4,30}$/u.test(word)) return [];
  const grams = gramsOf(word);
  return Array.from({ length: sketchSize }, (_, seed) => {
    const least = Math.min(...grams.map((gram) => hashOf(gram, seed + 1)));
    return `${sketchMark}${seed}${least.toString(36)}`;
  });
}

/** A hash of 32 bits: FNV-1a, mixed as MurmurHash3 ends, so that each of its bits depends on all of the text. */
export function hashOf(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
