-- The first answer to every request that carried an Idempotency-Key, for 24 hours. The reply is encrypted: it may hold a
-- key or secret that is shown only once.
CREATE TABLE platform.idempotency_key (
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  operation text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status int NOT NULL,
  etag text,
  reply text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, environment, operation, key)
);
CREATE INDEX idempotency_key_created_at ON platform.idempotency_key USING brin (created_at);
ALTER TABLE platform.idempotency_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.idempotency_key FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.idempotency_key TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY housekeeping ON platform.idempotency_key TO :relay USING (true);
GRANT SELECT, INSERT, DELETE ON platform.idempotency_key TO :app;
GRANT SELECT (created_at), DELETE ON platform.idempotency_key TO :relay;
