import type { Tx } from '../../handler.ts';

const config = { goal: null, script: null, tone: null };
const limits = { dailyCap: null, maxAttempts: 3, retryOn: ['no_answer', 'busy'] };

/** Creates the two default agents of a tenant. */
export async function defineAgents(tx: Tx): Promise<void> {
  const defaults = { config, limits };
  await tx.agent.createMany({
    data: [
      { kind: 'caller', name: 'Caller', description: 'Calls leads and records the outcomes', ...defaults },
      { kind: 'recommender', name: 'Recommender', description: 'Recommends the next step for a lead', ...defaults },
    ],
  });
}
