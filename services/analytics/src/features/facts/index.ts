import { commissionFacts } from './commission-fact.ts';
import type { FactKind } from './fact.ts';
import { leadFacts } from './lead-fact.ts';
import { opportunityFacts } from './opportunity-fact.ts';
import { partnerFacts } from './partner-fact.ts';
import { taskFacts } from './task-fact.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind has facts of its own.
export const factKinds: readonly FactKind<any>[] = [
  leadFacts,
  opportunityFacts,
  partnerFacts,
  commissionFacts,
  taskFacts,
];
