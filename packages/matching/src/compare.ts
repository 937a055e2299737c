import { compareCompanies } from './company-name.ts';
import { compareEmails } from './email.ts';
import { type Facts, factsOf, type MatchKind, type MatchRecord } from './facts.ts';
import { domainStem } from './keys.ts';
import { compareNames } from './person-name.ts';
import { type Evidence, scoreCompany, scorePartner, scorePerson } from './score.ts';
import type { Signal } from './signal.ts';

export const levels = ['exact', 'likely', 'possible'] as const;
export type Level = (typeof levels)[number];

/** Pairs from this score on are likely duplicates. */
export const likelyScore = 0.75;
const exactScore = 0.95;

export interface Comparison {
  /** From 0 to 1; 0 when nothing speaks for the same record. */
  score: number;
  level: Level;
  signals: Signal[];
}

/** Compares two records of one kind. */
export function compare(kind: MatchKind, one: MatchRecord, other: MatchRecord): Comparison {
  return compareFacts(factsOf(kind, one), factsOf(kind, other));
}

const scoreOf = { lead: scorePerson, account: scoreCompany, partner: scorePartner };

export function compareFacts(one: Facts, other: Facts): Comparison {
  const evidence = evidenceOf(one, other);
  const score = rounded(scoreOf[one.kind](evidence));
  const signals = Object.values(evidence).flatMap((signal) =>
    signal ? { ...signal, similarity: rounded(signal.similarity) } : [],
  );
  return { score, level: levelOf(score), signals };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

export function levelOf(score: number): Level {
  if (score >= exactScore) return 'exact';
  return score >= likelyScore ? 'likely' : 'possible';
}

function evidenceOf(one: Facts, other: Facts): Evidence {
  return {
    email: both(one.email, other.email, compareEmails),
    phone: both(one.phone, other.phone, (a, b) => asSignal('phone', a === b ? 1 : 0)),
    name: both(one.name, other.name, compareNames),
    company: both(one.company, other.company, compareCompanies),
    domain: both(one.domain, other.domain, compareDomains),
    city: both(one.city, other.city, (a, b) => asSignal('city', a === b ? 1 : 0)),
  };
}

function both<Value, Result>(one: Value | null, other: Value | null, compareValues: (a: Value, b: Value) => Result) {
  return one && other ? compareValues(one, other) : undefined;
}

function compareDomains(one: string, other: string): Signal {
  if (one === other) return asSignal('domain', 1);
  const isPart = one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
  const isAlike = isPart || domainStem(one) === domainStem(other);
  return isAlike
    ? { field: 'domain', similarity: 0.8, matched: true, reason: 'domain_similar' }
    : { field: 'domain', similarity: 0, matched: false };
}

function asSignal(field: 'phone' | 'domain' | 'city', similarity: 0 | 1): Signal {
  return { field, similarity, matched: similarity === 1, ...(similarity === 1 && { reason: field }) };
}
