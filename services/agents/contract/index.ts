// The contract of agents: agents that call leads or recommend next steps, their executions, approvals and
// recommendations.
import { agentRows } from './agents.ts';
import { approvals } from './approvals.ts';
import { executions } from './executions.ts';
import { recommendations } from './recommendations.ts';

export * from './agents.ts';
export * from './approvals.ts';
export * from './executions.ts';
export * from './recommendations.ts';

export const agents = { ...agentRows, ...executions, ...approvals, ...recommendations };
