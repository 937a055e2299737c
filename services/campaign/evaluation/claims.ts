import type { Brief } from './brief.ts';

const edge = '(?![\\p{L}\\p{N}])';
const number = '\\d(?:[\\d.,]{0,15}\\d)?';
const people =
  'customers?|clients?|users?|companies|businesses|teams|families|members|kunden|kundinnen|nutzer\\p{L}*|betriebe|unternehmen|teams|familien|mitglieder';
const superlatives = [
  'guarante\\p{L}+|risk[- ]free|award[- ]winning|world[- ]class|market leaders?|number one|the best|free of charge|for free',
  'trusted by|as seen in|certified|proven|money[- ]back|cheapest|save up to',
  'garant\\p{L}+|testsieger\\p{L}*|marktführer\\p{L}*|preisgekrönt\\p{L}*|risikofrei\\p{L}*|kostenlos\\p{L}*|gratis',
  'zertifiziert\\p{L}*|geld[- ]zurück|günstigste\\p{L}*|führende\\p{L}*|spar\\p{L}* (?:sie |du )?bis zu',
];

/** Statements that have to be true: shares, prices, multiples, numbers of customers, and superlatives. */
const claims = [
  `${number}\\s?(?:%|percent${edge}|prozent${edge})`,
  `(?:[€$£]|EUR|USD)\\s?${number}|${number}\\s?(?:[€$£]|(?:EUR|USD|euros?|dollars?)${edge})`,
  `${number}\\+?\\s?(?:-?fach|times|x)${edge}`,
  `${number}\\+?\\s(?:\\p{L}+ )?(?:${people})${edge}`,
  `(?<![\\p{L}\\p{N}])(?:${superlatives.join('|')})${edge}`,
].map((pattern) => new RegExp(pattern, 'giu'));

/** The claims in a text. */
export function claimsIn(text: string): string[] {
  return claims.flatMap((pattern) => text.match(pattern) ?? []);
}

/** The claims of the briefing. What it forbids and the text of others in it do not count. */
export function backedClaims(brief: Brief): Set<string> {
  return new Set(claimsIn(backingOf(brief)).map(plainClaim));
}

/** The text in which the claims, quotations and links of an output must be. */
export function backingOf({ task, audience, goal, facts, action }: Brief): string {
  return [task, audience, goal, action, ...facts].join('\n');
}

/** A claim without the differences that do not matter. */
export function plainClaim(claim: string): string {
  return claim.toLowerCase().replaceAll(/\s+/g, '');
}
