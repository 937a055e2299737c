export interface Seal {
  /** Encrypts a text; `context` (such as the table and record) must be the same when opening, so that a value cannot be moved. */
  seal(text: string, context: string): string;
  /** @throws when the value was changed, belongs to another context or another key. */
  open(sealed: string, context: string): string;
  /** The same text always gives the same digest; without the key a digest cannot be checked against guesses of the text. */
  digest(text: string): string;
}
