-- E-mail messages. A row is written in the transaction that causes the message; a job sends it.
CREATE TABLE platform.mail (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id bigint NOT NULL DEFAULT platform.tenant_id(),
  environment text NOT NULL DEFAULT platform.environment(),
  -- Part of the Message-ID, which stays the same when a message is sent again after a crash; context of the seal.
  ref uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL CHECK (kind IN ('account', 'bulk')),
  sender text NOT NULL,
  template text NOT NULL,
  recipient text NOT NULL,
  -- Encrypted, because links contain tokens. Removed when the message was sent or has failed.
  content text,
  -- suppressed: a message of the sandbox, or of a deployment without a mail server, which is never sent.
  state text NOT NULL CHECK (state IN ('queued', 'sent', 'failed', 'suppressed')),
  attempts int NOT NULL DEFAULT 0,
  -- A message that could not be sent by then fails.
  not_after timestamptz NOT NULL,
  error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX mail_ref ON platform.mail (ref);
-- The messages of a tenant in the last 24 hours, for their limit.
CREATE INDEX mail_recent ON platform.mail (tenant_id, environment, kind, created_at);
CREATE INDEX mail_queued ON platform.mail (created_at) WHERE state = 'queued';
CREATE INDEX mail_created_at ON platform.mail USING brin (created_at);
ALTER TABLE platform.mail ENABLE ROW LEVEL SECURITY;
ALTER TABLE platform.mail FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON platform.mail TO :app
  USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
CREATE POLICY upkeep ON platform.mail TO :relay USING (true);
GRANT SELECT, INSERT, UPDATE (content, state, attempts, error, ended_at) ON platform.mail TO :app;
-- Metrics, re-encryption and retention.
GRANT SELECT (ref, content, kind, state, created_at), UPDATE (content), DELETE ON platform.mail TO :relay;
