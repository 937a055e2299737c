/** One of 200 leads of the analytics test. All fields follow from the number, so that the expected totals can be calculated. */
export interface Person {
  /** From 0 to 199. */
  number: number;
  source: 'web' | 'manual' | null;
  hasPartner: boolean;
  opens: boolean;
  clicks: boolean;
  replies: boolean;
  /** The furthest status that the lead gets before it is converted. */
  status: 'new' | 'contacted' | 'unqualified';
  isConverted: boolean;
  /** The outcome of the deal of a converted lead. A reopened deal is won, reopened, and lost. */
  deal: 'open' | 'won' | 'lost' | 'reopened' | null;
  /** The value of the deal in EUR. */
  value: number;
}

export const people: readonly Person[] = Array.from({ length: 200 }, (_, number) => {
  const every = (n: number) => number % n === 0;
  const isConverted = every(4);
  const deals = ['won', 'lost', 'open', 'won', 'reopened'] as const;
  // Mixed, so that partners have deals of each kind.
  const kind = Math.floor(number / 4) + Math.floor(number / 20);
  return {
    number,
    source: every(10) ? null : every(3) ? 'manual' : 'web',
    hasPartner: every(5),
    opens: every(2),
    // Some click without loading the images.
    clicks: every(4) || number % 20 === 7,
    replies: every(20),
    status: every(2) ? 'contacted' : number % 25 === 3 ? 'unqualified' : 'new',
    isConverted,
    deal: isConverted ? (deals[kind % deals.length] as (typeof deals)[number]) : null,
    value: 1_000 + number,
  };
});

export function count(matches: (person: Person) => boolean, among: readonly Person[] = people): number {
  return among.filter(matches).length;
}

/** The sum of the values of deals. */
export function value(matches: (person: Person) => boolean): number {
  return people.filter(matches).reduce((sum, person) => sum + person.value, 0);
}

export const isWon = ({ deal }: Person) => deal === 'won';
export const isLost = ({ deal }: Person) => deal === 'lost' || deal === 'reopened';

/** A part in percent with one decimal. */
export function percent(part: number, whole: number): number {
  return Number(((100 * part) / whole).toFixed(1));
}
