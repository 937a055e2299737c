CREATE INDEX CONCURRENTLY IF NOT EXISTS "deal_registration_tenant_id_environment_contact_domain_key_idx" ON "deal_registration"("tenant_id", "environment", "contact_domain_key");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "deal_registration_tenant_id_environment_mailbox_key_idx" ON "deal_registration"("tenant_id", "environment", "mailbox_key");
