CREATE INDEX CONCURRENTLY IF NOT EXISTS "campaign_tenant_id_environment_sender_id_idx" ON "campaign"("tenant_id", "environment", "sender_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_bounced" ON "message"("tenant_id", "environment", "campaign_id", "bounced_at") WHERE (bounced_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_complained" ON "message"("tenant_id", "environment", "campaign_id", "complained_at") WHERE (complained_at IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_sms_recipient" ON "message"("tenant_id", "environment", "recipient", "lead_id") WHERE (channel = 'sms');
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_tenant_id_environment_campaign_id_sent_at_idx" ON "message"("tenant_id", "environment", "campaign_id", "sent_at");
