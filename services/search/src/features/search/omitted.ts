import { wordsMax } from '../../driver/question.ts';
import { phoneIn } from '../../fields.ts';
import { wordsOf } from '../../words.ts';

/** Tells the caller that words of a question are not searched for. */
export function noteOmitted(q: string, { missing }: { missing(part: string, message: string): void }): void {
  const words = new Set(wordsOf(q).map(({ term }) => term));
  if (words.size > wordsMax && phoneIn(q) === undefined)
    missing('q', `Only the first ${wordsMax} words were searched for; leave out those that matter least`);
}
