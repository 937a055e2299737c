// How likely two records are the same person, company or partner, and the keys by which candidates are found.
export { type Comparison, compare, compareFacts, type Level, levelOf, levels, likelyScore } from './compare.ts';
export { companyDomain, isPublicDomain } from './email.ts';
export { type Facts, factsOf, type MatchKind, type MatchRecord, matchKinds } from './facts.ts';
export { keysOf, type MatchKeys, misspeltMailboxes, personKeys } from './keys.ts';
export { phoneKey } from './phone.ts';
export { type Reason, reasons, type Signal } from './signal.ts';
