-- backfill
INSERT INTO "win_loss_reason" ("tenant_id", "environment", "outcome", "code", "name")
SELECT "pipeline"."tenant_id", "pipeline"."environment", reason."outcome", reason."code", reason."name"
FROM "pipeline", (VALUES ('won', 'price', 'Price'), ('won', 'product_fit', 'Product fit'), ('won', 'relationship', 'Relationship'),
  ('won', 'other', 'Other'), ('lost', 'price', 'Price'), ('lost', 'competitor', 'Competitor'), ('lost', 'no_budget', 'No budget'),
  ('lost', 'no_decision', 'No decision'), ('lost', 'timing', 'Timing'), ('lost', 'missing_feature', 'Missing feature'),
  ('lost', 'other', 'Other')) AS reason ("outcome", "code", "name")
WHERE "pipeline"."is_default" AND NOT EXISTS (
  SELECT FROM "win_loss_reason" defined WHERE defined."tenant_id" = "pipeline"."tenant_id"
    AND defined."environment" = "pipeline"."environment" AND defined."outcome" = reason."outcome" AND defined."code" = reason."code")
LIMIT 5000 ON CONFLICT DO NOTHING;
