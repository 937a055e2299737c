CREATE INDEX CONCURRENTLY IF NOT EXISTS "lead_open_assigned" ON "lead"("tenant_id", "environment", "assigned_to") WHERE (deleted_at IS NULL AND converted_at IS NULL AND status <> 'unqualified');
