import type { Tx } from '../../handler.ts';

/** Takes tokens from what the tenant may use today (UTC). @returns whether so many were left */
export async function takeTokens(tx: Tx, tokens: number, perDay: number): Promise<boolean> {
  const taken = await tx.sql`
    INSERT INTO embedding_use AS used (day, tokens) VALUES ((now() AT TIME ZONE 'UTC')::date, ${tokens}::int)
    ON CONFLICT (tenant_id, environment) DO UPDATE SET day = excluded.day,
      tokens = excluded.tokens + CASE WHEN used.day = excluded.day THEN used.tokens ELSE 0 END
    WHERE used.day <> excluded.day OR used.tokens + excluded.tokens <= ${perDay}::int RETURNING 1 AS one`;
  return taken.length > 0;
}

/** Corrects what was taken by what the provider says that it used. */
export async function correctTokens(tx: Tx, difference: number): Promise<void> {
  if (difference) await tx.sql`UPDATE embedding_use SET tokens = greatest(0, tokens + ${difference}::int)`;
}
