-- Events on their way to RabbitMQ. Handlers insert within their tenant; only the relay reads and deletes, across tenants.
CREATE TABLE platform.outbox (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  name text NOT NULL,
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  message text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retry_at timestamptz
);
ALTER TABLE platform.outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY write_own ON platform.outbox FOR INSERT TO :app
  WITH CHECK (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY relay ON platform.outbox TO :relay USING (true);
GRANT INSERT ON platform.outbox TO :app;
GRANT SELECT, UPDATE (retry_at), DELETE ON platform.outbox TO :relay;
-- The table is a queue: many rows come and go, few stay. Vacuum by change, not by share.
ALTER TABLE platform.outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Which events a consumer has dealt with, written in the transaction of the effect.
CREATE TABLE platform.inbox (
  consumer text NOT NULL,
  event_id uuid NOT NULL,
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
CREATE INDEX inbox_received_at ON platform.inbox USING brin (received_at);
ALTER TABLE platform.inbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.inbox FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.inbox TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY housekeeping ON platform.inbox TO :relay USING (true);
GRANT SELECT, INSERT ON platform.inbox TO :app;
GRANT SELECT (received_at), DELETE ON platform.inbox TO :relay;
