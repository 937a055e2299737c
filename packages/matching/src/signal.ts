/** What a signal was found by, from the strongest to the weakest of each field. */
export const reasons = [
  'email',
  'email_variant',
  'email_dots',
  'email_typo',
  'email_similar',
  'phone',
  'name',
  'name_swapped',
  'name_nickname',
  'name_initials',
  'name_similar',
  'company',
  'company_similar',
  'domain',
  'domain_similar',
  'city',
] as const;

export type Reason = (typeof reasons)[number];

/** One compared field. Only fields that both records have are compared. */
export interface Signal {
  field: 'email' | 'phone' | 'name' | 'company' | 'domain' | 'city';
  /** From 0 to 1. */
  similarity: number;
  /** Whether it speaks for the same record. */
  matched: boolean;
  /** How it matched; absent when it did not. */
  reason?: Reason;
  /** Whether it speaks for two records, such as two first names at one company. */
  conflicts?: boolean;
}
