-- Answers to callers who belong to no tenant, under tenant 0. Only work without a scope sees them, and the handlers of a
-- service never read this table; a key there stands for the whole request, so that nobody finds another's answer.
ALTER TABLE platform.idempotency_key
  ALTER COLUMN tenant_id SET DEFAULT coalesce(platform.tenant_id(), 0),
  ALTER COLUMN environment SET DEFAULT coalesce(platform.environment(), 'live'),
  -- The tenant whose ids the reply holds.
  ADD COLUMN acted_in bigint;
CREATE POLICY nobody ON platform.idempotency_key TO :app USING (tenant_id = 0 AND platform.tenant_id() IS NULL);
