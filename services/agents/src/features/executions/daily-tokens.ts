import type { TokenLimit } from '@tandem/ai';
import type { Tools, Tx } from '../../handler.ts';

/**
 * The tokens that the agents of the tenant of `tx` may use in a day (UTC), live and sandbox each. Every request to the model takes what it
 * can use at most, in one statement that all processes share, so that requests at once do not pass the limit together; its answer
 * replaces that by what it has used. It counts for the day on which it was sent. What a process takes that is killed before the
 * answer stays taken for that day.
 */
export function dailyTokens({ tokensPerDay }: Pick<Tools, 'tokensPerDay'>, tx: Tx): TokenLimit {
  return {
    async take(tokens) {
      const [taken] = await tx.sql<{ day: string }>`
        INSERT INTO model_usage_day AS known (day, tokens)
        SELECT (now() AT TIME ZONE 'UTC')::date, ${tokens}::bigint WHERE ${tokens}::bigint <= ${tokensPerDay}::bigint
        ON CONFLICT (tenant_id, environment, day) DO UPDATE SET tokens = known.tokens + excluded.tokens
          WHERE known.tokens + excluded.tokens <= ${tokensPerDay}::bigint
        RETURNING day::text`;
      if (!taken) return undefined;
      const settle = async (used: number) => {
        await tx.sql`UPDATE model_usage_day SET tokens = tokens + ${used - tokens}::bigint WHERE day = ${taken.day}::date`;
      };
      return { settle };
    },
  };
}
