-- Messages of a tenant by day, for its daily limit: counting the rows of messages would read up to a day of them.
CREATE TABLE platform.mail_count (
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  kind text NOT NULL CHECK (kind IN ('account', 'bulk')),
  -- In UTC.
  day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  messages int NOT NULL,
  PRIMARY KEY (tenant_id, environment, kind, day)
);
CREATE INDEX mail_count_day ON platform.mail_count (day);
ALTER TABLE platform.mail_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.mail_count FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.mail_count TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY upkeep ON platform.mail_count TO :relay USING (day < now() - interval '1 day');
-- The removal of a deleted tenant runs as the owner of the tables.
CREATE POLICY removal ON platform.mail_count TO :owner USING (tenant_id = platform.tenant_id());
GRANT SELECT, INSERT, UPDATE (messages) ON platform.mail_count TO :app;
GRANT SELECT (day), DELETE ON platform.mail_count TO :relay;
