// Runs the evaluation set of a service: with the built-in results, and with the configured model beside them.
import { type Ai, agentAiSettings, createAi } from '@tandem/ai';
import { createLog } from '@tandem/process';
import { z } from 'zod';

/** An evaluation set. */
export interface EvaluationSet<Score> {
  /** Names the scores in the output. */
  name: string;
  /** Scores the results without a provider. The client has no key. */
  scoreBuiltIn(ai: Ai): Promise<Score> | Score;
  /** Scores the results of the configured model. */
  scoreModel(ai: Ai): Promise<Score>;
}

/**
 * Scores the built-in results, and with `AI_PROVIDER_API_KEY` also those of the model of `AI_PROVIDER_MODEL` at
 * `AI_PROVIDER_BASE_URL`.
 * @returns the scores by set, and then by `builtIn` and the name of the model
 */
export async function evaluate<Score>(
  { name, scoreBuiltIn, scoreModel }: EvaluationSet<Score>,
  environment: Record<string, string | undefined> = process.env,
): Promise<Record<string, Record<string, Score>>> {
  const settings = z.object(agentAiSettings).parse(environment);
  // Output on stdout is JSON, so the log has only problems.
  const log = createLog('evaluation', 'warn');
  const scored = async (key: string, score: (ai: Ai) => Promise<Score> | Score) => {
    const ai = createAi({ ...settings, AI_PROVIDER_API_KEY: key }, log);
    try {
      return await score(ai);
    } finally {
      await ai.close();
    }
  };
  const builtIn = await scored('', scoreBuiltIn);
  const key = settings.AI_PROVIDER_API_KEY;
  return { [name]: { builtIn, ...(key && { [settings.AI_PROVIDER_MODEL]: await scored(key, scoreModel) }) } };
}

/** Runs `evaluate`, and writes the scores to stdout as JSON. */
export async function printEvaluation<Score>(set: EvaluationSet<Score>): Promise<void> {
  process.stdout.write(`${JSON.stringify(await evaluate(set), null, 2)}\n`);
}

/** A share from 0 to 1, rounded to thousandths so that runs can be compared; 1 if there is nothing to count. */
export function shareOf(part: number, all: number): number {
  return all === 0 ? 1 : Math.round((part / all) * 1_000) / 1_000;
}
