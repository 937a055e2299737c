-- backfill
-- Earlier releases stored only when an opportunity entered its current stage.
INSERT INTO "stage_entry" ("tenant_id", "environment", "opportunity_id", "stage", "stage_id", "status", "entered_at")
SELECT deal."tenant_id", deal."environment", deal."id", deal."stage", deal."stage_id", deal."status", deal."stage_entered_at"
FROM "opportunity" deal
WHERE NOT EXISTS (
  SELECT 1 FROM "stage_entry" entry
  WHERE entry."tenant_id" = deal."tenant_id" AND entry."environment" = deal."environment"
    AND entry."opportunity_id" = deal."id")
LIMIT 5000
ON CONFLICT DO NOTHING;
