CREATE INDEX CONCURRENTLY IF NOT EXISTS "commission_tenant_id_environment_payout_id_partner_id_idx" ON "commission"("tenant_id", "environment", "payout_id", "partner_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "commission_payable" ON "commission"("tenant_id", "environment", "currency", "partner_id", "id") WHERE (status = 'approved' AND payout_id IS NULL);
