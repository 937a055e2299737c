-- The moved rows, of which there are few.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "referral_merged_from" ON "referral" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS "uncredited_deal_merged_from" ON "uncredited_deal" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;
