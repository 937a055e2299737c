import type { AgentActionValue, ApprovalPolicy, riskLevels } from '@tandem/agents-contract';
import type { z } from 'zod';
import type { Lead } from '../../handler.ts';

export type Risk = (typeof riskLevels)[number];

const risks: Record<Exclude<AgentActionValue['type'], 'call'>, Risk> = {
  create_task: 'low',
  add_tags: 'low',
  change_status: 'medium',
  convert: 'high',
};

/** The risk of an action for a lead. */
export function riskOf({ type }: AgentActionValue, lead: Lead): Risk {
  if (type !== 'call') return risks[type];
  return lead.consent?.phone?.state === 'granted' ? 'medium' : 'high';
}

/** Whether a policy requires an approval of actions with this risk. */
export function needsApproval(policy: z.output<typeof ApprovalPolicy>, risk: Risk): boolean {
  return policy === 'always' || (policy === 'risky' && risk === 'high');
}
