-- Work that is due at a time. The row is the truth; the queue in Redis is a projection that can be lost and made again.
CREATE TABLE platform.job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  name text NOT NULL,
  payload jsonb NOT NULL,
  due_at timestamptz NOT NULL,
  -- waiting: due at due_at. queued: in Redis since queued_at. running: until lease_until. dead: given up, see error.
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'queued', 'running', 'dead')),
  queued_at timestamptz,
  lease_until timestamptz,
  attempts int NOT NULL DEFAULT 0,
  error text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX job_waiting ON platform.job (due_at) WHERE state = 'waiting';
CREATE INDEX job_queued ON platform.job (queued_at) WHERE state = 'queued';
CREATE INDEX job_running ON platform.job (lease_until) WHERE state = 'running';
ALTER TABLE platform.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.job FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.job TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY dispatcher ON platform.job TO :relay USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.job TO :app;
GRANT SELECT, UPDATE (state, queued_at, lease_until) ON platform.job TO :relay;
ALTER TABLE platform.job SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
