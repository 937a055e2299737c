CREATE INDEX CONCURRENTLY IF NOT EXISTS "landing_page_tenant_id_environment_form_id_idx" ON "landing_page"("tenant_id", "environment", "form_id");
