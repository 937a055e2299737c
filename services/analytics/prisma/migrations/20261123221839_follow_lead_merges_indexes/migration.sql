-- The moved rows, of which there are few.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "engagement_event_merged_from" ON "engagement_event" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
