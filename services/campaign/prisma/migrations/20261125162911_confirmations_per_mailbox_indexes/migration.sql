CREATE INDEX CONCURRENTLY IF NOT EXISTS "form_submission_mailbox" ON "form_submission"("tenant_id", "environment", "mailbox", "created_at") WHERE (mailbox IS NOT NULL);
