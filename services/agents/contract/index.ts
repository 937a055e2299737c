// What agents offers: a caller and a recommender, what they did for which lead, and what they recommend.
import { agentRows } from './agents.ts';
import { approvals } from './approvals.ts';
import { executions } from './executions.ts';
import { recommendations } from './recommendations.ts';

export * from './agents.ts';
export * from './approvals.ts';
export * from './executions.ts';
export * from './recommendations.ts';

export const agents = { ...agentRows, ...executions, ...approvals, ...recommendations };
