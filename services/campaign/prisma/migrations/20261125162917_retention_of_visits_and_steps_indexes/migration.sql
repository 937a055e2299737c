CREATE INDEX CONCURRENTLY IF NOT EXISTS "engagement_anonymous_visit" ON "engagement"("at") WHERE (lead_id IS NULL AND type = 'page_visit');
CREATE INDEX CONCURRENTLY IF NOT EXISTS "execution_with_steps" ON "execution"("ended_at") WHERE (ended_at IS NOT NULL AND NOT steps_purged);
