import { fieldsOf, isContactField } from '../fields.ts';

const textMax = 2_000;

/**
 * The text of a document that a provider embeds: what its fields say, the weightiest first. E-mail addresses and phone
 * numbers mean nothing, so they are not sent. Empty if nothing is left.
 */
export function textOf(document: Record<string, unknown>): string {
  return fieldsOf(document)
    .filter(({ path, text }) => !isContactField(path) && text.trim() !== '')
    .sort((one, other) => other.weight - one.weight)
    .map(({ text }) => text.trim().slice(0, textMax))
    .slice(0, textMax)
    .join('\n')
    .slice(0, textMax)
    .toWellFormed();
}
