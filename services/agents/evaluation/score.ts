import type { Ai } from '@tandem/ai';
import { shareOf } from '@tandem/evaluation';
import { createShares } from '@tandem/process';
import { askModel } from '../src/features/executions/ask-model.ts';
import { recommend } from '../src/features/executions/recommend.ts';
import type { Lead, Tools } from '../src/handler.ts';
import { type Case, cases } from './cases.ts';

const dayMs = 86_400_000;

/** The share of cases with an accepted action, and the cases that failed with the action that they got. */
export interface Score {
  accuracy: number;
  failed: { about: string; got: string }[];
  /** The cost of all cases in US dollars, as far as it is known. */
  cost?: number | null;
}

/** The lead of a case. */
export function leadOf({ lead: { ageDays, ...fields } }: Case, now: Date): Lead {
  return {
    ...{ id: 1, email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', phone: '+491701234567' },
    ...{ status: 'new', score: 10, source: 'web', assignedTo: null },
    createdAt: new Date(now.getTime() - ageDays * dayMs),
    ...fields,
  } as Lead;
}

/** Scores the built-in rules. */
export function scoreRules(now = new Date()): Score {
  return scoreOf(cases.map((one) => recommend(leadOf(one, now), now).action));
}

/** Scores the configured model, with the lead of each case and no history. */
export async function scoreModel(ai: Ai, now = new Date()): Promise<Score> {
  const actions: string[] = [];
  let cost: number | null = 0;
  for (const one of cases) {
    const lead = leadOf(one, now);
    const crm = {
      readLeads: async () => [
        { ...lead, tags: [], customFields: {}, consent: {}, allowedTransitions: [], convertedAt: null },
      ],
      listActivities: async () => [],
      listTasks: async () => [],
      listOpportunities: async () => [],
    };
    const { advice, usage } = await askModel(
      { ai, crm, asksModel: true, models: [], conversations: createShares(1, 0) } as unknown as Tools,
      {
        agent: { config: { goal: null, script: null, tone: null, model: null } } as never,
        execution: { id: 1, input: null } as never,
        lead,
        startedAt: now,
        user: { permissions: ['*'] } as never,
        tokens: { take: async () => ({ settle: async () => {} }) },
        scope: { tenantId: 1, environment: 'sandbox' },
      },
    );
    actions.push(advice.action);
    cost = cost === null || usage?.cost === null ? null : cost + (usage?.cost ?? 0);
  }
  return { ...scoreOf(actions), cost };
}

function scoreOf(actions: readonly string[]): Score {
  const failed = cases.flatMap(({ about, accepted }, index) => {
    const got = actions[index] as string;
    return (accepted as readonly string[]).includes(got) ? [] : [{ about, got }];
  });
  return { accuracy: shareOf(cases.length - failed.length, cases.length), failed };
}
