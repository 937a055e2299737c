-- The scope of a connection, as row-level security and column defaults read it. Without a scope both are null, and null
-- equals nothing: a forgotten scope sees and writes nothing.
CREATE FUNCTION platform.tenant_id() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.tenant_id', true), '')::bigint;

CREATE FUNCTION platform.environment() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.environment', true), '');

GRANT USAGE ON SCHEMA platform TO :app, :relay;
GRANT EXECUTE ON FUNCTION platform.tenant_id(), platform.environment() TO :app, :relay;
