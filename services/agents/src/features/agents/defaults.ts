import type { Tx } from '../../handler.ts';

const config = { goal: null, script: null, tone: null };
const limits = { dailyCap: null, maxAttempts: 3, retryOn: ['no_answer', 'busy'] };

/** Gives a tenant its two agents. */
export async function defineAgents(tx: Tx): Promise<void> {
  const both = { config, limits };
  await tx.agent.createMany({
    data: [
      { kind: 'caller', name: 'Caller', description: 'Calls leads and notes what came of it', ...both },
      { kind: 'recommender', name: 'Recommender', description: 'Says what to do next about a lead', ...both },
    ],
  });
}
