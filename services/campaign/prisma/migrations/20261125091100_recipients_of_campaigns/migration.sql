CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_campaign_recipient" ON "message"("tenant_id", "environment", "campaign_id", "node_id", lower("recipient")) WHERE (campaign_id IS NOT NULL);
