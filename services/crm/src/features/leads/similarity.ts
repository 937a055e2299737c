import type { DuplicatePair } from '@tandem/crm-contract';
import {
  compareFacts,
  type Facts,
  factsOf as factsOfRecord,
  misspeltMailboxes,
  personKeys,
  type Reason,
} from '@tandem/matching';
import type { z } from 'zod';

/** The fields of a lead by which it can be recognized as a person that is known already. */
export interface Identity {
  email: string;
  firstName: string;
  lastName: string;
  phone?: string | null | undefined;
}

/** The columns by which possible duplicates of a lead are found. Two leads are candidates if one of them is equal. */
export type MatchKeys = ReturnType<typeof personKeys>;

/** The similarity of two leads; the confidence is 0 if they have nothing in common. */
export interface Similarity {
  confidence: number;
  matchedOn: MatchedOn[];
}

type MatchedOn = z.output<typeof DuplicatePair>['matchedOn'][number];

/** The normalized values by which leads are compared. */
export function factsOf({ email, firstName, lastName, phone }: Identity): Facts {
  return factsOfRecord('lead', { email, firstName, lastName, phone });
}

/** Keys are stored, because a condition with a function cannot use an index under row-level security. */
export function matchKeys(identity: Identity): MatchKeys {
  return personKeys(factsOf(identity));
}

/** The values of `mailbox_key` of leads whose address is one typo away. */
export function misspeltKeys({ email }: Identity): string[] {
  return misspeltMailboxes('lead', { email });
}

// Reasons that a pair of leads has; the release before this one knows no others.
const namesOfReasons: Partial<Record<Reason, MatchedOn>> = {
  email: 'email',
  email_variant: 'email_variant',
  email_dots: 'email_variant',
  email_typo: 'email_variant',
  email_similar: 'email_variant',
  phone: 'phone',
  name: 'name',
  name_swapped: 'name_swapped',
  name_initials: 'name_initials',
  name_nickname: 'name_similar',
  name_similar: 'name_similar',
};

/** Compares two leads. */
export function compareLeads(one: Facts, other: Facts): Similarity {
  const { score, signals } = compareFacts(one, other);
  const reasons = new Set(signals.flatMap(({ reason }) => reason ?? []));
  const matchedOn = [...reasons].flatMap((reason) => namesOfReasons[reason] ?? []);
  const isNamed = signals.some(({ field, matched }) => field === 'name' && matched);
  const isSameCompany = isNamed && reasons.has('domain') && !reasons.has('email');
  return { confidence: score, matchedOn: isSameCompany ? [...matchedOn, 'email_domain_and_name'] : matchedOn };
}
