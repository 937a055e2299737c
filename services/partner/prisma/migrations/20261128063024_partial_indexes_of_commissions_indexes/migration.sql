CREATE INDEX CONCURRENTLY IF NOT EXISTS "referral_click_tenant_id_environment_code_id_idx" ON "referral_click"("tenant_id", "environment", "code_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "commission_of_payout" ON "commission"("tenant_id", "environment", "payout_id", "partner_id") WHERE (payout_id IS NOT NULL);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "commission_external_id" ON "commission"("tenant_id", "environment", "external_id") WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "commission_of_lead" ON "commission"("tenant_id", "environment", "lead_id", "partner_id", "level", "type", "attribution") WHERE (lead_id IS NOT NULL AND type <> 'clawback');
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "commission_of_deal" ON "commission"("tenant_id", "environment", "opportunity_id", "partner_id", "level", "type", "deal_version", "attribution") WHERE (type <> 'clawback' AND NOT (deal_version = -1 AND status = 'cancelled'));
-- The indexes that they replace.
DROP INDEX CONCURRENTLY IF EXISTS "commission_lead";
DROP INDEX CONCURRENTLY IF EXISTS "commission_tenant_id_environment_external_id_key";
DROP INDEX CONCURRENTLY IF EXISTS "commission_tenant_id_environment_payout_id_partner_id_idx";
DROP INDEX CONCURRENTLY IF EXISTS "commission_tenant_id_environment_opportunity_id_attribution_key";
