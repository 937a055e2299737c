-- Which tenants have what the service gives every tenant from the start, such as the default stages of opportunities.
CREATE TABLE platform.first_use (
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  prepared_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, environment)
);
ALTER TABLE platform.first_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.first_use FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.first_use TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
GRANT SELECT, INSERT ON platform.first_use TO :app;
