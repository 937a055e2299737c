CREATE INDEX CONCURRENTLY IF NOT EXISTS "audit_log_outcome" ON "audit_log"("tenant_id", "outcome", "occurred_at", "id") WHERE (outcome <> 'success');
