CREATE INDEX CONCURRENTLY IF NOT EXISTS "account_token_expires_at_idx" ON "account_token"("expires_at");

CREATE INDEX CONCURRENTLY IF NOT EXISTS "invitation_expires_at_idx" ON "invitation"("expires_at");

CREATE INDEX CONCURRENTLY IF NOT EXISTS "totp_pending" ON "totp"("created_at") WHERE (confirmed_at IS NULL);
