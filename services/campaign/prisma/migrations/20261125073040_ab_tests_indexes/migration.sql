CREATE INDEX CONCURRENTLY IF NOT EXISTS "form_submission_ab_test" ON "form_submission"("tenant_id", "environment", "ab_test_id", "variant") WHERE (ab_test_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_ab_test" ON "message"("tenant_id", "environment", "ab_test_id", "variant") WHERE (ab_test_id IS NOT NULL);
