import { noSource } from '../facts/no-source.ts';
import type { Row } from './model.ts';

/** The human engagement events that models read, by the words of their features. */
export const engagementFeatures = {
  opens: { event: 'email_open', words: 'opened e-mails' },
  clicks: { event: 'link_click', words: 'clicked links' },
  replies: { event: 'email_reply', words: 'replied to e-mails' },
  forms: { event: 'form_submission', words: 'sent forms' },
  visits: { event: 'page_visit', words: 'visited pages' },
} as const;
export type EngagementFeature = keyof typeof engagementFeatures;
const engagementNames = Object.keys(engagementFeatures) as EngagementFeature[];

/** What is known of a lead at a time. What is null is not known. */
export interface Profile {
  leadId: number;
  source: string | null;
  hasPhone: boolean | null;
  hasAccount: boolean | null;
  hasPartner: boolean | null;
  hasOwner: boolean | null;
  ageDays: number;
  /** Since the last engagement, or since the creation if there was none. */
  quietDays: number;
  /** In the last 30 days. */
  recent: Record<EngagementFeature, number>;
  /** Before the last 30 days. */
  earlier: Record<EngagementFeature, number>;
}

interface Feature {
  name: string;
  /** The columns of the model that belong to it. */
  columnsOf(profile: Profile): Row;
  /** The value as clients see it. */
  valueOf(profile: Profile): string | number | boolean | null;
  /** The value in words. */
  wordsOf(profile: Profile): string;
}

const sourceColumn = (source: string) => `source:${source}`;
/** The source in the name of a column; undefined for other columns. */
const sourceOfColumn = (column: string) => (column.startsWith('source:') ? column.slice(7) : undefined);

function isTrue(
  name: 'hasPhone' | 'hasAccount' | 'hasPartner' | 'hasOwner',
  [yes, no]: readonly [string, string],
): Feature {
  const read = (profile: Profile) => profile[name];
  return {
    name,
    valueOf: read,
    columnsOf: (profile) => ({ [name]: profile[name] === null ? null : Number(profile[name]) }),
    wordsOf: (profile) => (profile[name] ? yes : no),
  };
}

function daysOf(name: 'ageDays' | 'quietDays', words: (days: number) => string): Feature {
  return {
    name,
    columnsOf: (profile) => ({ [name]: Math.log1p(profile[name]) }),
    valueOf: (profile) => Math.floor(profile[name]),
    wordsOf: (profile) => words(Math.floor(profile[name])),
  };
}

function countOf(period: 'recent' | 'earlier', kind: EngagementFeature): Feature {
  const name = `${kind}${period === 'recent' ? 'Recent' : 'Earlier'}`;
  const when = period === 'recent' ? 'in the last 30 days' : 'before the last 30 days';
  return {
    name,
    columnsOf: (profile) => ({ [name]: Math.log1p(profile[period][kind]) }),
    valueOf: (profile) => profile[period][kind],
    wordsOf: (profile) => `The lead ${engagementFeatures[kind].words} ${times(profile[period][kind])} ${when}`,
  };
}

const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
const times = (count: number) => (count === 0 ? 'not once' : plural(count, 'time'));

/** What models read of a lead. */
export const features: readonly Feature[] = [
  {
    name: 'source',
    columnsOf: ({ source }) => ({ [sourceColumn(source ?? noSource)]: 1 }),
    valueOf: ({ source }) => source,
    wordsOf: ({ source }) => (source === null ? 'The lead has no source' : `The source of the lead is ${source}`),
  },
  isTrue('hasPhone', ['The lead has a phone number', 'The lead has no phone number']),
  isTrue('hasAccount', ['The lead belongs to an account', 'The lead belongs to no account']),
  isTrue('hasPartner', ['A partner referred the lead', 'No partner referred the lead']),
  isTrue('hasOwner', ['The lead is assigned to a user', 'The lead is assigned to nobody']),
  daysOf('ageDays', (days) => `The lead is ${plural(days, 'day')} old`),
  daysOf('quietDays', (days) => `The last activity of the lead was ${plural(days, 'day')} ago`),
  ...engagementNames.map((kind) => countOf('recent', kind)),
  ...engagementNames.map((kind) => countOf('earlier', kind)),
];

/** The columns of a lead. Columns of other sources are absent, which counts as 0. */
export function rowOf(profile: Profile): Row {
  return Object.assign({}, ...features.map((feature) => feature.columnsOf(profile))) as Row;
}

/** The feature that a column belongs to. */
export function featureOf(column: string): string {
  return sourceOfColumn(column) === undefined ? column : 'source';
}

/** A column in words, for the list of weights. */
export function columnInWords(column: string): string {
  const source = sourceOfColumn(column);
  if (source !== undefined) return source === noSource ? 'no source' : `the source ${source}`;
  const [kind, period] = column.split(/(?=Recent$|Earlier$)/) as [EngagementFeature, string?];
  if (period) return `${engagementFeatures[kind].words} ${period === 'Recent' ? 'in' : 'before'} the last 30 days`;
  return inWords[column] ?? column;
}

const inWords: Record<string, string> = {
  hasPhone: 'a phone number',
  hasAccount: 'an account',
  hasPartner: 'a referral by a partner',
  hasOwner: 'an assignee',
  ageDays: 'the age of the lead',
  quietDays: 'the time since the last activity',
};
