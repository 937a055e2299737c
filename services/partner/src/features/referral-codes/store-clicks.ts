import type { Tx } from '../../handler.ts';

export interface Click {
  clickId: string;
  codeId: number;
  /** Digest of the visitor and the day. */
  visitor: string;
  isBot: boolean;
  at: Date;
}

/** Clicks that are counted without a row. */
interface Counted {
  codeId: number;
  clicks: number;
  botClicks: number;
}

/** Stores clicks and counts them. Clicks that are stored already are not counted again, so a batch can be repeated. */
export async function storeClicks(tx: Tx, clicks: readonly Click[], counted: readonly Counted[]): Promise<void> {
  const codeIds = [...new Set([...clicks, ...counted].map(({ codeId }) => codeId))];
  // In the order of ids, so that two transactions cannot wait for each other.
  await tx.sql`SELECT FROM referral_code WHERE id = ANY(${codeIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  await tx.sql`
    WITH given AS (
      SELECT click.* FROM jsonb_to_recordset(${JSON.stringify(clicks)}::jsonb)
        AS click ("clickId" text, "codeId" bigint, visitor text, "isBot" boolean, at timestamptz)
      JOIN referral_code ON referral_code.id = click."codeId"),
    first_of_day AS (
      INSERT INTO referral_click (click_id, code_id, visitor, is_first, is_bot, at)
      SELECT DISTINCT ON ("codeId", visitor) "clickId", "codeId", visitor, true, false, at FROM given
      WHERE NOT "isBot" ORDER BY "codeId", visitor, at
      ON CONFLICT DO NOTHING RETURNING click_id, code_id, is_first, is_bot),
    other AS (
      INSERT INTO referral_click (click_id, code_id, visitor, is_first, is_bot, at)
      SELECT "clickId", "codeId", visitor, false, "isBot", at FROM given
      WHERE "clickId" NOT IN (SELECT click_id FROM first_of_day)
      ON CONFLICT DO NOTHING RETURNING click_id, code_id, is_first, is_bot),
    added AS (
      SELECT code_id, count(*) AS clicks, count(*) FILTER (WHERE is_first) AS firsts, count(*) FILTER (WHERE is_bot) AS bots
      FROM (SELECT * FROM first_of_day UNION ALL SELECT * FROM other) AS stored GROUP BY code_id
      UNION ALL
      SELECT "codeId", clicks, 0, "botClicks" FROM jsonb_to_recordset(${JSON.stringify(counted)}::jsonb)
        AS counted ("codeId" bigint, clicks bigint, "botClicks" bigint)),
    total AS (
      SELECT code_id, sum(clicks) AS clicks, sum(firsts) AS firsts, sum(bots) AS bots FROM added GROUP BY code_id)
    UPDATE referral_code SET clicks = referral_code.clicks + total.clicks,
      unique_clicks = unique_clicks + total.firsts, bot_clicks = bot_clicks + total.bots
    FROM total WHERE referral_code.id = total.code_id`;
}
