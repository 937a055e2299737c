-- backfill
INSERT INTO "win_loss_reason" ("tenant_id", "environment", "outcome", "code", "name")
SELECT DISTINCT "tenant_id", "environment", "outcome" ->> 'result', "outcome" ->> 'reasonCode',
  initcap(left("outcome" ->> 'reasonCode', 1)) || replace(substr("outcome" ->> 'reasonCode', 2), '_', ' ')
FROM "opportunity" deal
WHERE "outcome" ->> 'reasonCode' IS NOT NULL AND NOT EXISTS (
  SELECT FROM "win_loss_reason" reason WHERE reason."tenant_id" = deal."tenant_id" AND reason."environment" = deal."environment"
    AND reason."outcome" = deal."outcome" ->> 'result' AND reason."code" = deal."outcome" ->> 'reasonCode')
LIMIT 5000 ON CONFLICT DO NOTHING;
