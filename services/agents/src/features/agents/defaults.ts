import type { Tx } from '../../handler.ts';

/** The configuration of a new agent. */
export const defaultConfig = { goal: null, script: null, tone: null, model: null };
/** The limits of a new agent. */
export const defaultLimits = {
  dailyCap: null,
  maxConcurrent: null,
  callingWindow: null,
  maxAttempts: 3,
  retryOn: ['no_answer', 'busy'],
};

/** Creates the two default agents of a tenant. */
export async function defineAgents(tx: Tx): Promise<void> {
  const defaults = { config: defaultConfig, limits: defaultLimits };
  await tx.agent.createMany({
    data: [
      { kind: 'caller', name: 'Caller', description: 'Calls leads and records the outcomes', ...defaults },
      { kind: 'recommender', name: 'Recommender', description: 'Recommends the next step for a lead', ...defaults },
    ],
  });
}
