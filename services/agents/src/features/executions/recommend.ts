import type { AgentActionValue, Recommendation } from '@tandem/agents-contract';
import type { z } from 'zod';
import type { Lead } from '../../handler.ts';

export type Advice = Pick<z.output<typeof Recommendation>, 'action' | 'reason' | 'confidence' | 'factors'> & {
  proposal: AgentActionValue;
};

const warmScore = 50;
const hotScore = 70;
const staleDays = 30;
const dayMs = 86_400_000;
// Leaves room for the words of a title.
const nameMax = 150;

/** Recommends the next step for a lead by fixed rules: the same lead always gets the same recommendation. */
export function recommend(lead: Lead, now: Date): Advice {
  const days = Math.max(0, Math.floor((now.getTime() - lead.createdAt.getTime()) / dayMs));
  const factors = [
    { name: 'status', value: lead.status },
    { name: 'score', value: String(lead.score) },
    { name: 'source', value: lead.source ?? 'unknown' },
    { name: 'ageDays', value: String(days) },
    { name: 'hasPhone', value: String(lead.phone !== null) },
  ];
  const advice = adviceFor(lead, days);
  return { ...advice, proposal: proposalFor(advice.action, lead), factors };
}

/** The action that a recommended step means. */
function proposalFor(action: Advice['action'], { firstName, lastName }: Lead): AgentActionValue {
  const name = `${firstName} ${lastName}`.slice(0, nameMax);
  switch (action) {
    case 'call':
      return { type: 'create_task', title: `Call ${name}`, taskType: 'call', dueInDays: 1 };
    case 'email':
      return { type: 'create_task', title: `Write to ${name}`, taskType: 'email', dueInDays: 1 };
    case 'create_task':
      return { type: 'create_task', title: `Follow up with ${name}`, taskType: 'other', dueInDays: 2 };
    case 'change_status':
      return { type: 'change_status', status: 'contacted' };
    case 'convert':
      return { type: 'convert', name: null };
    case 'nurture':
      return { type: 'add_tags', tags: ['nurture'] };
  }
}

function adviceFor({ status, score, source, phone }: Lead, days: number): Omit<Advice, 'factors' | 'proposal'> {
  const isWarm = score >= warmScore || source === 'referral';
  if (status === 'unqualified')
    return {
      action: 'nurture',
      reason: 'The lead is unqualified: nurture it with automated messages',
      confidence: 0.8,
    };
  if (status === 'qualified' && score >= hotScore)
    return {
      action: 'convert',
      reason: 'The lead is qualified and has a high score: convert it to an opportunity',
      confidence: 0.9,
    };
  if (status === 'qualified')
    return { action: 'create_task', reason: 'The lead is qualified: plan a follow-up task', confidence: 0.7 };
  if (days > staleDays && !isWarm)
    return { action: 'nurture', reason: `The lead is ${days} days old and has a low score`, confidence: 0.6 };
  if (isWarm && phone !== null)
    return {
      action: 'call',
      reason: 'The lead is warm (high score or referral) and has a phone number',
      confidence: 0.75,
    };
  if (status === 'contacted')
    return { action: 'create_task', reason: 'The lead was contacted: send a follow-up', confidence: 0.55 };
  return { action: 'email', reason: 'The lead has not been contacted yet', confidence: 0.65 };
}
