-- Background jobs that clients can read at GET /v1/jobs/:id, for 30 days. What runs is a row of platform.job.
CREATE TABLE platform.background_job (
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  -- Who may read it: the user who started it, while they have this permission, and callers who have it for all records.
  user_id bigint,
  permission text NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  done int NOT NULL DEFAULT 0,
  total int NOT NULL DEFAULT 0,
  -- For the job itself; not shown.
  input jsonb NOT NULL,
  result jsonb,
  error_code text,
  error_message text,
  created_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz,
  -- When its file expires; null without a file.
  expires_at timestamptz,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX background_job_created_at ON platform.background_job USING brin (created_at);
ALTER TABLE platform.background_job ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.background_job FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.background_job TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY housekeeping ON platform.background_job TO :relay USING (created_at < now() - interval '30 days');
CREATE POLICY removal ON platform.background_job TO :owner USING (tenant_id = platform.tenant_id());
GRANT SELECT, INSERT, UPDATE ON platform.background_job TO :app;
GRANT SELECT (created_at), DELETE ON platform.background_job TO :relay;
