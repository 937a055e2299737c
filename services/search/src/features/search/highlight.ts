import type { Question } from '../../driver/question.ts';
import { fieldsOf } from '../../fields.ts';
import { type Word, wordsOf } from '../../words.ts';

/** A field that matches: its text, and the text as HTML with the matching words in `<em>`. */
export interface Match extends Excerpt {
  path: string;
  weight: number;
}

/** A text; of a long one, the part around the first matching word. */
interface Excerpt {
  text: string;
  html: string;
}

// A document may be 64 KB of words, and a page has a hundred of them.
const excerptMax = 500;
const beforeMax = 60;

/** The fields of a document that have words of a question, each once, the weightiest first. */
export function matchesIn(document: Record<string, unknown>, question: Question): Match[] {
  const matches = new Map<string, Match>();
  for (const { path, weight, text, words } of fieldsOf(document)) {
    if (matches.has(path)) continue;
    const found = words.filter(({ term }) => isWanted(term, question));
    if (found.length) matches.set(path, { path, weight, ...excerpt(text, found) });
  }
  return [...matches.values()].sort((a, b) => b.weight - a.weight);
}

/** A text with the words of a question marked. */
export function highlight(text: string, question: Question): Excerpt {
  const found = wordsOf(text).filter(({ term }) => isWanted(term, question));
  return excerpt(text, found);
}

function isWanted(term: string, { words }: Question): boolean {
  return words.some(
    ({ low, alike, alikeBeginnings }) =>
      alike.includes(term) || [low, ...alikeBeginnings].some((beginning) => term.startsWith(beginning)),
  );
}

function excerpt(text: string, found: Word[]): Excerpt {
  const first = found[0]?.start ?? 0;
  const from = Math.max(0, Math.min(first - beforeMax, text.length - excerptMax));
  const to = from + excerptMax;
  const [before, after] = [from > 0 ? '…' : '', to < text.length ? '…' : ''];
  let at = from;
  let html = before;
  for (const { start, end } of found) {
    if (start >= to) break;
    html += `${escaped(text.slice(at, start))}<em>${escaped(text.slice(start, Math.min(end, to)))}</em>`;
    at = Math.min(end, to);
  }
  return {
    text: `${before}${text.slice(from, to)}${after}`.toWellFormed(),
    html: `${html}${escaped(text.slice(at, to))}${after}`.toWellFormed(),
  };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
