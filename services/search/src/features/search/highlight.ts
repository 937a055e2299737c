import { type Field, fieldsOf } from '../../fields.ts';
import type { Word } from '../../words.ts';
import type { Question } from './question.ts';

/** A field in which something was found, its text, and the same as HTML with what was found in `<em>`. */
export interface Match {
  path: string;
  text: string;
  html: string;
  weight: number;
}

/** Where in a document the words of a question stand: once for each field, the weightiest first. */
export function matchesIn(document: Record<string, unknown>, question: Question): Match[] {
  const matches = new Map<string, Match>();
  for (const field of fieldsOf(document)) {
    const found = field.words.filter(({ term }) => isWanted(term, question));
    if (!found.length || matches.has(field.path)) continue;
    matches.set(field.path, { path: field.path, text: field.text, html: marked(field, found), weight: field.weight });
  }
  return [...matches.values()].sort((a, b) => b.weight - a.weight);
}

/** A text as HTML, with the words of a question in `<em>`. */
export function highlight(text: string, words: Word[], question: Question): string {
  return marked(
    { text },
    words.filter(({ term }) => isWanted(term, question)),
  );
}

function isWanted(term: string, { words }: Question): boolean {
  return words.some(({ low, alike }) => term.startsWith(low) || alike.includes(term));
}

function marked({ text }: Pick<Field, 'text'>, found: Word[]): string {
  let at = 0;
  let html = '';
  for (const { start, end } of found) {
    html += `${escaped(text.slice(at, start))}<em>${escaped(text.slice(start, end))}</em>`;
    at = end;
  }
  return html + escaped(text.slice(at));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
