import { ascii, leads, type Made, opportunities, partners, products } from './documents.ts';

/** A query with the documents that are relevant for it: 3 is what was asked for, 1 has to do with it. */
export interface Query {
  kind: string;
  type: Made['type'];
  q: string;
  grades: Map<string, number>;
}

const of = (documents: Made[], grade: (document: Made) => number) =>
  new Map(documents.map((document) => [document.id, grade(document)] as const).filter(([, value]) => value > 0));

const at = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** A word with its letters at `place` changed as a hand slips: swapped, left out or doubled. */
function slip(word: string, place: number, how: number): string {
  const letters = [...word];
  const n = 1 + (place % Math.max(1, letters.length - 2));
  const [one, next] = [letters[n] as string, letters[n + 1] as string];
  if (how % 3 === 0) letters.splice(n, 2, next, one);
  if (how % 3 === 1) letters.splice(n, 1);
  if (how % 3 === 2) letters.splice(n, 1, one, one);
  return letters.join('');
}

const samePerson = (lead: Made) => (one: Made) => {
  if (one.first === lead.first && one.last === lead.last) return 3;
  return 0;
};
const personAtCompany = (lead: Made) => (one: Made) => {
  if (one.first === lead.first && one.last === lead.last && one.company === lead.company) return 3;
  if (one.last === lead.last && one.company === lead.company) return 2;
  return 0;
};

function forLeads(
  kind: string,
  places: number[],
  make: (lead: Made, n: number) => [string, (one: Made) => number],
): Query[] {
  return places.map((place, n) => {
    const [q, grade] = make(leads[place] as Made, n);
    return { kind, type: 'lead', q, grades: of(leads, grade) };
  });
}

/** The labels follow from how a query was made of a document, not from what a search returned. */
export const queries: Query[] = [
  ...forLeads('full name', [3, 47, 88, 131, 190, 222], (lead) => [`${lead.first} ${lead.last}`, samePerson(lead)]),
  ...forLeads('name without accents', [2, 9, 61, 104, 155, 203], (lead) => [
    `${ascii(lead.first)} ${ascii(lead.last)}`.toLowerCase(),
    samePerson(lead),
  ]),
  ...forLeads('one typo', [5, 33, 76, 117, 164, 211], (lead, n) => [
    `${ascii(lead.first)} ${slip(ascii(lead.last), n + 1, n)}`,
    samePerson(lead),
  ]),
  ...forLeads('two typos in a word', [12, 40, 83, 126, 171, 218], (lead, n) => [
    slip(slip(ascii(lead.last), 1, n), 5, n + 1),
    (one) => (one.last === lead.last ? 3 : 0),
  ]),
  ...forLeads('last name and company', [7, 29, 95, 142, 187, 230], (lead) => [
    `${lead.last} ${at(lead.company.split(' '), 0)}`,
    personAtCompany(lead),
  ]),
  ...forLeads('a word too many', [14, 52, 99, 138, 179, 235], (lead, n) => [
    `${lead.first} ${lead.last} ${at(['munich', 'invoice', 'contact', 'meeting', 'phone', 'vienna'], n)}`,
    samePerson(lead),
  ]),
  ...forLeads('a wrong first name', [18, 57, 110, 149, 193, 238], (lead) => [
    `Wolfgang ${lead.last} ${at(lead.company.split(' '), 0)}`,
    personAtCompany(lead),
  ]),
  ...forLeads('part of a compound', [0, 1, 2, 5, 8, 12], (lead) => {
    const [word = ''] =
      ascii(lead.company.split(' ')[0] ?? '')
        .toLowerCase()
        .match(/.*/) ?? [];
    return [word.slice(0, Math.max(5, word.length - 2)), (one) => (one.company === lead.company ? 3 : 0)];
  }),
  ...forLeads('company or trade', [4, 6, 9, 13, 15, 19], (lead) => [
    lead.trade,
    (one) => (String(one.data['notes']).includes(lead.trade) ? 3 : one.company === lead.company ? 1 : 0),
  ]),
  ...forLeads('e-mail address', [23, 101, 201], (lead) => [
    String(lead.data['email']),
    (one) => (one.id === lead.id ? 3 : 0),
  ]),
  ...forLeads('rare word of a note with the company', [0, 3, 6, 9, 12, 15], (lead) => [
    `${lead.noteWord} ${at(lead.company.split(' '), 0)}`,
    (one) => (one.company !== lead.company ? 0 : String(one.data['notes']).includes(lead.noteWord) ? 3 : 1),
  ]),
  ...[1, 22, 43, 64].map((place): Query => {
    const deal = opportunities[place] as Made;
    return {
      kind: 'deal by company and product',
      type: 'opportunity',
      q: `${at(deal.company.split(' '), 0)} ${deal.last}`,
      grades: of(opportunities, (one) => (one.company !== deal.company ? 0 : one.last === deal.last ? 3 : 1)),
    };
  }),
  ...products.map(
    (product, n): Query => ({
      kind: 'deal by product with a typo',
      type: 'opportunity',
      q: product
        .split(' ')
        .map((word, place) => (place === 0 ? slip(word, n + 2, n) : word))
        .join(' '),
      grades: of(opportunities, (one) => (one.last === product ? 3 : 0)),
    }),
  ),
  ...[2, 7, 11, 16].map((place): Query => {
    const partner = partners[place] as Made;
    return {
      kind: 'partner by trade',
      type: 'partner',
      q: `${partner.trade} reseller`,
      grades: of(partners, (one) => (one.id === partner.id ? 3 : 0)),
    };
  }),
];
