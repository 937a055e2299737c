-- The state of a tenant as this service knows it: jobs of a tenant that is not active are paused when they would run.
-- A tenant without a row is active. `version` is that of the tenant, so that a late event changes nothing.
CREATE TABLE platform.tenant_state (
  tenant_id bigint PRIMARY KEY DEFAULT platform.tenant_id(),
  state text NOT NULL CHECK (state IN ('active', 'suspended', 'removing')),
  version int NOT NULL,
  -- While the data of the tenant is being removed.
  removed_rows bigint NOT NULL DEFAULT 0,
  changed_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE platform.tenant_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.tenant_state FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.tenant_state USING (tenant_id = platform.tenant_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.tenant_state TO :app;
ALTER TABLE platform.job DROP CONSTRAINT job_state_check;
ALTER TABLE platform.job ADD CONSTRAINT job_state_check
  CHECK (state IN ('waiting', 'queued', 'running', 'paused', 'dead')) NOT VALID;
